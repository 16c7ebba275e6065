"""cornet solve --explore, and the exit code of a problem that is proved to have no solution."""
import numpy as np
import pytest
from support import error, one_error, run, run_json, write_global, write_local

KEYS = {"file", "form", "dimension", "number_of_contacts", "status", "message", "solver", "tolerance", "starts", "solved", "outcomes", "complete",
        "time", "solutions"}


def rod(path, g, theta, u0, mu):
    """Painlevé's rod: one degree of freedom, normal first."""
    H = np.array([[np.sin(theta), np.cos(theta)]])
    return write_global(path, [[1.0]], H, [g * np.sin(theta)], [0, u0], [mu], dim=2)


def bead(path, angle=0.2, mu=0.5):
    c, s = np.cos(angle), np.sin(angle)
    H = np.array([[c, -s, -c, s], [s, c, s, c]])
    return write_global(path, np.eye(2), H, [0, 1], np.zeros(4), [mu, mu], dim=2)


def test_bead_has_two_motions(tmp_path):
    path = bead(tmp_path / "bead.hdf5")
    out = run_json("solve", path, "--explore", "12")
    assert set(out) == KEYS
    assert out["status"] == "solved" and out["complete"] is True and out["starts"] == 12
    assert sum(out["outcomes"].values()) == 12 and out["outcomes"].get("solved", 0) == out["solved"]
    assert len(out["solutions"]) == 2
    wedged, free = sorted(out["solutions"], key=lambda s: s["contacts"]["take_off"])
    assert free["contacts"]["take_off"] == 2 and free["r"] == [0, 0, 0, 0] and free["statuses"] == ["take_off"] * 2
    assert free["unique_reactions"] is True and free["isolated"] is True
    assert wedged["contacts"]["stick"] == 2 and np.allclose(wedged["u"], 0, atol=1e-7) and wedged["unique_reactions"] is False
    assert all(s["error"] <= out["tolerance"] for s in out["solutions"])
    # Both ways are found by restarting alone, as the paper says: which one depends on the start.
    assert wedged["found"] > 0 and free["found"] > 0
    assert sum(s["found"] for s in out["solutions"]) == out["solved"]
    # Deterministic.
    again = run_json("solve", path, "--explore", "12")
    assert again["solutions"] == out["solutions"]


def test_painleve_lifted(tmp_path):
    theta, mu = 0.3, 0.5
    path = rod(tmp_path / "rod.hdf5", 1, theta, 1, mu)
    out = run_json("solve", path, "--explore", "10")
    assert len(out["solutions"]) == 2 and out["complete"] is True
    r_y = sorted(s["r"][0] for s in out["solutions"])
    assert r_y[0] == 0 and r_y[1] == pytest.approx(np.tan(theta) / (mu - np.tan(theta)), rel=1e-7)


def test_text_and_output(tmp_path):
    path = bead(tmp_path / "bead.hdf5")
    target = tmp_path / "o.hdf5"
    done = run("solve", path, "--explore", "8", "--output", target)
    assert done.returncode == 0 and "2 distinct solutions" in done.stdout and "no others" in " ".join(done.stdout.split())
    assert run("verify", target).returncode == 0


def test_no_solution(tmp_path):
    path = rod(tmp_path / "rod.hdf5", -1, 0.3, 1, 0.5)
    for extra in (["--solver", "enumerate"], ["--explore", "3"]):
        out = run_json("solve", path, *extra, code=4)
        assert out["status"] == "no_solution"
        target = tmp_path / "o.hdf5"
        done = run("solve", path, *extra, "--output", target)
        assert done.returncode == 4 and "no_solution" in done.stdout and not target.exists()


def test_larger_problems_are_explored_without_a_promise(tmp_path):
    rng = np.random.default_rng(3)
    A = rng.normal(size=(12, 12))
    path = write_local(tmp_path / "p.hdf5", A @ A.T + np.eye(12), rng.normal(size=12), [0.3] * 4, dim=3)
    out = run_json("solve", path, "--explore", "6", "--solver", "nsgs-ac", "--tol", "1e-9")
    assert out["complete"] is False and len(out["solutions"]) == 1 and out["solutions"][0]["found"] == out["solved"] == 6
    assert out["solutions"][0]["error"] <= 1e-9


@pytest.mark.parametrize("arguments", [["--explore", "0"], ["--explore", "-1"], ["--explore", "x"], ["--explore", "3", "--history"],
                                       ["--explore", "3", "--check"]])
def test_usage(tmp_path, arguments):
    path = bead(tmp_path / "bead.hdf5")
    line = one_error(run("solve", path, *arguments), 2)
    assert "explore" in line
