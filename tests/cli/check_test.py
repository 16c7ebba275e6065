"""cornet check, and what solve says about existence. Every certificate is checked again here, with NumPy."""
import numpy as np
import pytest

from support import one_error, run, run_json, write_global, write_local


def rod(path, tan_theta, mu, u0, g=-1.0):
    """Seed 002 (4.30), normal first."""
    theta = np.arctan(tan_theta)
    return write_global(path, [[1.0]], [[np.sin(theta), np.cos(theta)]], [g * np.sin(theta)], [0, u0], [mu], dim=2)


def crushed(path, mu=0.3, speed=1.0):
    H = np.zeros((2, 4))
    H[0, 0], H[0, 2], H[1, 1], H[1, 3] = 1, -1, 1, 1
    return write_global(path, np.eye(2), H, [0, 0], [0, 0, -speed, 0], [mu, mu], dim=2), H, np.array([0, 0, -speed, 0])


def in_dual_cone(u, mu, slack):
    return all(a[0] >= m * np.linalg.norm(a[1:]) - slack for a, m in zip(u, mu))


def test_robust_verdict_carries_a_velocity_inside_the_dual_cone(tmp_path):
    rng = np.random.default_rng(3)
    M, H = np.eye(9), rng.normal(size=(9, 12))
    mu = rng.uniform(0.1, 0.9, 4)
    k = np.zeros((4, 3))
    k[:, 1:] = rng.normal(size=(4, 2))
    k[:, 0] = mu * np.linalg.norm(k[:, 1:], axis=1) + 0.5
    w = k.ravel() - H.T @ rng.normal(size=9)
    path = write_global(tmp_path / "a.hdf5", M, H, np.zeros(9), w, mu)
    out = run_json("check", path)
    assert out["verdict"] == "guaranteed_robust" and out["margin"] > 0
    assert out["certificate"]["kind"] == "velocity" and out["certificate"]["verified"]
    u = (H.T @ out["certificate"]["v"] + w).reshape(4, 3)
    assert in_dual_cone(u, mu, 0)
    text = run("check", path).stdout
    assert "guaranteed_robust" in text and "A solution exists" in text


def test_rod_fails_the_criterion_with_a_reaction(tmp_path):
    path = rod(tmp_path / "rod.hdf5", 0.5, 1.0, 1.0)
    out = run_json("check", path, code=1)
    assert out["verdict"] == "not_guaranteed" and out["margin"] == pytest.approx(-0.5, abs=1e-6)
    r = np.array(out["certificate"]["r"])
    theta = np.arctan(0.5)
    assert abs(np.array([np.sin(theta), np.cos(theta)]) @ r) < 1e-7  # H r = 0
    assert abs(r[1]) <= r[0] + 1e-7 and r[1] * 1.0 < 0               # r ∈ K, wᵀr < 0


def test_impossible_exits_4_from_check_and_from_solve(tmp_path):
    path, H, w = crushed(tmp_path / "crushed.hdf5")
    out = run_json("check", path, code=4)
    assert out["verdict"] == "impossible" and out["certificate"]["kind"] == "normal_reaction"
    r = np.array(out["certificate"]["r"])
    assert np.abs(H @ r).max() < 1e-7 and w @ r < 0 and np.abs(r[1::2]).max() == 0 and r.min() >= 0
    solved = run_json("solve", path, "--check", code=4)
    assert solved["status"] == "no_solution" and solved["existence"]["verdict"] == "impossible"
    assert run_json("solve", path, code=4)["existence"]["reason"] == "necessary_condition"  # found out after the failed solve


def test_failed_solve_says_that_a_solution_is_guaranteed(tmp_path):
    path, _, _ = crushed(tmp_path / "a.hdf5", speed=-1.0)
    H = np.eye(3)
    path = write_global(tmp_path / "b.hdf5", [[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]], H, [-3, 2, 1], [0, 0, 0], [0.5])
    out = run_json("solve", path, "--solver", "fp-ds", "--max-iterations", 1, "--tol", 1e-14, code=1)
    assert out["existence"]["verdict"] == "guaranteed_robust"
    assert "guaranteed to exist" in out["message"]


def test_local_form_says_what_it_uses(tmp_path):
    path = write_local(tmp_path / "l.hdf5", np.eye(3), [-1, 0, 0], [0.5])
    out = run_json("check", path)
    assert any("local form" in note for note in out["notes"])
    W = np.array([[2, 0.3, 0], [-0.3, 2, 0], [0, 0, 2.0]])
    path = write_local(tmp_path / "u.hdf5", W, [-1, 0, 0], [0.5])
    assert any("unsymmetric" in note for note in run_json("check", path)["notes"])


def test_bad_input(tmp_path):
    path = write_global(tmp_path / "singular.hdf5", [[1, 1], [1, 1]], np.eye(2), [0, 0], [0, 0], [0.5], dim=2)
    assert "positive definite" in one_error(run("check", path), 3, path)
    one_error(run("check", tmp_path / "none.hdf5"), 3, tmp_path / "none.hdf5")
    assert run("check", path, "--tol", "0").returncode == 2
