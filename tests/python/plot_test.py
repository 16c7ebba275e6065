"""Figures: each is drawn, has what it says, and refuses what it cannot draw."""
import subprocess
import sys

import numpy as np
import pytest

import cornet

plt = pytest.importorskip("matplotlib.pyplot")
BAD_BOY = cornet.GlobalProblem([[2.0, -3.0], [-3.0, 5.0]], [[0.0, 1.0], [1.0, 0.0]], [1.0, 0.0], [0.0, 0.0], 1.0, dim=2)


@pytest.fixture
def ax():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def save(ax, path):
    ax.figure.savefig(path, dpi=60)
    assert path.stat().st_size > 3000
    pixels = plt.imread(path)[..., :3]
    assert pixels.std() > 0.02, "not blank"


def record(solver, problem, time, status="solved", tolerance=1e-4):
    return {"solver": solver, "label": solver, "problem_hash": problem, "tolerance": tolerance, "status": status, "time": time,
            "iterations": 3}


def test_profiles(ax, tmp_path):
    records = [record("a", "p", 1.0), record("b", "p", 2.0), record("a", "q", 4.0), record("b", "q", 1.0), record("a", "r", 1.0),
               record("b", "r", 9.0, "time_limit"), record("a", "alone", 1.0), record("a", "p", 1.0)]
    curves = {c["solver"]: c for c in cornet.plot.profile_curves(records)}
    assert curves["a"]["tau"].tolist() == [1, 4] and curves["a"]["rho"] == pytest.approx([2 / 3, 1])
    assert curves["b"]["tau"].tolist() == [1, 2] and curves["b"]["rho"] == pytest.approx([1 / 3, 2 / 3])
    assert cornet.plot.profiles(records, ax=ax) is ax and len(ax.lines) == 2
    save(ax, tmp_path / "p.png")
    with pytest.raises(cornet.InvalidProblem, match="by: found 'cost'"):
        cornet.plot.profile_curves(records, "cost")
    with pytest.raises(cornet.InvalidProblem, match="records: found no instance"):
        cornet.plot.profile_curves([record("a", "p", 1.0), record("b", "q", 1.0)])


def test_convergence(ax, tmp_path):
    p = cornet.samples()["box-stack-8"]
    results = [cornet.solve(p, solver=s, history=True, max_iterations=500) for s in ("nsgs-ac", "spg")]
    for argument in (results, results[0], {"Gauss–Seidel": results[0]}):
        ax.clear()
        cornet.plot.convergence(argument, ax=ax)
        assert ax.get_yscale() == "log"
    cornet.plot.convergence(results, against="time", ax=ax)
    save(ax, tmp_path / "c.png")
    with pytest.raises(cornet.InvalidProblem, match="history=True"):
        cornet.plot.convergence(cornet.solve(p), ax=ax)
    with pytest.raises(cornet.InvalidProblem, match="against: found"):
        cornet.plot.convergence(results, against="error", ax=ax)


def test_contact_forces(ax, tmp_path):
    simulation = cornet.simulate("arch", steps=3)
    cornet.plot.contact_forces(simulation, ax=ax)
    assert len(ax.lines) > simulation.reports[-1]["contacts"] / 2
    save(ax, tmp_path / "f.png")
    with pytest.raises(cornet.WrongType, match="simulation: found"):
        cornet.plot.contact_forces(None)
    with pytest.raises(cornet.InvalidProblem, match="plane: found 'up'"):
        cornet.plot.contact_forces(simulation, plane="up", ax=ax)


def test_friction_disk(ax, tmp_path):
    for name in ("sphere-lattice-5x5x3", "sphere-lattice-mixed", "sphere-lattice-smooth", "random-2d-30", "weightless-stack"):
        p = cornet.samples()[name]
        ax.clear()
        cornet.plot.friction_disk(p, cornet.solve(p), ax=ax)
        for points in ax.collections:
            distance = np.linalg.norm(np.ma.getdata(points.get_offsets()), axis=1)
            assert (distance < 1 + 1e-6).all(), "inside the cones"
    save(ax, tmp_path / "d.png")


def test_phi(ax, tmp_path):
    """Closed form of seed 001 §5.4."""
    for s in (0.0, 0.5, 1.5, 3.0, 5.0, 7.0):
        assert cornet.plot.phi(BAD_BOY, [s], tol=1e-13) == pytest.approx(0.5 * (1 + s)**2 if s <= 2 else 0.5 * (s - 5)**2, abs=1e-5)
    cornet.plot.phi_landscape(BAD_BOY, np.linspace(0, 8, 21), ax=ax)
    y = ax.lines[0].get_ydata()
    assert y.argmin() in (13, 14) or y[13] < 0.1
    save(ax, tmp_path / "l.png")


def test_phi_over_two_contacts(ax, tmp_path):
    H = np.array([[0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, -1.0], [0.0, 1.0, 0.0, 1.0]])
    bead = cornet.GlobalProblem(np.diag([1.0, 1.0, 0.5]), H, [1.0, 1.0, 0.0], np.zeros(4), [2.0, 2.0], dim=2)
    assert cornet.plot.phi(bead, [0, 0]) == pytest.approx(0, abs=1e-6) and cornet.plot.phi(bead, [1, 1]) == pytest.approx(0, abs=1e-6)
    cornet.plot.phi_landscape(bead, np.linspace(0, 1.5, 7), np.linspace(0, 1.5, 7), ax=ax)
    save(ax, tmp_path / "m.png")
    with pytest.raises(cornet.InvalidProblem, match="problem: found 1 contacts, expected 2"):
        cornet.plot.phi_landscape(BAD_BOY, [0.0], [0.0], ax=ax)
    nowhere = cornet.LocalProblem(np.zeros((4, 4)), [-1.0, 0.0, -1.0, 0.0], 0.0, dim=2)
    with pytest.raises(cornet.Error, match="phi_landscape: found no point"):
        cornet.plot.phi_landscape(nowhere, [0.0, 1.0], [0.0, 1.0], ax=ax)


def test_matplotlib_is_optional():
    code = ("import sys; sys.modules['matplotlib'] = None\nimport cornet\nassert cornet.solve(cornet.samples()['random-2d-30']).solved\n"
            "try:\n    cornet.plot\nexcept ImportError as error:\n    print(error)")
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert "cornet.plot needs matplotlib" in out.stdout, out
