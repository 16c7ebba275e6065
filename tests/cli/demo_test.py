"""cornet demo, cornet solvers, and docs/json.md against what the program prints."""
import os
import re

import pytest
from support import SOURCE, one_contact, run, run_json, write_guesses, write_point

SOLVER_KEYS = {
    "id": str, "title": str, "family": str, "summary": str, "use_when": str, "fails_when": str, "dimensions": list, "forms": list,
    "needs_symmetry": bool, "max_iterations": int, "default": bool, "options": list, "reference": str,
}


def test_demo_solves_all():
    done = run("demo", timeout=300)
    assert done.returncode == 0, done.stdout
    assert "✗" not in done.stdout and done.stderr == ""
    assert "cornet info FILE" in done.stdout and "cornet solve FILE" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines()), done.stdout


def test_demo_json_and_files(tmp_path):
    folder = tmp_path / "problems"
    out = run_json("demo", "--output", folder, timeout=300)
    assert set(out) == {"solver", "tolerance", "problems", "solved", "results"}
    assert out["problems"] == out["solved"] == len(out["results"]) >= 6
    assert {r["dimension"] for r in out["results"]} == {2, 3} and {r["form"] for r in out["results"]} == {"local", "global"}
    for result in out["results"]:
        assert result["status"] == "solved" and result["error"] <= out["tolerance"] == 1e-8 and result["what"]
        assert os.path.dirname(result["file"]) == str(folder)
    files = sorted(os.listdir(folder))
    assert files == sorted(os.path.basename(r["file"]) for r in out["results"])
    for name in files[:3]:
        # A little room: the files may be verified by another rounding.
        assert run("verify", folder / name, "--tol", "1.01e-8").returncode == 0


def test_demo_leaves_nothing_behind(tmp_path):
    assert run("demo", "--quiet", env={"TMPDIR": str(tmp_path)}, timeout=300).stdout == ""
    assert os.listdir(tmp_path) == []


def test_demo_folder_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    done = run("demo", "--output", tmp_path / "file")
    assert done.returncode == 3 and len(done.stderr.splitlines()) == 1 and str(tmp_path / "file") in done.stderr


def test_solvers_table_and_json():
    out = run_json("solvers")
    ids = [s["id"] for s in out]
    assert {"nsgs-ac", "nsgs-exact", "nsgs-fp-vi-upk", "fp-vi-upk", "eg-vi-upk", "nsn-ac-gp"} <= set(ids)
    assert sum(s["default"] for s in out) == 1
    for solver in out:
        assert set(solver) == set(SOLVER_KEYS)
        assert all(type(solver[k]) is t for k, t in SOLVER_KEYS.items())
        assert solver["reference"] and solver["use_when"] and solver["fails_when"]
        for option in solver["options"]:
            assert {"name", "type", "default", "range", "what"} <= set(option)
            assert option["type"] in ("flag", "integer", "real", "choice")
            assert (option["type"] == "choice") == ("choices" in option)
    text = run("solvers").stdout
    for solver in out:
        assert solver["id"] in text and solver["family"] in text
    assert run("solvers", "--quiet").stdout.split() == ids
    assert all(len(line) <= 80 for line in text.splitlines())


def test_solver_page():
    for solver in run_json("solvers"):
        assert run_json("solvers", solver["id"]) == [solver]
        page = run("solvers", solver["id"]).stdout
        flat = " ".join(page.split())
        for words in (solver["title"], solver["summary"], solver["use_when"], solver["fails_when"], solver["reference"]):
            assert " ".join(words.split()) in flat
        for option in solver["options"]:
            assert f"{option['name']} = " in page
        assert all(len(line) <= 80 for line in page.splitlines())


def keys(value, free=("options", "statistics", "attributes", "matrices")):
    """All keys, but not below those whose keys are data."""
    if isinstance(value, list):
        return set().union(*(keys(v) for v in value))
    if not isinstance(value, dict):
        return set()
    return set(value).union(*(keys(v) for k, v in value.items() if k not in free or isinstance(v, list)))


def test_every_key_is_documented(tmp_path):
    page = open(os.path.join(SOURCE, "docs", "json.md"), encoding="utf-8").read()
    documented = set(re.findall(r"`([A-Za-z_0-9]+)`", page))
    path = write_guesses(write_point(one_contact(tmp_path / "p.hdf5"), r=[1, -0.1, 0], u=[0, 0, 0]), {"r": [0, 0, 0], "u": [0, 0, 0]})
    used = keys(run_json("info", path)) | keys(run_json("verify", path, "--verbose"))
    used |= keys(run_json("solvers")) | keys(run_json("--version"))
    used |= keys(run_json("solve", path, "--verbose", "--history", "--output", tmp_path / "o.hdf5"))
    used |= keys(run_json("convert", path, tmp_path / "o.hdf5")) | keys(run_json("info", "none", code=3))
    assert used <= documented, used - documented


@pytest.mark.parametrize("command", [["solvers"], ["--version"], ["solvers", "nsgs-ac"]])
def test_json_is_all_there_is(command):
    done = run(*command, "--json")
    assert done.stderr == "" and done.stdout[0] in "[{" and done.stdout.rstrip()[-1] in "]}"
