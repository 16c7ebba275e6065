"""simulate, scenes, generate and view as a user meets them."""
import csv
import html
import json
import os
import re
import shutil
import subprocess

import h5py
import pytest

from support import one_error, run, run_json

BALL = {"dt": 0.01, "duration": 0.2, "bodies": [
    {"name": "ground", "kind": "fixed", "shape": {"kind": "plane"}},
    {"name": "ball", "shape": {"kind": "sphere", "radius": 0.1}, "position": [0, 0, 0.1], "velocity": [1, 0, 0]}]}


def scene_file(tmp_path, **changes):
    path = tmp_path / "scene.json"
    path.write_text(json.dumps({**BALL, **changes}))
    return path


def test_a_scene_file_runs_and_reports(tmp_path):
    out = run_json("simulate", scene_file(tmp_path), "--stats", tmp_path / "run.csv")
    assert out["outcome"] == "done" and out["step"] == 20 and out["unsolved"] == 0
    rows = list(csv.DictReader(open(tmp_path / "run.csv")))
    assert len(rows) == 20 and all(row["status"] == "solved" for row in rows)
    assert all(float(row["error"]) <= 1e-8 for row in rows)
    energy = [float(r["kinetic"]) + float(r["potential"]) + float(r["friction"]) + float(r["impact"]) for r in rows]
    assert max(energy) - min(energy) < 1e-7 * max(energy)


def test_scenes_are_listed_and_printed_as_files(tmp_path):
    names = [s["name"] for s in run_json("scenes")]
    for name in ("beads", "block-on-incline", "sliding-block", "bouncing-ball", "rolling-sphere", "funnel", "vibrating-plate", "rotating-drum",
                 "two-external-objects", "crushed-ball", "double-pendulum", "painleve-rod", "dominoes", "arch", "card-house", "chain",
                 "resting-cube", "sliding-cube", "ramp", "capstan", "redundant-stand", "hertz", "patch-test"):
        assert name in names
    path = tmp_path / "arch.json"
    path.write_text(run("scenes", "arch").stdout)
    a = run_json("simulate", path, "--steps", 3)
    b = run_json("simulate", "arch", "--steps", 3)
    assert a["energy"] == b["energy"]


def test_problems_are_dumped_and_solve_again(tmp_path):
    folder = tmp_path / "problems"
    run_json("simulate", "arch", "--set", "blocks=5", "--steps", 4, "--dump-problems", folder, "--dump-every", 2, "--dump-form", "both")
    files = sorted(os.listdir(folder))
    assert files == ["arch-000002.hdf5", "arch-000004.hdf5"]
    with h5py.File(folder / files[0]) as f:
        assert "fclib_global" in f and "fclib_local" in f and "solution" in f
    assert run_json("verify", folder / files[0])["error"] <= 1e-8


def test_a_failed_step_keeps_its_problem(tmp_path):
    done = run("simulate", "crushed-ball", cwd=tmp_path)
    assert done.returncode == 1
    kept = [name for name in os.listdir(tmp_path) if name.endswith(".hdf5")]
    assert len(kept) == 1 and kept[0] in done.stderr
    assert run_json("check", tmp_path / kept[0], code=4)["verdict"] == "impossible"


def test_records_are_equal_and_resume(tmp_path):
    a, b = tmp_path / "a.rec", tmp_path / "b.rec"
    run("simulate", "boxes-stack", "--set", "boxes=6", "--steps", 150, "--record", a)
    run("simulate", "boxes-stack", "--set", "boxes=6", "--steps", 120, "--record", b)
    with open(b, "r+b") as f:  # killed in the middle of a step
        f.truncate(os.path.getsize(b) - 11)
    out = run_json("simulate", "--resume", b, "--steps", 150)
    assert out["step"] == 150 and out["steps"] == 50
    assert a.read_bytes() == b.read_bytes()


def test_bad_usage(tmp_path):
    assert run("simulate", "no-such-scene").returncode == 2
    assert run("simulate", "arch", "--set", "stones=3").returncode == 2
    assert run("simulate").returncode == 2
    assert run("generate", "Nothing", "-o", tmp_path / "x").returncode == 2
    assert run("generate", "Bridge_PR").returncode == 2
    assert run("simulate", tmp_path / "absent.json").returncode == 3
    assert run("view", tmp_path / "absent.rec", "-o", tmp_path / "x.html").returncode == 3


def test_generate_writes_an_index(tmp_path):
    out = run_json("generate", "Bridge_PR", "--count", 4, "--output", tmp_path)
    assert out["problems"] == 4
    rows = list(csv.DictReader(open(tmp_path / "index.csv")))
    assert [r["file"] for r in rows] == [f"Bridge_PR-{k:04}.hdf5" for k in range(4)]
    for row in rows:
        info = run_json("info", tmp_path / row["file"])
        assert int(row["dofs"]) == 138 and 70 <= int(row["contacts"]) <= 108 and float(row["mu_min"]) == 0.9
        assert info["number_of_contacts"] == int(row["contacts"])


def test_the_page_of_a_record_plays(tmp_path):
    run("simulate", "arch", "--set", "mu=0.15", "--steps", 60, "--tol", "1e-4", "--record", tmp_path / "arch.rec")
    out = run_json("view", tmp_path / "arch.rec", "-o", tmp_path / "arch.html")
    assert out["frames"] == 61
    text = (tmp_path / "arch.html").read_text()
    assert "src=" not in text.split("<script>")[0] and "http" not in text.split("<script>")[0]
    chromium = shutil.which("chromium")
    if not chromium:
        pytest.skip("no chromium")
    picture = tmp_path / "arch.png"
    base = [chromium, "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--window-size=900,600",
            "--virtual-time-budget=90000", f"--user-data-dir={tmp_path / 'profile'}"]
    page = f"file://{tmp_path / 'arch.html'}#frame=50&colour=speed&chains"
    dom = subprocess.run([*base, "--dump-dom", page], capture_output=True, text=True, timeout=240).stdout
    assert 'data-ready="61"' in dom and "step 50" in dom
    subprocess.run([*base, f"--screenshot={picture}", page], capture_output=True, timeout=240)
    assert picture.stat().st_size > 20000  # an empty canvas is a few thousand bytes

    # A user's hands: play, scrub, drag, wheel, colours, chains. What the page does is written into it. Frames come from a timer: on a loaded
    # machine the virtual time is over before the browser has drawn five of its own.
    frames = "<script>window.requestAnimationFrame = (f) => setTimeout(() => f(performance.now()), 16);</script>"
    hands = """<script>
    const said = {}, wait = (ms) => new Promise((done) => setTimeout(done, ms)), touch = (type, x, y) =>
      canvas.dispatchEvent(new PointerEvent(type, {clientX: x, clientY: y, pointerId: 1, bubbles: true}));
    const pixels = () => { draw(); return canvas.toDataURL().length + ':' + canvas.toDataURL().slice(-4000); };
    (async () => {
      canvas.setPointerCapture = () => {};
      show(0); get('play').click(); said.playing = playing;
      for (let k = 0; k < 1200 && shown < 5; ++k) await wait(50);
      said.played = shown; if (playing) get('play').click();
      said.paused = !playing;
      get('scrub').value = 30; get('scrub').dispatchEvent(new Event('input')); said.scrubbed = shown;
      const before = [around, above, distance], start = pixels();
      touch('pointerdown', 400, 300); touch('pointermove', 500, 340); touch('pointerup', 500, 340);
      canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: 200}));
      said.orbit = around !== before[0] && above !== before[1] && distance > before[2] && pixels() !== start;
      said.pictures = [];
      for (const mode of ['body', 'speed', 'status']) {
        get('colour').value = mode; get('colour').dispatchEvent(new Event('change'));
        said.pictures.push(pixels()); said[mode] = get('legend').textContent;
      }
      get('chains').checked = false; get('chains').dispatchEvent(new Event('change')); const without = pixels();
      get('chains').checked = true; get('chains').dispatchEvent(new Event('change'));
      said.chains = pixels() !== without && rod.count > 0;
      said.pictures = new Set(said.pictures).size;
      document.body.dataset.said = JSON.stringify(said);
    })();</script></body>"""
    played = tmp_path / "played.html"
    played.write_text(text.replace("<script>", frames + "<script>", 1).replace("</body>", hands))
    dom = subprocess.run([*base, "--dump-dom", f"file://{played}"], capture_output=True, text=True, timeout=240).stdout
    said = json.loads(html.unescape(re.search('data-said="([^"]*)"', dom).group(1)))
    assert said["playing"] and said["paused"] and said["played"] >= 5 and said["scrubbed"] == 30
    assert said["orbit"] and said["pictures"] == 3 and said["chains"]
    assert said["status"] == "openstickslide" and said["speed"].count("m/s") == 3 and said["body"] == ""


def test_the_page_shows_solids_and_joints(tmp_path):
    chromium = shutil.which("chromium")
    if not chromium:
        pytest.skip("no chromium")
    for scene, script in (("elastic-cubes", "[fastest, solids[0].geometry.attributes.color.array[0], middles[0].z]"),
                          ("double-pendulum", "[fastest, joint_ends.length, tiny.length]")):
        record, page = tmp_path / f"{scene}.rec", tmp_path / f"{scene}.html"
        run("simulate", scene, "--steps", 20, "--record", record)
        run("view", record, "-o", page)
        page.write_text(page.read_text().replace("</body>", f"<script>document.body.dataset.said = JSON.stringify({script});</script></body>"))
        dom = subprocess.run([chromium, "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                              "--virtual-time-budget=30000", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom",
                              f"file://{page}#frame=20&colour=speed&chains"], capture_output=True, text=True, timeout=240).stdout
        assert 'data-ready="21"' in dom
        said = json.loads(html.unescape(re.search('data-said="([^"]*)"', dom).group(1)))
        if scene == "elastic-cubes":  # it falls with half a metre per second onto the other
            assert 0.1 < said[0] < 10 and 0 < said[1] < 1 and 1.4 < said[2] < 1.6
        else:
            assert said[0] > 0.1 and said[1:] == [3, 2]
