"""Figures with matplotlib: profiles of campaigns, convergence, contact forces, the landscape of φ. Every function draws on `ax` (the
current axes when it is None) and returns it."""
from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ._core import Problem
from ._errors import Error, InvalidProblem, WrongType
from ._files import performance_profile
from ._simulate import Simulation
from ._solve import Result, solve_convex

try:
    import matplotlib.pyplot as plt
except ImportError as missing:
    raise ImportError("cornet.plot needs matplotlib (Debian: python3-matplotlib, pip: cornet[plot])") from missing

__all__ = ["contact_forces", "convergence", "friction_disk", "phi", "phi_landscape", "profile_curves", "profiles"]

_COLOURS = {"take_off": "#999999", "stick": "#0072B2", "slide": "#D55E00"}


def _axes(ax: Any) -> Any:
    return plt.gca() if ax is None else ax


def profile_curves(records: Sequence[Mapping[str, Any]], by: str = "time") -> List[Dict[str, Any]]:
    """Performance profiles of the records of read_records(), as `cornet bench profile` computes them: of several records of a solver on an
    instance (problem × tolerance) the last one counts, instances that some solver did not run on are left out. by: 'time', 'iterations'
    or 'products'."""
    floors = {"time": 0.0, "iterations": 1.0, "products": 1.0}
    if by not in floors:
        raise InvalidProblem(f"by: found {by!r}, expected time, iterations or products")
    solvers: List[str] = []
    costs: Dict[Tuple[str, float], Dict[str, float]] = {}
    for record in records:
        label = record.get("label") or record["solver"]
        if label not in solvers:
            solvers.append(label)
        value = record.get(by)
        value = record.get("statistics", {}).get(by) if value is None and by == "products" else value
        cost = np.inf if value is None or record["status"] != "solved" else max(float(value), floors[by])
        costs.setdefault((record["problem_hash"], record["tolerance"]), {})[label] = cost
    table = [[row[name] for name in solvers] for row in costs.values() if len(row) == len(solvers)]
    if not table:
        raise InvalidProblem(f"records: found no instance that all of {len(solvers)} solvers ran on, expected one at least")
    return performance_profile(table, solvers)


def profiles(records: Sequence[Mapping[str, Any]], by: str = "time", *, most: float = 100.0, ax: Any = None) -> Any:
    """Performance profiles: for each solver the share of instances that it solves at no more than τ times the cost of the best. `most`:
    largest τ."""
    ax = _axes(ax)
    for curve in sorted(profile_curves(records, by), key=lambda c: -float(c["rho"][-1]) if len(c["rho"]) else 0.0):
        tau = np.concatenate([[1.0], curve["tau"], [max(most, *curve["tau"], 1.0)]])
        rho = np.concatenate([[0.0], curve["rho"], curve["rho"][-1:] if len(curve["rho"]) else [0.0]])
        ax.step(tau, rho, where="post", label=curve["solver"])
    ax.set_xscale("log")
    ax.set_xlim(1, most)
    ax.set_ylim(0, 1.02)
    ax.set_xlabel(f"τ: {by} relative to the best")
    ax.set_ylabel("share of instances solved")
    ax.legend(loc="lower right")
    return ax


def convergence(results: Any, *, against: str = "iteration", ax: Any = None) -> Any:
    """History of one Result or several (a list, or a dict label → Result), solved with history=True. The dots are the certified errors."""
    if against not in ("iteration", "time"):
        raise InvalidProblem(f"against: found {against!r}, expected iteration or time")
    if isinstance(results, Result):
        results = {results.solver: results}
    elif not isinstance(results, Mapping):
        results = {result.solver: result for result in results}
    ax = _axes(ax)
    for label, result in results.items():
        if result.history is None or not len(result.history["iteration"]):
            raise InvalidProblem(f"results: found no history in '{label}', expected solve(…, history=True)")
        line, = ax.plot(result.history[against], result.history["own_residual"], lw=1.2, label=label)
        ax.plot(result.history[against][-1:], [max(result.error, 1e-17)], "o", color=line.get_color())
    tolerance = min(result.tolerance for result in results.values())
    ax.axhline(tolerance, color="#555555", ls=":", lw=1, label=f"tolerance {tolerance:.0e}")
    ax.set_yscale("log")
    ax.set_xlabel("iteration" if against == "iteration" else "time in s")
    ax.set_ylabel("residual of the solver; dot: certified error")
    ax.legend()
    return ax


def contact_forces(simulation: Simulation, *, plane: str = "xz", scale: Optional[float] = None, ax: Any = None) -> Any:
    """The contact impulses of the last step of a simulation, seen along an axis (in the plane: as they are). Thickness and length grow with
    the force, colours say what each contact does. plane: 'xy', 'xz' or 'yz'; scale: metres per N·s."""
    if not isinstance(simulation, Simulation):
        raise WrongType(f"simulation: found an object of type {type(simulation).__name__}, expected a Simulation")
    plane = "xy" if simulation.dim == 2 else plane
    if len(plane) != 2 or not set(plane) <= set("xyz"):
        raise InvalidProblem(f"plane: found {plane!r}, expected xy, xz or yz")
    pick = ["xyz".index(letter) for letter in plane]
    contacts, bodies = simulation.contacts, simulation.bodies
    centres = bodies["centre"][bodies["mass"] > 0][:, pick]
    ax = _axes(ax)
    ax.plot(*centres.T, "+", color="#bbbbbb", ms=5, zorder=1)
    points, forces = contacts["point"][:, pick], contacts["reaction"][:, pick]
    status = np.array(contacts["status"], dtype=str)
    size = np.linalg.norm(contacts["reaction"], axis=1)
    largest = size.max(initial=0.0)
    if scale is None:
        extent = np.ptp(np.vstack([points, centres]), axis=0).max() if len(points) else 1.0
        scale = 0.25 * extent / largest if largest > 0 else 1.0
    for name, colour in _COLOURS.items():
        mask = status == name
        ax.plot(*points[mask].T, ".", color=colour, ms=4, zorder=3, label=f"{name.replace('_', ' ')} ({mask.sum()})")
        for point, force, weight in zip(points[mask], forces[mask], size[mask]):
            if weight > 1e-9 * largest:
                ends = np.array([point - 0.5 * scale * force, point + 0.5 * scale * force])
                ax.plot(*ends.T, color=colour, lw=0.6 + 2.4 * weight / largest, solid_capstyle="round", zorder=2)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel(f"{plane[0]} in m")
    ax.set_ylabel(f"{plane[1]} in m")
    ax.set_title(f"contact forces after step {simulation.steps}, largest {largest:.3g} N·s")
    ax.legend()
    return ax


def friction_disk(problem: Problem, x: Result, *, ax: Any = None) -> Any:
    """Every contact in the section of its cone: r_T / (μ r_N), inside the disk where it sticks, on its edge where it slides. Contacts
    without reaction or with μ = 0 or ∞ are left out."""
    r, mu = x.r.reshape(-1, problem.dim), problem.mu
    shown = (r[:, 0] > 1e-12 * max(r[:, 0].max(initial=0.0), 1e-300)) & (mu > 0) & np.isfinite(mu)
    tangent = r[shown, 1:] / (mu[shown] * r[shown, 0])[:, None]
    statuses = x.certificate.statuses[shown]
    ax = _axes(ax)
    angle = np.linspace(0, 2 * np.pi, 200)
    if problem.dim == 3:
        ax.plot(np.cos(angle), np.sin(angle), color="#555555", lw=1)
    else:
        ax.plot([-1, 1], [0, 0], color="#555555", lw=1)
        tangent = np.column_stack([tangent[:, 0], np.zeros(len(tangent))])
    weight = r[shown, 0] / r[shown, 0].max() if shown.any() else r[shown, 0]
    for name in ("stick", "slide"):
        mask = statuses == name
        ax.scatter(*tangent[mask].T, s=6 + 60 * weight[mask], color=_COLOURS[name], alpha=0.6, lw=0, label=f"{name} ({mask.sum()})")
    ax.set_aspect("equal")
    ax.set_xlabel("r_T1 / (μ r_N)")
    ax.set_ylabel("r_T2 / (μ r_N)" if problem.dim == 3 else "")
    ax.legend()
    return ax


def phi(problem: Problem, s: Any, tol: float = 1e-9) -> float:
    """Cadoux's function φ(s) = ½ Σ (s − ‖ũ_T(s)‖)² of sliding velocities s (nc,), from one convex problem; NaN where that has no solution.
    φ = 0 exactly at the solutions of the friction problem."""
    s = np.ascontiguousarray(s, dtype=float)
    answer = solve_convex(problem, s, tol=tol)
    if answer.status != "optimal":
        return float("nan")
    slip = np.linalg.norm(answer.u.reshape(-1, problem.dim)[:, 1:], axis=1)
    return float(0.5 * np.sum((s - slip)**2))


def phi_landscape(problem: Problem, first: Iterable[float], second: Optional[Iterable[float]] = None, *, contacts: Tuple[int, int] = (0, 1),
                  at: Any = None, tol: float = 1e-9, ax: Any = None) -> Any:
    """φ over the sliding velocity `first` of one contact (a curve), or over those of two contacts (a map). `contacts` says which; the
    others stay at `at` (nc,), zero by default."""
    ax = _axes(ax)
    base = np.zeros(problem.contacts) if at is None else np.array(at, dtype=float)
    x = np.asarray(list(first), dtype=float)
    y = None if second is None else np.asarray(list(second), dtype=float)
    if problem.contacts == 0 or (y is not None and problem.contacts < 2):
        raise InvalidProblem(f"problem: found {problem.contacts} contacts, expected {1 if y is None else 2} at least")

    def value(*coordinates: float) -> float:
        s = base.copy()
        for contact, coordinate in zip(contacts, coordinates):
            s[contact] = coordinate
        return phi(problem, s, tol)

    if y is None:
        ax.plot(x, [value(a) for a in x])
        ax.set_xlabel(f"s{contacts[0]}: sliding velocity of contact {contacts[0]}")
        ax.set_ylabel("φ")
        ax.set_ylim(bottom=0)
        return ax
    grid = np.array([[value(a, b) for a in x] for b in y])
    if not np.isfinite(grid).any():
        raise Error("phi_landscape: found no point with a solution of the convex problem, expected one at least")
    image = ax.contourf(x, y, grid, levels=24, cmap="viridis")
    ax.contour(x, y, grid, levels=12, colors="white", linewidths=0.5)
    ax.figure.colorbar(image, ax=ax, label="φ")
    ax.set_xlabel(f"s{contacts[0]}")
    ax.set_ylabel(f"s{contacts[1]}")
    return ax
