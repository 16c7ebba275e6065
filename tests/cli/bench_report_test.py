"""The report page of a campaign in headless Chromium: numbers as in the JSON, switches that are clicked, paper, no errors, no network."""
import json
import re
import shutil
import subprocess

import pytest
from support import local_file, run, run_json

# Runs in the page itself: collects errors from the start, clicks a real checkbox at the end and keeps what the page shows before and after.
WATCH = """<script>window.PROBLEMS = [];
addEventListener('error', (e) => PROBLEMS.push(String(e.message)));
addEventListener('unhandledrejection', (e) => PROBLEMS.push(String(e.reason)));
for (const kind of ['error', 'warn']) { const old = console[kind]; console[kind] = (...a) => { PROBLEMS.push(a.join(' ')); old(...a); }; }
</script>"""
CLICK = """<script>
const rows = () => [...document.querySelectorAll('#scores tbody tr')].map((r) => ({...r.dataset, text: r.textContent}));
const before = rows();
document.querySelector('input[data-kind=solver][data-key="nsgs-ac"]').click();
const after = rows();
document.querySelector('input[data-kind=family][data-key="splitting"]').click();
document.querySelector('input[data-kind=family][data-key="splitting"]').click();
const again = rows();
document.querySelector('input[value=iterations]').click();
const iterations = rows();
document.querySelector('input[value=time]').click();
document.getElementById('zoom-in').click();
document.getElementById('map').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));
const shown = {before, after, again, iterations, problems: PROBLEMS, cell: document.getElementById('cell').textContent,
  growth: [...document.querySelectorAll('#growth tbody tr')].map((r) => ({...r.dataset})),
  advice: [...document.querySelectorAll('#advice li')].map((r) => ({...r.dataset})), canvases: document.querySelectorAll('canvas').length,
  table: document.querySelectorAll('#problem-table tbody tr').length,
  histories: document.querySelectorAll('#history-problem option').length};
document.body.append(Object.assign(document.createElement('pre'), {id: 'shown', textContent: JSON.stringify(shown)}));
</script></body>"""

# What the style of paper hides, whether the heads of the tables stay, what sticks out or is cut, and the colours.
PAPER = """<script>
const hidden = (node) => node.getClientRects().length === 0;
const all = (selector) => [...document.querySelectorAll(selector)];
const ink = () => {  // pixels of the heat map as light as the text of the dark scheme
  const c = document.getElementById('map'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
  let light = 0;
  for (let k = 0; k < d.length; k += 4) light += d[k + 3] > 200 && Math.min(d[k], d[k + 1], d[k + 2]) > 215;
  return light;
};
const before = {ink: ink(), height: document.getElementById('map').height};
dispatchEvent(new Event('beforeprint'));
const shown = {problems: PROBLEMS, before, ink: ink(), colour: getComputedStyle(document.body).color,
  controls: all('fieldset, nav, .controls, .hint, select, input, #zoom-in, #more-problems').map((n) => [n.id || n.tagName, hidden(n)]),
  heads: all('#scores th').map((n) => n.innerText), history: document.getElementById('history-shown').innerText,
  wide: all('table, canvas').filter((n) => n.getBoundingClientRect().right > innerWidth + 1).map((n) => n.id || n.outerHTML.slice(0, 80)),
  cut: all('.scroll').filter((n) => getComputedStyle(n).overflowY !== 'visible').length, tall: document.getElementById('map').clientHeight};
dispatchEvent(new Event('afterprint'));
shown.after = {ink: ink(), height: document.getElementById('map').height};
document.body.append(Object.assign(document.createElement('pre'), {id: 'shown', textContent: JSON.stringify(shown)}));
</script></body>"""
DARK = "--blink-settings=preferredColorScheme=0"


def chromium(tmp_path, page, *extra):
    program = shutil.which("chromium")
    if not program:
        pytest.skip("no chromium")
    command = [program, "--headless", "--no-sandbox", "--window-size=1100,1600", "--virtual-time-budget=20000",
               f"--user-data-dir={tmp_path / 'profile'}", *extra, f"file://{page}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=240).stdout


def report(tmp_path, records, name="page.html"):
    done = run("bench", "report", records, "-o", tmp_path / name)
    assert done.returncode == 0, done.stderr
    return tmp_path / name


def shown(tmp_path, page, script=CLICK, *extra, media="screen"):
    text = page.read_text()
    if media == "print":  # the rules of paper on the screen
        assert text.count("@media print {") == 1
        text = text.replace("@media print {", "@media all {")
    watched = tmp_path / "watched.html"
    watched.write_text(text.replace("<head>", "<head>" + WATCH, 1).replace("</body>", script))
    dom = chromium(tmp_path, watched, "--dump-dom", *extra)
    found = re.search(r'<pre id="shown">(.*?)</pre>', dom, re.S)
    assert found, dom[-2000:]
    return json.loads(found.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))


@pytest.fixture
def campaign(tmp_path):
    for seed, contacts in ((1, 6), (2, 6), (3, 9), (4, 12)):
        local_file(tmp_path / f"p{seed}.hdf5", seed=seed, contacts=contacts)
    path = tmp_path / "records.jsonl"
    spec = {"problems": [{"files": f"{tmp_path}/p*.hdf5", "set": "a </script> name"}],  # must not end the script
            "solvers": ["nsgs-ac", "nsn-ac", "fp-ds", "ppa-nsn-ac-gp"], "time_limit": 1, "repeat": 1, "history": True}
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    run_json("bench", "run", tmp_path / "spec.json", "--records", path)
    return path


def test_the_page_shows_the_numbers_of_the_profile(tmp_path, campaign):
    page = report(tmp_path, campaign)
    text = page.read_text()
    markup = re.sub(r"<script.*?</script>", "", text, flags=re.S)
    assert "http" not in markup and "src=" not in markup and not re.search(r"@[A-Z_]+@", markup)
    out = shown(tmp_path, page)
    assert out["problems"] == []
    profile = run_json("bench", "profile", campaign)

    def agree(rows, scores, curves):
        assert {r["solver"] for r in rows} == {s["name"] for s in scores}
        for row in rows:
            score = next(s for s in scores if s["name"] == row["solver"])
            curve = next(c for c in curves if c["solver"] == row["solver"])
            for tau, key in ((1, "rho1"), (2, "rho2")):
                rho = max([r for t, r in zip(curve["tau"], curve["rho"]) if t <= tau], default=0)
                assert float(row[key]) == pytest.approx(rho, abs=1e-15)
            assert int(row["solved"]) == score["solved"] and float(row["mean"]) == pytest.approx(score["mean"], rel=1e-12)
            assert f"{score['solved']} / {score['instances']}" in row["text"]

    agree(out["before"], profile["solvers"], profile["curves"])
    fewer = run_json("bench", "profile", campaign, "--solvers", "nsn-ac,fp-ds,ppa-nsn-ac-gp")
    agree(out["after"], fewer["solvers"], fewer["curves"])
    assert {r["solver"] for r in out["again"]} <= {r["solver"] for r in out["before"]}
    by_iterations = run_json("bench", "profile", campaign, "--by", "iterations", "--solvers", ",".join(r["solver"] for r in out["again"]))
    agree(out["iterations"], by_iterations["solvers"], by_iterations["curves"])
    by_time = run_json("bench", "profile", campaign, "--solvers", ",".join(r["solver"] for r in out["again"]))
    exponents = {g["solver"]: g["exponent"] for g in by_time["growth"]}
    for row in out["growth"]:
        if exponents[row["solver"]] is not None:
            assert float(row["exponent"]) == pytest.approx(exponents[row["solver"]], rel=1e-9)
    assert [(a["situation"], a["solver"]) for a in out["advice"]] == [(a["situation"], a["solver"]) for a in profile["insight"]["advice"]]
    assert out["canvases"] >= 4 and out["table"] == 4 and out["histories"] == 8
    assert "times the best" in out["cell"] or "after" in out["cell"]


def test_the_page_is_drawn_in_both_schemes(tmp_path, campaign):
    page = report(tmp_path, campaign)
    for name, extra in (("light", []), ("dark", [DARK])):
        picture = tmp_path / f"{name}.png"
        chromium(tmp_path, page, f"--screenshot={picture}", *extra)
        assert picture.stat().st_size > 30000  # a page without plots is far smaller


def test_the_page_prints_light_and_whole_and_without_controls(tmp_path, campaign):
    page = report(tmp_path, campaign)
    out = shown(tmp_path, page, PAPER, DARK, "--window-size=700,1000", media="print")
    assert out["problems"] == [] and len(out["controls"]) > 10
    assert [name for name, gone in out["controls"] if not gone] == []
    assert out["heads"] == ["solver", "family", "solved", "failed", "best", "ρ(2)", "ρ(10)", "mean", "false claims"]
    assert out["history"]  # the choice itself is hidden: the paper says what is drawn
    assert out["wide"] == [] and out["cut"] == 0 and out["tall"] < 900  # a page is 1000 pixels high or more
    assert out["colour"] == "rgb(0, 0, 0)"

    # On the screen the dark scheme stays; the canvases are drawn for paper before it prints, and back.
    out = shown(tmp_path, page, PAPER, DARK)
    assert [name for name, gone in out["controls"] if gone and name != "more-problems"] == []
    assert out["before"]["ink"] > 50 and out["ink"] == 0 and out["after"] == out["before"]

    paper = tmp_path / "page.pdf"
    chromium(tmp_path, page, f"--print-to-pdf={paper}", "--no-pdf-header-footer", DARK)
    text = paper.read_bytes()
    assert text.startswith(b"%PDF") and 2 <= len(re.findall(rb"/Type\s*/Page\b(?!s)", text)) <= 6


def test_nothing_solved_and_a_single_solver_still_make_a_page(tmp_path):
    local_file(tmp_path / "p.hdf5")
    path = tmp_path / "records.jsonl"
    run_json("bench", "run", "--problems", tmp_path / "p.hdf5", "--solvers", "nsgs-ac", "--records", path, "--max-iterations", 1,
             "--tol", "1e-14")
    out = shown(tmp_path, report(tmp_path, path).with_name("page.html"))
    assert out["problems"] == [] and len(out["before"]) == 1 and out["before"][0]["solved"] == "0" and out["table"] == 1
