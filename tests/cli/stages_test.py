"""The path of the automatic solver in cornet solve: JSON and text."""
from support import global_file, local_file, run, run_json


def test_json_of_the_stages(tmp_path):
    path = global_file(tmp_path / "p.hdf5")
    out = run_json("solve", path, "--solver", "auto")
    stages = out["stages"]
    assert out["status"] == "solved" and len(stages) >= 1
    for stage in stages:
        assert list(stage) == ["method", "reason", "time", "iterations", "error"]
        assert stage["method"] and stage["reason"] and stage["time"] >= 0 and stage["iterations"] >= 0 and stage["error"] >= 0
    assert sum(s["time"] for s in stages) <= out["time"] + 1e-3
    assert stages[-1]["error"] <= out["tolerance"]
    assert abs(stages[-1]["error"] - out["error"]) <= 0.1 * out["error"] + 1e-14


def test_one_method_has_no_stages(tmp_path):
    path = local_file(tmp_path / "p.hdf5")
    assert run_json("solve", path, "--solver", "nsgs-ac")["stages"] == []
    assert "error after" not in run("solve", path, "--solver", "nsgs-ac", "--verbose").stdout


def test_verbose_prints_the_path(tmp_path):
    path = local_file(tmp_path / "p.hdf5")
    stages = run_json("solve", path, "--solver", "auto")["stages"]
    text = run("solve", path, "--solver", "auto", "--verbose").stdout
    lines = text.splitlines()
    head = next(k for k, line in enumerate(lines) if "error after" in line)
    assert lines[head].split() == ["stage", "method", "time", "iterations", "error", "after", "reason"]
    assert lines[head + 1].split()[:2] == ["1", stages[0]["method"]]
    assert stages[0]["reason"].split()[0] in lines[head + 1]
    assert all(len(line) < 80 for line in lines[head:])
    assert "error after" not in run("solve", path, "--solver", "auto").stdout
