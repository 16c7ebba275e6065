// The numbers of the page, from the columns of DATA: the same definitions as `cornet bench profile` (include/cornet/profile.h).
'use strict';

const DATA = JSON.parse(document.getElementById('data').textContent);
const RUNS = DATA.runs;
const SOLVED = DATA.statuses.indexOf('solved');
const SHIFT = {time: 1e-3, iterations: 10, products: 10};

// Instances: problem × tolerance, with the run of each solver or −1.
const INSTANCES = (() => {
  const place = new Map(),
    out = [];
  for (let k = 0; k < RUNS.solver.length; k++) {
    const key = RUNS.problem[k] * DATA.tolerances.length + RUNS.tolerance[k];
    let at = place.get(key);
    if (at === undefined) {
      place.set(key, (at = out.length));
      out.push({problem: RUNS.problem[k], tolerance: RUNS.tolerance[k], runs: new Int32Array(DATA.solvers.length).fill(-1)});
    }
    out[at].runs[RUNS.solver[k]] = k;
  }
  return out;
})();

const solved = (run) => RUNS.status[run] === SOLVED;

// Infinity when not solved, NaN when not counted.
function cost(run, by) {
  if (!solved(run)) return Infinity;
  const value = RUNS[by][run];
  if (by === 'time') return value === null ? Infinity : Math.max(value, 1e-7);
  return value === null ? NaN : Math.max(1, value);
}

function shiftedMean(values, shift) {
  let sum = 0;
  for (const value of values) sum += Math.log(value + shift);
  return values.length ? Math.exp(sum / values.length) - shift : NaN;
}

// What a failed run counts with.
function penalty(runs, by) {
  let out = by === 'time' ? 1e-7 : 1;
  for (const run of runs) {
    const value = by === 'time' ? RUNS.limit[run] || RUNS.time[run] : RUNS[by][run];
    if (value !== null) out = Math.max(out, value);
  }
  return out;
}

// Everything that tables and plots show for a selection {by, solvers, sets, tolerances}: solver numbers, set names, tolerance numbers.
function evaluate(selection) {
  const by = selection.by;
  const sets = new Set(selection.sets),
    tolerances = new Set(selection.tolerances);
  const wanted = INSTANCES.filter((i) => sets.has(DATA.problems[i.problem].set) && tolerances.has(i.tolerance));
  let solvers = selection.solvers.filter((s) => wanted.some((i) => i.runs[s] >= 0));
  const rows = wanted.filter((i) => solvers.every((s) => i.runs[s] >= 0));
  const incomplete = wanted.length - rows.length;
  const counts = (s) => {
    let any = by === 'time';
    for (const i of rows) {
      if (!solved(i.runs[s])) continue;
      any = true;
      if (Number.isNaN(cost(i.runs[s], by))) return false;
    }
    return any;
  };
  const left = solvers.filter((s) => !counts(s));
  solvers = solvers.filter(counts);
  const best = rows.map((i) => Math.min(...solvers.map((s) => cost(i.runs[s], by))));
  const worst = rows.map((i) =>
    penalty(
      solvers.map((s) => i.runs[s]),
      by,
    ),
  );
  const scores = solvers.map((s) => {
    const score = {
      solver: s,
      label: DATA.solvers[s].label,
      family: DATA.solvers[s].family,
      instances: rows.length,
      solved: 0,
      wins: 0,
      false_claims: 0,
    };
    const ratios = [],
      values = [];
    rows.forEach((i, k) => {
      const t = cost(i.runs[s], by),
        good = t < Infinity;
      score.solved += good;
      score.wins += good && t <= best[k];
      score.false_claims += RUNS.claimed[i.runs[s]] === 1 && !solved(i.runs[s]);
      values.push(good ? t : worst[k]);
      if (good) ratios.push(t / best[k]);
    });
    score.ratios = Float64Array.from(ratios).sort();
    score.failure_rate = rows.length ? 1 - score.solved / rows.length : 0;
    score.mean = shiftedMean(values, SHIFT[by]);
    return score;
  });
  return {by, rows, best, scores, incomplete, left, unsolved: best.filter((t) => t === Infinity).length};
}

// ρ(τ): how many of the sorted ratios are at most τ.
function rho(score, tau) {
  let low = 0,
    high = score.ratios.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (score.ratios[middle] <= tau) low = middle + 1;
    else high = middle;
  }
  return score.instances ? low / score.instances : 0;
}

// time = c · contacts^p over the solved runs of the selection.
function growth(evaluation) {
  return evaluation.scores.map((score) => {
    let n = 0,
      x = 0,
      y = 0,
      xx = 0,
      xy = 0;
    const sizes = new Set(),
      points = [];
    for (const i of evaluation.rows) {
      const run = i.runs[score.solver],
        contacts = DATA.problems[i.problem].contacts;
      if (!solved(run) || contacts < 1 || !(RUNS.time[run] > 0)) continue;
      const a = Math.log(contacts),
        b = Math.log(RUNS.time[run]);
      (n++, (x += a), (y += b), (xx += a * a), (xy += a * b));
      sizes.add(contacts);
      points.push([contacts, RUNS.time[run]]);
    }
    const spread = n * xx - x * x;
    const exponent = sizes.size >= 3 && spread > 0 ? (n * xy - x * y) / spread : NaN;
    return {solver: score.solver, label: score.label, runs: n, exponent, factor: Math.exp((y - exponent * x) / n), points};
  });
}
