"""cornet convex as a user meets it: engines, sets, sliding velocities from the file and the command line, exit codes, JSON."""
import json

import numpy as np
import pytest

import support
from support import one_error, run, run_json

ENGINES = ["interior-point", "projected-gradient", "accelerated-gradient", "faceted"]


def test_text_says_optimal(tmp_path):
    path = support.global_file(tmp_path / "a.hdf5")
    done = run("convex", path)
    assert done.returncode == 0
    for word in ("optimal", "gap", "objective", "interior-point"):
        assert word in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_give_the_closed_form(tmp_path, engine):
    """W = I: the answer is the projection of −(q + µ s e) on the cone."""
    path = support.one_contact(tmp_path / "a.hdf5", mu=0.5, q=(-1.0, 2.0, 0.0))
    for s in (0.0, 0.7):
        tolerance = "1e-6" if engine == "faceted" else "1e-10"
        out = run_json("convex", path, "--s", s, "--engine", engine, "--tol", tolerance, "--verbose")
        expected = support.project(-np.array([-1.0 + 0.5 * s, 2.0, 0.0]), 0.5)
        assert np.linalg.norm(np.array(out["r"]) - expected) < (2e-3 if engine == "faceted" else 2e-5)
        assert out["status"] == "optimal" and out["certificate"]["verified"] and out["engine"] == engine
        assert abs(out["certificate"]["dual_objective"] - 0.5 * expected @ expected) < 1e-5


def test_sets(tmp_path):
    path = support.one_contact(tmp_path / "a.hdf5", q=(-2.0, 3.0, 0.0))
    r = {over: run_json("convex", path, "--over", over, "--radius", 1, "--normal", 4, "--verbose", "--tol", "1e-12")["r"]
         for over in ("half_line", "cylinder", "disk")}
    assert np.allclose(r["half_line"], [2, 0, 0], atol=1e-5)
    assert np.allclose(r["cylinder"], [2, -1, 0], atol=1e-5)
    assert np.allclose(r["disk"], [4, -1, 0], atol=1e-5)


def test_stored_sliding_velocity_gives_back_coulombs_solution(tmp_path):
    path = support.global_file(tmp_path / "a.hdf5")
    solved = str(tmp_path / "b.hdf5")
    run_json("solve", path, "--tol", "1e-10", "--output", solved)
    out = run_json("convex", solved, "--s", "stored", "--tol", "1e-12", "--verbose")
    with support.h5py.File(solved) as f:
        assert np.allclose(out["u"], f["solution/u"][...], atol=1e-5)
    assert max(out["s"]) > 0
    warm = run_json("convex", solved, "--s", "stored", "--guess", "stored", "--engine", "projected-gradient")
    assert warm["iterations"] <= 2


def test_infeasible_is_exit_4_with_a_ray(tmp_path):
    path = support.write_local(tmp_path / "a.hdf5", np.diag([0.0, 1.0, 1.0]), [-1.0, 0.0, 0.0], [0.5])
    for engine in ENGINES:
        out = run_json("convex", path, "--engine", engine, code=4)
        assert out["status"] == "infeasible" and out["certificate"]["verified"]
        assert abs(out["certificate"]["ray"][0] - 1) < 1e-6
    assert "infeasible" in run("convex", path).stdout
    assert run_json("convex", path, "--s", 3)["status"] == "optimal"


def test_limits_are_exit_1(tmp_path):
    path = support.endless_file(tmp_path / "a.hdf5", contacts=30)
    out = run_json("convex", path, "--engine", "projected-gradient", "--max-iterations", 5, "--history", code=1)
    assert out["status"] == "iteration_limit" and out["iterations"] == 5 and len(out["history"]) == 5


def test_polygons_are_said_to_be_another_problem(tmp_path):
    path = support.one_contact(tmp_path / "a.hdf5", q=(-1.0, 2.0, 1.0))
    out = run_json("convex", path, "--engine", "faceted", "--set", "column_generation=false", code=1)
    assert out["status"] == "inaccurate" and "polygons" in out["message"]


def test_unsymmetric_is_unsupported(tmp_path):
    W = np.eye(3)
    W[0, 1], W[1, 0] = 0.5, -0.5
    path = support.write_local(tmp_path / "a.hdf5", W, [-1.0, 0.1, 0.0], [0.5])
    for engine in ENGINES:
        out = run_json("convex", path, "--engine", engine, code=1)
        assert out["status"] == "unsupported" and "symmetric" in out["message"]


def test_list(tmp_path):
    out = json.loads(run("convex", "--list", "--json").stdout)
    assert [e["id"] for e in out] == ENGINES
    assert any(o["name"] == "facets" for o in out[3]["options"])
    assert "accelerated-gradient" in run("convex", "--list").stdout


@pytest.mark.parametrize("words, text", [
    (["--engine", "simplex"], "engine 'simplex' is unknown"),
    (["--over", "ball"], "--over: found 'ball'"),
    (["--s", "1,2"], "found 2 numbers, expected one or 1"),
    (["--s", "fast"], "found 'fast', expected numbers"),
    (["--s", "-1"], "--s"),
    (["--radius", "-1"], "--radius"),
    (["--set", "facets=2", "--engine", "faceted"], "option 'facets'"),
    (["--set", "facets"], "expected OPTION=VALUE"),
    (["--guess", "old"], "expected zero or stored"),
    (["--tol", "0"], "--tol"),
])
def test_usage_errors(tmp_path, words, text):
    path = support.one_contact(tmp_path / "a.hdf5")
    assert text in one_error(run("convex", path, *words), 2)


def test_bad_input(tmp_path):
    path = support.one_contact(tmp_path / "a.hdf5")
    assert "no stored solution" in one_error(run("convex", path, "--s", "stored"), 3, path)
    one_error(run("convex", tmp_path / "none.hdf5"), 3, str(tmp_path / "none.hdf5"))
    assert "FILE is missing" in one_error(run("convex"), 2)
