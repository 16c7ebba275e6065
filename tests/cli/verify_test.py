"""cornet verify."""
import h5py
import numpy as np
import pytest
from support import both_file, error, global_file, local_file, one_contact, one_error, run, run_json, write_point

KEYS = {"file", "form", "dimension", "number_of_contacts", "solution", "verified", "tolerance", "error", "contacts", "certificate", "bipotential"}


def test_good_and_bad(tmp_path):
    path = write_point(one_contact(tmp_path / "p.hdf5"), r=[1, -0.1, 0], u=[0, 0, 0])
    out = run_json("verify", path)
    assert set(out) == KEYS and out["verified"] is True and out["error"] < 1e-15 and out["contacts"]["stick"] == 1
    bad = write_point(one_contact(tmp_path / "q.hdf5"), r=[1.001, -0.1, 0], u=[0, 0, 0])
    out = run_json("verify", bad, code=1)
    assert out["verified"] is False and out["error"] == pytest.approx(error(bad, "local"))
    # u = (0.001, 0, 0) belongs to this r; the file says 0.
    assert out["certificate"]["dynamics"] > 1e-4
    done = run("verify", bad)
    assert done.returncode == 1 and "✗" in done.stdout and "does not belong" in done.stdout
    assert run("verify", bad, "--tol", "0.01").returncode == 0


@pytest.mark.parametrize("make, form", [(local_file, "local"), (global_file, "global"), (both_file, "global"), (both_file, "local")])
def test_solve_then_verify(tmp_path, make, form):
    path = make(tmp_path / "p.hdf5")
    target = tmp_path / "o.hdf5"
    solved = run_json("solve", path, "--output", target, "--form", form)
    out = run_json("verify", target, "--form", form)
    assert out["error"] == pytest.approx(solved["error"], rel=1e-6, abs=1e-16)
    assert out["certificate"]["dynamics"] < 1e-10
    assert run_json("verify", path, "--solution", target, "--form", form)["error"] == out["error"]


def test_the_other_file_cannot_change_the_question(tmp_path):
    path = one_contact(tmp_path / "p.hdf5")
    other = write_point(one_contact(tmp_path / "q.hdf5", q=(0, 0, 0)), r=[0, 0, 0])
    assert run("verify", other).returncode == 0
    assert run("verify", path, "--solution", other).returncode == 1


def test_nothing_stored(tmp_path):
    path = one_contact(tmp_path / "p.hdf5")
    assert "/solution" in one_error(run("verify", path), 3, path)
    other = one_contact(tmp_path / "q.hdf5")
    assert "/solution" in one_error(run("verify", path, "--solution", other), 3, other)
    out = run_json("verify", path, code=3)
    assert out["exit"] == 3 and out["error"].startswith(path)


def test_wrong_length(tmp_path):
    path = one_contact(tmp_path / "p.hdf5")
    other = write_point(local_file(tmp_path / "q.hdf5"), r=np.zeros(18), u=np.zeros(18))
    line = one_error(run("verify", path, "--solution", other), 3, other)
    assert "18" in line and "3" in line and "r" in line


def test_reactions_that_are_not_finite(tmp_path):
    path = write_point(one_contact(tmp_path / "p.hdf5"), r=[1, np.nan, 0])
    one_error(run("verify", path), 3, path)


def test_text(tmp_path):
    path = write_point(one_contact(tmp_path / "p.hdf5"), r=[1, -0.1, 0], u=[0, 0, 0])
    done = run("verify", path)
    for word in ("✓", "natural map", "cone", "dynamics", "1 stick"):
        assert word in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines() if path not in line)
    assert run("verify", path, "--quiet").stdout == ""


def test_statuses_with_verbose(tmp_path):
    path = write_point(one_contact(tmp_path / "p.hdf5"), r=[1, -0.1, 0])
    assert run_json("verify", path, "--verbose")["certificate"]["statuses"] == ["stick"]
    with h5py.File(path) as f:
        assert "u" not in f["solution"]


def test_bipotential(tmp_path):
    # W = I, q = (−1, 0.5, 0), μ = 0.3: slides with r = (1, −0.3, 0), u_T = 0.2; a point inside the cone with the same r_N has a gap.
    write = lambda name, r: write_point(one_contact(tmp_path / name, q=(-1, 0.5, 0), mu=0.3), r=r)
    good = run_json("verify", write("a.hdf5", [1, -0.3, 0]))["bipotential"]
    assert abs(good["total"]) < 1e-15 and good["infeasible"] == 0 and good["worst_contact"] == 0
    assert good["value"] == pytest.approx(0.3 * 0.2) and "gaps" not in good
    r_T, u_T = -0.1, 0.4
    inside = run_json("verify", write("b.hdf5", [1, r_T, 0]), "--verbose", code=1)["bipotential"]
    gap = r_T * u_T + 0.3 * u_T
    assert inside["total"] == pytest.approx(gap) and inside["worst_gap"] == pytest.approx(gap) and inside["gaps"] == pytest.approx([gap])
    outside = write("c.hdf5", [0.9, -0.5, 0])
    assert run_json("verify", outside, code=1)["bipotential"]["infeasible"] == 1
    assert "infinite at 1 contact" in " ".join(run("verify", outside).stdout.split())
