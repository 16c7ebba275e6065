"""cornet solve: answers, JSON, exit codes, output files."""
import json
import os

import h5py
import numpy as np
import pytest
from support import (both_file, datasets, error, global_file, local_file, one_contact, one_error, run, run_json, write_global,
                     write_guesses, write_local, write_point)

# The relaxation solves another problem on purpose; enumerate takes one contact in space only.
CASES = [(s["id"], dim) for s in json.loads(run("solvers", "--json").stdout) if s["family"] != "convex relaxation" for dim in s["dimensions"]
         if (s["id"], dim) != ("enumerate", 3)]

TYPES = {
    "file": str, "form": str, "dimension": int, "number_of_contacts": int, "status": str, "message": str, "solver": str,
    "tolerance": float, "error": float, "iterations": int, "time": float, "termination": str, "contacts": dict, "certificate": dict,
    "stages": list, "statistics": dict, "provenance": dict,
}
CERTIFICATE = {
    "error": float, "natural_map": float, "norm_q": float, "relative": bool, "cone_violation": float, "dual_violation": float,
    "complementarity": float, "dynamics": float, "worst_contact": int, "worst_value": float, "take_off": int, "stick": int, "slide": int,
}


def check_types(out, types):
    assert set(out) == set(types), set(out) ^ set(types)
    for key, kind in types.items():
        assert type(out[key]) is kind or (kind is float and type(out[key]) is int), (key, out[key])


def test_json_keys_and_types(tmp_path):
    path = global_file(tmp_path / "p.hdf5")
    out = run_json("solve", path)
    check_types(out, TYPES)
    check_types(out["certificate"], CERTIFICATE)
    check_types(out["contacts"], {"take_off": int, "stick": int, "slide": int})
    assert set(out["provenance"]) == {"version", "compiler", "threads", "options"}
    assert out["file"] == path and out["form"] == "global" and out["dimension"] == 3 and out["number_of_contacts"] == 6
    assert out["status"] == "solved" and out["error"] <= out["tolerance"] == 1e-8
    assert sum(out["contacts"].values()) == 6
    assert all(isinstance(v, (int, float)) for v in out["statistics"].values())


def test_verbose_and_history_add_keys(tmp_path):
    path = local_file(tmp_path / "p.hdf5")
    out = run_json("solve", path, "--verbose", "--history")
    assert len(out["certificate"]["statuses"]) == out["number_of_contacts"]
    assert set(out["certificate"]["statuses"]) <= {"take_off", "stick", "slide"}
    for name, count in out["contacts"].items():
        assert out["certificate"]["statuses"].count(name) == count
    assert len(out["history"]) == out["iterations"] > 0
    assert set(out["history"][0]) == {"iteration", "time", "own_residual"}


@pytest.mark.parametrize("solver, dim", CASES)
def test_every_solver_and_own_error(tmp_path, solver, dim):
    """The error in the JSON is the one that NumPy finds from the written file."""
    path = local_file(tmp_path / "p.hdf5", dim=dim, contacts=4, dofs=24, seed=5)
    target = tmp_path / "out.hdf5"
    done = run_json("solve", path, "--solver", solver, "--tol", "1e-6", "--output", target)
    assert done["solver"] == solver and done["status"] == "solved"
    own = error(path, "local", target)
    assert own <= 1e-6 and own == pytest.approx(done["error"], rel=1e-6, abs=1e-15)


def test_global_output_has_r_u_v_and_the_whole_input(tmp_path):
    path = global_file(tmp_path / "p.hdf5")
    target = tmp_path / "out.hdf5"
    done = run_json("solve", path, "--output", target)
    assert done["output"] == str(target)
    before, after = datasets(path), datasets(target)
    assert {k: v for k, v in after.items() if not k.startswith("solution")} == before
    with h5py.File(target) as f:
        assert {"r", "u", "v"} <= set(f["solution"])
        M = f["fclib_global"]
        assert len(f["solution/v"]) == int(M["M/n"][0])
    assert error(path, "global", target) == pytest.approx(done["error"], rel=1e-6, abs=1e-15)


def test_both_forms(tmp_path):
    path = both_file(tmp_path / "p.hdf5")
    assert run_json("solve", path)["form"] == "global"
    target = tmp_path / "out.hdf5"
    done = run_json("solve", path, "--form", "local", "--output", target)
    assert done["form"] == "local"
    with h5py.File(target) as f:
        assert {"fclib_local", "fclib_global"} <= set(f)
        assert set(f["solution"]) == {"r", "u"}
    assert error(path, "local", target) <= 1e-8 and error(path, "global", target) <= 1e-7


def test_output_may_be_the_input(tmp_path):
    path = local_file(tmp_path / "p.hdf5")
    assert run("solve", path, "--output", path).returncode == 0
    assert error(path, "local") <= 1e-8
    assert os.listdir(tmp_path) == ["p.hdf5"]


def test_text_names_what_matters(tmp_path):
    path = one_contact(tmp_path / "p.hdf5")
    done = run("solve", path)
    assert done.returncode == 0 and done.stderr == ""
    for word in (path, "local form, 3D, 1 contact", "✓ solved", "0 take off, 1 stick, 0 slide", "iterations", "time", "worst"):
        assert word in done.stdout, done.stdout
    assert "\033" not in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines() if path not in line)


@pytest.mark.parametrize("q, mu, status", [
    ((-1, 0.1, 0), 0.5, "stick"), ((-1, 2, 0), 0.5, "slide"), ((1, 2, 0), 0.5, "take_off"), ((-1, 0.3, 0), 0, "slide"),
    ((-1, 9, 0), np.inf, "stick"),
])
def test_one_contact_of_each_status(tmp_path, q, mu, status):
    out = run_json("solve", one_contact(tmp_path / "p.hdf5", mu, q))
    assert out["contacts"][status] == 1


def test_no_contacts(tmp_path):
    path = write_local(tmp_path / "p.hdf5", np.zeros((0, 0)), [], [])
    out = run_json("solve", path)
    assert out["status"] == "solved" and out["error"] == 0 and out["number_of_contacts"] == 0 and out["certificate"]["worst_contact"] == -1
    assert run("info", path).returncode == 0
    path = write_global(tmp_path / "g.hdf5", np.eye(3), np.zeros((3, 0)), np.ones(3), [], [])
    out = run_json("solve", path, "--output", tmp_path / "o.hdf5")
    assert out["status"] == "solved"
    with h5py.File(tmp_path / "o.hdf5") as f:
        assert f["solution/v"][...] == pytest.approx(np.ones(3))


def test_zero_q_gives_zero(tmp_path):
    path = one_contact(tmp_path / "p.hdf5", q=(0, 0, 0))
    out = run_json("solve", path, "--output", tmp_path / "o.hdf5")
    assert out["status"] == "solved" and out["error"] == 0 and out["certificate"]["relative"] is False
    with h5py.File(tmp_path / "o.hdf5") as f:
        assert not np.any(f["solution/r"][...])


def test_not_solved_is_1_with_a_hint(tmp_path):
    path = local_file(tmp_path / "p.hdf5", contacts=10, dofs=15)
    target = tmp_path / "o.hdf5"
    done = run("solve", path, "--max-iterations", "1", "--tol", "1e-12", "--solver", "fp-vi-upk", "--output", target)
    assert done.returncode == 1
    assert "✗ iteration_limit" in done.stdout and "hint" in done.stdout and "--solver" in done.stdout
    out = run_json("solve", path, "--max-iterations", "1", "--tol", "1e-12", "--solver", "fp-vi-upk", code=1)
    assert out["status"] == "iteration_limit" and out["error"] > 1e-12
    # The best point is worth keeping.
    assert error(path, "local", target) == pytest.approx(out["error"], rel=1e-6)


def test_settings_are_recorded(tmp_path):
    path = local_file(tmp_path / "p.hdf5")
    info = run_json("solvers", "nsgs-ac")[0]
    real = next(o for o in info["options"] if o["type"] in ("real", "integer", "flag", "choice"))
    value = str(real["default"]).lower() if real["type"] == "flag" else str(real["default"])
    out = run_json("solve", path, "--solver", "nsgs-ac", "--set", f"{real['name']}={value}")
    assert out["provenance"]["options"][real["name"]] == real["default"]
    assert set(out["provenance"]["options"]) == {o["name"] for o in info["options"]}
    line = one_error(run("solve", path, "--solver", "nsgs-ac", "--set", f"{real['name']}=rubbish"), 2)
    assert real["name"] in line and "rubbish" in line


def test_stored_guess(tmp_path):
    path = local_file(tmp_path / "p.hdf5")
    target = tmp_path / "o.hdf5"
    cold = run_json("solve", path, "--tol", "1e-10", "--output", target)
    with h5py.File(target) as f:
        r = f["solution/r"][...]
    # The stored solution is a guess as well; a stored guess goes first.
    assert run_json("solve", target, "--guess", "stored", "--tol", "1e-9")["iterations"] < cold["iterations"]
    write_guesses(path, {"r": r, "u": r})
    assert run_json("solve", path, "--guess", "stored", "--tol", "1e-9")["iterations"] < cold["iterations"]


def test_guess_that_is_not_there_or_does_not_fit(tmp_path):
    path = local_file(tmp_path / "p.hdf5")
    assert "guess" in one_error(run("solve", path, "--guess", "stored"), 3, path)
    write_point(path, r=[1, 2, 3])
    assert "r" in one_error(run("solve", path, "--guess", "stored"), 3, path)


def test_quiet(tmp_path):
    path = one_contact(tmp_path / "p.hdf5")
    done = run("solve", path, "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert run_json("solve", path, "--quiet")["status"] == "solved"


def test_output_is_checked_before_the_work(tmp_path):
    path = one_contact(tmp_path / "p.hdf5")
    assert "not offered" in one_error(run("solve", path, "--output", tmp_path / "o.dat"), 2)
    assert ".txt" in one_error(run("solve", path, "--output", tmp_path / "o.txt"), 2)
    target = tmp_path / "none" / "o.hdf5"
    assert "folder" in one_error(run("solve", path, "--output", target), 3, target)
    assert sorted(os.listdir(tmp_path)) == ["p.hdf5"]


def test_numbers_do_not_depend_on_the_locale(tmp_path):
    path = one_contact(tmp_path / "p.hdf5")
    for locale in ("de_DE.UTF-8", "C", "fr_FR"):
        out = run_json("solve", path, "--tol", "1e-4", env={"LC_ALL": locale, "LANG": locale})
        assert out["tolerance"] == 1e-4


def test_full_disk_is_noticed(tmp_path):
    import subprocess
    from support import CORNET
    path = one_contact(tmp_path / "p.hdf5")
    with open("/dev/full", "w") as full:
        done = subprocess.run([CORNET, "info", path], stdout=full, stderr=subprocess.PIPE, encoding="utf-8")
    assert done.returncode == 3 and "standard output" in done.stderr
