// The plots of the page, and the small helpers that everything on it uses.
'use strict';

const get = (id) => document.getElementById(id);
const make = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.filter((c) => c !== null));
  return node;
};
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const PALETTE = [
  '#2f7ed8',
  '#e4572e',
  '#1a9850',
  '#9b59b6',
  '#c9a227',
  '#17a2b8',
  '#d6336c',
  '#7f5539',
  '#5c7cfa',
  '#74b816',
  '#f08c00',
  '#868e96',
];
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
const colour = (s) => PALETTE[s % PALETTE.length];
const dash = (s) => DASHES[Math.floor(s / PALETTE.length) % DASHES.length];

function seconds(t) {
  if (!Number.isFinite(t)) return '–';
  if (t < 1e-3) return (1e6 * t).toPrecision(3) + ' µs';
  if (t < 1) return (1e3 * t).toPrecision(3) + ' ms';
  return t.toPrecision(3) + ' s';
}
const plain = (x, digits = 3) =>
  x === null || x === undefined || Number.isNaN(x) ? '–' : typeof x === 'string' ? x : String(Number(x.toPrecision(digits)));
const costText = (x, by) => (by === 'time' ? seconds(x) : plain(x));
const percent = (x) => (100 * x).toFixed(1) + ' %';

// Plots. All of them are drawn anew on a change.
const charts = {};
function chart(id, options, data) {
  charts[id] = new Chart(get(id), options, data);
}
function noChart(id, why) {
  delete charts[id];
  get(id).textContent = why;
}
const look = (solver) => ({label: DATA.solvers[solver].label, stroke: colour(solver), dash: dash(solver)});

function profileChart(evaluation) {
  const scores = evaluation.scores.filter((s) => s.ratios.length);
  if (!scores.length) {
    noChart('profile-chart', 'Nothing is solved in this selection: there is no profile to draw.');
    return;
  }
  let widest = 2,
    jumps = new Set([1]);
  for (const s of scores) {
    widest = Math.max(widest, s.ratios[s.ratios.length - 1]);
    for (const r of s.ratios) jumps.add(r);
  }
  widest = Math.min(widest * 1.1, 1e6);
  // Every jump where there are few; a fine grid where nobody could tell the difference.
  let tau = [...jumps, widest].filter((t) => t <= widest).sort((a, b) => a - b);
  if (tau.length > 4000) tau = Array.from({length: 1500}, (_, k) => Math.pow(widest, k / 1499));
  chart(
    'profile-chart',
    {
      x: {label: 'τ', log: true, format: plain},
      y: {label: 'ρ(τ)', low: 0, high: 1.02},
      series: scores.map((s) => ({...look(s.solver), width: 2, stepped: true, format: (v) => v.toFixed(3)})),
    },
    [tau, ...scores.map((s) => tau.map((t) => rho(s, t)))],
  );
}
function zoom(factor) {
  const shown = charts['profile-chart'];
  if (!shown) return;
  const top = shown.fullX.high;
  shown.setRange(1, factor === 0 ? top : Math.min(top, Math.max(1.2, Math.pow(shown.x.high, factor))));
}

// Heat map on a canvas: rows by set, columns by solver.
const map = {row: 0, column: 0};
function heatMap(evaluation) {
  const canvas = get('map'),
    scores = evaluation.scores;
  const order = evaluation.rows
    .map((_, k) => k)
    .sort((a, b) => {
      const p = DATA.problems[evaluation.rows[a].problem],
        q = DATA.problems[evaluation.rows[b].problem];
      return p.set < q.set ? -1 : p.set > q.set ? 1 : evaluation.rows[a].tolerance - evaluation.rows[b].tolerance || a - b;
    });
  const most = 8000,
    stride = Math.ceil(order.length / most) || 1; // canvases have a largest size
  map.rows = order.filter((_, k) => k % stride === 0);
  const onPaper = document.documentElement.classList.contains('paper'); // where it must fit on a page
  map.height = Math.max(1, Math.min(14, Math.floor((onPaper ? 640 : 2400) / (map.rows.length || 1))));
  map.width = Math.max(10, Math.min(40, Math.floor((onPaper ? 480 : 900) / (scores.length || 1))));
  map.left = 150;
  map.evaluation = evaluation;
  const font = '11px system-ui, sans-serif';
  const names = scores.map((s) => (s.label.length > 36 ? s.label.slice(0, 35) + '…' : s.label));
  const g = canvas.getContext('2d');
  g.font = font;
  map.top = Math.ceil(16 + Math.sin(Math.PI / 3) * names.reduce((most, name) => Math.max(most, g.measureText(name).width), 0));
  canvas.width = map.left + map.width * scores.length + 60;
  canvas.height = map.top + map.height * map.rows.length + 10;
  g.clearRect(0, 0, canvas.width, canvas.height);
  g.fillStyle = style('--fore');
  g.font = font;
  names.forEach((name, c) => {
    g.save();
    g.translate(map.left + map.width * (c + 0.6), map.top - 4);
    g.rotate(-Math.PI / 3);
    g.fillText(name, 0, 0);
    g.restore();
  });
  const grey = style('--line');
  let named = null;
  map.rows.forEach((k, r) => {
    const row = evaluation.rows[k],
      set = DATA.problems[row.problem].set,
      y = map.top + r * map.height;
    if (set !== named) {
      g.fillStyle = style('--fore');
      g.fillText(set.slice(0, 22), 4, y + 9);
      g.fillRect(0, y, map.left + map.width * scores.length, 0.5);
      named = set;
    }
    scores.forEach((s, c) => {
      const t = cost(row.runs[s.solver], evaluation.by),
        ratio = t / evaluation.best[k];
      g.fillStyle = Number.isFinite(ratio) ? `hsl(${130 - 65 * Math.min(2, Math.log10(ratio))} 65% 48%)` : grey;
      g.fillRect(map.left + c * map.width, y, map.width - 1, Math.max(1, map.height - 1));
    });
  });
  map.row = Math.min(map.row, Math.max(0, map.rows.length - 1));
  map.column = Math.min(map.column, Math.max(0, scores.length - 1));
  get('cell').textContent = stride > 1 ? `every ${stride}th of ${order.length} instances is shown` : '';
}
function tellCell() {
  const e = map.evaluation,
    k = map.rows[map.row],
    score = e.scores[map.column];
  if (k === undefined || !score) return;
  const row = e.rows[k],
    run = row.runs[score.solver],
    p = DATA.problems[row.problem];
  const t = cost(run, e.by);
  get('cell').textContent =
    `${p.set} / ${p.name}, tolerance ${plain(DATA.tolerances[row.tolerance])}, ${score.label}: ${DATA.statuses[RUNS.status[run]]}, ` +
    (Number.isFinite(t) ? `${costText(t, e.by)}, ${plain(t / e.best[k])} times the best` : `after ${seconds(RUNS.time[run])}`) +
    `, error ${plain(RUNS.error[run])}`;
}
get('map').addEventListener('mousemove', (event) => {
  const c = Math.floor((event.offsetX - map.left) / map.width),
    r = Math.floor((event.offsetY - map.top) / map.height);
  if (c < 0 || r < 0 || c >= map.evaluation.scores.length || r >= map.rows.length) return;
  map.column = c;
  map.row = r;
  tellCell();
});
get('map').addEventListener('keydown', (event) => {
  const move = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]}[event.key];
  if (!move) return;
  event.preventDefault();
  map.row = Math.max(0, Math.min(map.rows.length - 1, map.row + move[0]));
  map.column = Math.max(0, Math.min(map.evaluation.scores.length - 1, map.column + move[1]));
  tellCell();
});

// Runs as points, fits as lines.
function sizeChart(evaluation) {
  const fits = growth(evaluation).filter((f) => f.points.length);
  get('growth').replaceChildren(
    make('thead', {}, make('tr', {}, ...['solver', 'exponent p', 'solved runs'].map((t, k) => make('th', {class: k ? 'n' : null}, t)))),
    make(
      'tbody',
      {},
      ...fits.map((f) =>
        make(
          'tr',
          {'data-solver': f.label, 'data-exponent': f.exponent},
          make('td', {}, f.label),
          make('td', {class: 'n'}, Number.isNaN(f.exponent) ? 'too few sizes' : f.exponent.toFixed(2)),
          make('td', {class: 'n'}, String(f.runs)),
        ),
      ),
    ),
  );
  if (!fits.length) {
    noChart('size-chart', 'Nothing is solved in this selection.');
    return;
  }
  let low = Infinity,
    high = 0,
    least = Infinity,
    most = 0;
  for (const f of fits)
    for (const [n, t] of f.points) {
      low = Math.min(low, n);
      high = Math.max(high, n);
      least = Math.min(least, t);
      most = Math.max(most, t);
    }
  if (high === low) {
    low = Math.max(0.5, low / 2);
    high *= 2;
  }
  const drawPoints = (shown) => {
    const g = shown.context;
    g.save();
    g.globalAlpha = 0.55;
    for (const f of fits) {
      g.fillStyle = colour(f.solver);
      for (const [n, t] of f.points) g.fillRect(shown.px(n) - 2, shown.py(t) - 2, 4, 4);
    }
    g.restore();
  };
  chart(
    'size-chart',
    {
      x: {label: 'contacts', log: true, format: plain, low: low / 1.2, high: high * 1.2},
      y: {label: 'time', log: true, format: seconds, low: least / 1.5, high: most * 1.5},
      series: fits.map((f) => ({...look(f.solver), format: seconds})),
      draw: drawPoints,
    },
    [[low, high], ...fits.map((f) => [low, high].map((n) => (Number.isNaN(f.exponent) ? null : f.factor * Math.pow(n, f.exponent))))],
  );
}

function historyControls() {
  const names = new Map();
  DATA.histories.forEach((h, k) => {
    const problem = DATA.problems[RUNS.problem[h.run]];
    const name = `${problem.set} / ${problem.name}, tolerance ${plain(DATA.tolerances[RUNS.tolerance[h.run]])}`;
    if (!names.has(name)) names.set(name, []);
    names.get(name).push(k);
  });
  for (const [name, runs] of names) get('history-problem').append(make('option', {value: runs.join(' ')}, name));
  get('history-problem').addEventListener('change', historyChart);
  get('history-x').addEventListener('change', historyChart);
}
function historyChart() {
  const numbers = get('history-problem')
    .value.split(' ')
    .filter((t) => t !== '')
    .map(Number);
  const column = Number(get('history-x').value);
  get('history-shown').textContent = numbers.length ? get('history-problem').selectedOptions[0].textContent : '';
  const shown = numbers.map((k) => DATA.histories[k]).filter((h) => state.solvers.has(RUNS.solver[h.run]));
  if (!shown.length) {
    noChart(
      'history-chart',
      DATA.histories.length
        ? 'No selected solver has a history of this problem.'
        : 'The records have no histories (cornet bench run --history keeps them).',
    );
    return;
  }
  const x = [...new Set(shown.flatMap((h) => h.points.map((p) => p[column])))].filter((v) => v !== null).sort((a, b) => a - b);
  const series = shown.map((h) => {
    const at = new Map(h.points.map((p) => [p[column], p[2]]));
    return x.map((v) => {
      const y = at.get(v);
      return y === undefined || y === null || y <= 0 ? undefined : y;
    });
  });
  chart(
    'history-chart',
    {
      x: {label: column ? 'time' : 'iterations', format: column ? seconds : undefined},
      y: {label: 'own residual', log: true, format: (v) => v.toExponential(0)},
      series: shown.map((h) => ({...look(RUNS.solver[h.run]), points: h.points.length < 40, format: (v) => v.toExponential(2)})),
    },
    [x, ...series],
  );
}
