// The page: controls and tables over evaluate() of report_evaluate.js, with the plots of report_plots.js.
'use strict';

// Controls: every one is a real checkbox or radio button, so the keyboard works.
const SETS = [...new Set(DATA.problems.map((p) => p.set))].sort();
const FAMILIES = [...new Set(DATA.solvers.map((s) => s.family))];
const state = {by: 'time', solvers: new Set(DATA.solvers.keys()), sets: new Set(SETS), tolerances: new Set(DATA.tolerances.keys())};
const boxes = new Map();

function checkbox(parent, text, kind, key, on, change, swatch) {
  const box = make('input', {
    type: 'checkbox',
    'data-kind': kind,
    'data-key': key,
    onchange: () => {
      change(box.checked);
      update();
    },
  });
  box.checked = on;
  boxes.set(`${kind}/${key}`, box);
  get(parent).append(make('label', {}, box, ' ', swatch ? make('span', {class: 'swatch', style: `background:${swatch}`}) : null, text));
}
const put = (set, value, on) => (on ? set.add(value) : set.delete(value));

function controls() {
  for (const by of ['time', 'iterations', 'products']) {
    const radio = make('input', {
      type: 'radio',
      name: 'by',
      value: by,
      onchange: () => {
        state.by = by;
        update();
      },
    });
    radio.checked = by === state.by;
    get('by').append(make('label', {}, radio, ' ' + (by === 'products' ? 'products with W' : by)));
  }
  DATA.tolerances.forEach((t, k) => checkbox('tolerances', plain(t), 'tolerance', k, true, (on) => put(state.tolerances, k, on)));
  for (const set of SETS) checkbox('sets', set, 'set', set, true, (on) => put(state.sets, set, on));
  for (const family of FAMILIES)
    checkbox('families', family, 'family', family, true, (on) =>
      DATA.solvers.forEach((s, k) => {
        if (s.family === family) toggle(k, on);
      }),
    );
  DATA.solvers.forEach((s, k) => checkbox('solvers', s.label, 'solver', s.label, true, (on) => toggle(k, on), colour(k)));
  get('all').addEventListener('click', () => {
    DATA.solvers.forEach((s, k) => toggle(k, true));
    update();
  });
  get('none').addEventListener('click', () => {
    DATA.solvers.forEach((s, k) => toggle(k, false));
    update();
  });
  get('zoom-in').addEventListener('click', () => zoom(0.5));
  get('zoom-out').addEventListener('click', () => zoom(2));
  get('zoom-reset').addEventListener('click', () => zoom(0));
}
function toggle(k, on) {
  put(state.solvers, k, on);
  boxes.get(`solver/${DATA.solvers[k].label}`).checked = on;
  const family = DATA.solvers[k].family;
  boxes.get(`family/${family}`).checked = DATA.solvers.some((s, j) => s.family === family && state.solvers.has(j));
}

function scoreTable(evaluation) {
  const columns = [
    ['solver', (s) => s.label],
    ['family', (s) => s.family],
    ['solved', (s) => s.solved],
    ['failed', (s) => s.failure_rate],
    ['best', (s) => rho(s, 1)],
    ['ρ(2)', (s) => rho(s, 2)],
    ['ρ(10)', (s) => rho(s, 10)],
    ['mean', (s) => s.mean],
    ['false claims', (s) => s.false_claims],
  ];
  const texts = [
    (s) => s.label,
    (s) => s.family,
    (s) => `${s.solved} / ${s.instances}`,
    (s) => percent(s.failure_rate),
    (s) => percent(rho(s, 1)),
    (s) => rho(s, 2).toFixed(3),
    (s) => rho(s, 10).toFixed(3),
    (s) => costText(s.mean, evaluation.by),
    (s) => s.false_claims || '',
  ];
  const rows = [...evaluation.scores];
  const order = scoreTable.order || (scoreTable.order = {column: 7, down: false});
  const value = columns[order.column][1];
  rows.sort((a, b) => (value(a) > value(b) ? 1 : value(a) < value(b) ? -1 : 0) * (order.down ? -1 : 1));
  const head = make(
    'tr',
    {},
    ...columns.map(([name], k) =>
      make(
        'th',
        {class: k > 1 ? 'n' : null, 'aria-sort': order.column === k ? (order.down ? 'descending' : 'ascending') : null},
        make(
          'button',
          {
            onclick: () => {
              order.down = order.column === k && !order.down;
              order.column = k;
              scoreTable(evaluation);
            },
          },
          name,
        ),
      ),
    ),
  );
  get('scores').replaceChildren(
    make('thead', {}, head),
    make(
      'tbody',
      {},
      ...rows.map((s) =>
        make(
          'tr',
          {'data-solver': s.label, 'data-solved': s.solved, 'data-mean': s.mean, 'data-rho1': rho(s, 1), 'data-rho2': rho(s, 2)},
          ...texts.map((text, k) =>
            make(
              'td',
              {class: k > 1 ? 'n' : null},
              k === 0 ? make('span', {class: 'swatch', style: `background:${colour(s.solver)}`}) : '',
              String(text(s)),
            ),
          ),
        ),
      ),
    ),
  );
}

function insight() {
  const I = DATA.insight;
  if (I.missing) get('advice').append(make('li', {}, 'No advice: ' + I.missing));
  for (const a of I.advice)
    get('advice').append(
      make(
        'li',
        {'data-situation': a.situation, 'data-solver': a.solver},
        make('b', {}, a.situation),
        ` (${a.instances} instances): `,
        ...(a.solver
          ? [
              make('b', {}, a.solver),
              ` (${a.solved} solved, mean ${seconds(a.mean)})`,
              a.alternative ? `; else ${a.alternative} (${a.alternative_solved}, ${seconds(a.alternative_mean)})` : '',
            ]
          : ['no solver solved any of them']),
      ),
    );
  const part = get('explanations');
  if (!I.explanations.length) {
    part.append(make('p', {}, 'Too few instances, or one family wins everywhere: there is nothing to explain.'));
    return;
  }
  const status = I.explanations.filter((e) => e.variable.includes('contacts (share)')),
    other = I.explanations.filter((e) => !e.variable.includes('contacts (share)'));
  const best = (list) => (list.length ? list[0] : null);
  const a = best(status),
    b = best(other);
  const word = !a
    ? 'The statuses are not known.'
    : a.explained < 0.05
      ? 'Hardly:'
      : b && b.explained > a.explained
        ? 'In part, but something else explains more:'
        : 'More than anything else that was recorded:';
  part.append(
    make(
      'p',
      {id: 'verdict'},
      make('b', {}, word + ' '),
      a ? `${a.variable} removes ${percent(Math.max(0, a.explained))} of the uncertainty about the winning family` : '',
      b ? `; ${b.variable} removes ${percent(Math.max(0, b.explained))}.` : '.',
    ),
  );
  part.append(
    make(
      'p',
      {class: 'note'},
      'Problems in thirds by each property; the figure is mutual information over entropy, less what shuffled thirds give. ' +
        'Wins: instances on which the fastest solver is of that family.',
    ),
  );
  for (const e of I.explanations)
    part.append(
      make(
        'table',
        {'data-variable': e.variable},
        make(
          'thead',
          {},
          make(
            'tr',
            {},
            make('th', {}, `${e.variable} (explains ${percent(Math.max(0, e.explained))})`),
            ...I.families.map((f) => make('th', {class: 'n'}, f)),
          ),
        ),
        make(
          'tbody',
          {},
          ...e.classes.map((c) =>
            make(
              'tr',
              {},
              make('td', {}, `${plain(c.lower)} … ${plain(c.upper)}`),
              ...c.wins.map((w) => make('td', {class: 'n'}, String(w))),
            ),
          ),
        ),
      ),
    );
}

const FIRST_ROWS = 300;
function problemTable(all) {
  const rows = all ? DATA.problems : DATA.problems.slice(0, FIRST_ROWS);
  const names = [
    'set',
    'problem',
    'form',
    'd',
    'contacts',
    'dofs',
    'm / rank',
    'm / n',
    'condition',
    'asymmetry',
    'µ',
    'take-off, stick, slide',
  ];
  const mix = (p) => {
    if (p.take_off === null) return ['not solved'];
    const n = Math.max(1, p.take_off + p.stick + p.slide),
      part = (count, c) => make('span', {style: `width:${(100 * count) / n}%;background:${c}`});
    return [
      make('span', {class: 'mix', 'aria-hidden': 'true'}, part(p.take_off, '#8a94a6'), part(p.stick, '#2f7ed8'), part(p.slide, '#e4572e')),
      ` ${p.take_off}, ${p.stick}, ${p.slide}`,
    ];
  };
  get('problem-table').replaceChildren(
    make('thead', {}, make('tr', {}, ...names.map((t, k) => make('th', {class: k > 2 && k < 11 ? 'n' : null}, t)))),
    make(
      'tbody',
      {},
      ...rows.map((p) =>
        make(
          'tr',
          {},
          ...[p.set, p.name, p.form].map((t) => make('td', {}, t)),
          ...[
            p.dimension,
            p.contacts,
            p.dofs,
            p.rank_ratio,
            p.density,
            p.condition,
            p.asymmetry,
            p.mu_min === p.mu_max ? p.mu_min : `${plain(p.mu_min)}…${plain(p.mu_max)}`,
          ].map((v) => make('td', {class: 'n'}, plain(v))),
          make('td', {}, ...mix(p)),
        ),
      ),
    ),
  );
  const more = get('more-problems');
  more.hidden = all || DATA.problems.length <= FIRST_ROWS;
  more.textContent = `Show all ${DATA.problems.length}`;
  get('problems-shown').textContent = more.hidden ? '' : `The first ${FIRST_ROWS} of ${DATA.problems.length}.`;
}

function update() {
  const evaluation = evaluate({
    by: state.by,
    solvers: [...state.solvers].sort((a, b) => a - b),
    sets: [...state.sets],
    tolerances: [...state.tolerances],
  });
  const out = [`${evaluation.scores.length} solvers on ${evaluation.rows.length} instances by ${state.by}`];
  if (evaluation.unsolved) out.push(`${evaluation.unsolved} solved by nobody`);
  if (evaluation.incomplete) out.push(`${evaluation.incomplete} left out, since not every selected solver ran on them`);
  if (evaluation.left.length)
    out.push(`without ${evaluation.left.map((s) => DATA.solvers[s].label).join(', ')}, which count no ${state.by} or solved nothing`);
  get('selection').textContent = out.join('; ') + '.';
  profileChart(evaluation);
  scoreTable(evaluation);
  heatMap(evaluation);
  sizeChart(evaluation);
  historyChart();
  document.body.dataset.instances = evaluation.rows.length;
}

get('title').textContent = DATA.title;
get('summary').textContent =
  `${RUNS.solver.length} runs: ${DATA.solvers.length} solvers, ${DATA.problems.length} problems in ${SETS.length} sets, ` +
  `tolerances ${DATA.tolerances.map((t) => plain(t)).join(' and ')}. Every error is certified by the harness.`;
controls();
insight();
historyControls();
problemTable(false);
get('more-problems').addEventListener('click', () => problemTable(true));
get('sources').replaceChildren(
  make('thead', {}, make('tr', {}, ...['program', 'compiler', 'processor', 'runs', 'binary (hash)'].map((t) => make('th', {}, t)))),
  make(
    'tbody',
    {},
    ...DATA.sources.map((s) => make('tr', {}, ...[s.program, s.compiler, s.cpu, String(s.runs), s.binary].map((t) => make('td', {}, t)))),
  ),
);
update();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', update);

// The style sheet cannot reach into a canvas: it is drawn again in the colours of paper, and back.
function paper(on) {
  document.documentElement.classList.toggle('paper', on);
  for (const shown of Object.values(charts)) shown.draw();
  heatMap(map.evaluation);
}
addEventListener('beforeprint', () => paper(true));
addEventListener('afterprint', () => paper(false));
let resizing = 0;
addEventListener('resize', () => {
  clearTimeout(resizing);
  resizing = setTimeout(update, 150);
});
document.body.dataset.ready = 'yes';
