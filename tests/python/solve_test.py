"""Solving from Python: answers that are known, every attribute, every keyword."""
import inspect
import json
import math

import numpy as np
import pytest

import cornet

SLIDING = cornet.LocalProblem(np.eye(3), [-1.0, 3.0, 0.0], [0.5])


def wedge():
    """The bead in a corner: one solution at rest, one that takes off."""
    H = np.array([[0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, -1.0], [0.0, 1.0, 0.0, 1.0]])
    return cornet.GlobalProblem(np.diag([1.0, 1.0, 0.5]), H, [1.0, 1.0, 0.0], np.zeros(4), [2.0, 2.0], dim=2)


def test_a_contact_that_slides():
    x = cornet.solve(SLIDING)
    assert x.status == "solved" and x.solved and x.error <= 1e-8 and x.solver == "auto" and x.tolerance == 1e-8
    assert np.allclose(x.r, [1, -0.5, 0]) and np.allclose(x.u, [0, 2.5, 0]) and x.v is None and x.lambda_ is None
    assert x.contacts == {"take_off": 0, "stick": 0, "slide": 1} and list(x.certificate.statuses) == ["slide"]
    assert x.existence is None and x.quality is None and x.termination == "converged" and x.time > 0
    assert x.provenance["version"] == cornet.__version__ and x.statistics["certify_time"] > 0
    assert repr(x).startswith("<cornet.Result: solved by auto, error ")
    assert np.array_equal(cornet.velocities(SLIDING, x), x.u)


def test_every_sample():
    for name, problem in cornet.samples().items():
        x = cornet.solve(problem)
        assert x.solved, name
        again = cornet.certify(problem, x.r)
        assert again.error == x.error and np.array_equal(again.statuses, x.certificate.statuses)
        assert cornet.certify(problem, x).dynamics < 1e-9, "u and v are those of r"
        if problem.form == "global":
            G = 0 if problem.G is None else problem.G @ x.lambda_
            assert np.allclose(problem.M @ x.v, problem.H @ x.r + problem.f + G, rtol=1e-9, atol=1e-9 * abs(problem.f).max())


def test_certificate_says_how_wrong_a_point_is():
    c = cornet.certify(SLIDING, [0.0, 0.0, 0.0], u=[1.0, 0.0, 0.0])
    assert c.error > 0.1 and c.dynamics > 0.1 and c.worst_contact == 0 and c.norm_q == pytest.approx(math.sqrt(10))
    assert c.error == pytest.approx(c.natural_map / c.norm_q)


def test_options_are_keywords():
    p = cornet.samples()["box-stack-8"]
    x = cornet.solve(p, solver="psor-ac", tol=1e-4, omega=1.2, max_iterations=100000)
    assert x.provenance["options"]["omega"] == 1.2 and x.solver == "psor-ac"
    for solver in cornet.solvers():
        values = {option["name"]: option["default"] for option in solver["options"]}
        used = cornet.solve(p, solver=solver["id"], max_iterations=1, check=None, **values).provenance["options"]
        assert used == values, solver["id"]


def test_no_option_has_the_name_of_an_argument():
    """Else it could not be given as a keyword."""
    taken = set(inspect.signature(cornet.solve).parameters) | set(inspect.signature(cornet.explore).parameters)
    for solver in cornet.solvers():
        assert not taken & {option["name"] for option in solver["options"]}, solver["id"]
    taken = set(inspect.signature(cornet.solve_convex).parameters)
    for engine in cornet.engines():
        assert not taken & {option["name"] for option in engine["options"]}, engine["id"]
    taken = set(inspect.signature(cornet.simulate).parameters) | set(inspect.signature(cornet.Simulation).parameters)
    for scene in cornet.scenes():
        assert not taken & {parameter["name"] for parameter in scene["parameters"]}, scene["name"]


def test_guess():
    p = cornet.samples()["box-stack-8"]
    x = cornet.solve(p, solver="nsgs-ac", max_iterations=100000)
    for guess in (x, x.r, x.r.tolist(), {"r": x.r}):
        assert cornet.solve(p, solver="nsgs-ac", guess=guess).iterations < x.iterations / 2


def test_limits_are_statuses():
    p = cornet.samples()["box-stack-8"]
    x = cornet.solve(p, solver="nsgs-ac", max_iterations=3)
    assert x.status == "iteration_limit" and x.iterations == 3 and not x.solved and x.error > 1e-8
    assert x.existence.verdict.startswith("guaranteed"), "after a failure the question is asked"
    assert cornet.solve(p, solver="nsgs-ac", max_iterations=3, check=None).existence is None
    assert cornet.solve(p, solver="nsgs-ac", tol=1e-15, max_iterations=10**9, time_limit=0.05).status == "time_limit"
    assert cornet.solve(p, check=True).existence.certificate.verified


def test_history_and_callback():
    p = cornet.samples()["box-stack-8"]
    seen = []
    x = cornet.solve(p, solver="nsgs-ac", history=True, max_iterations=100000, callback=lambda *entry: seen.append(entry))
    assert len(seen) == x.iterations == len(x.history["iteration"])
    assert [entry[0] for entry in seen] == x.history["iteration"].tolist()
    assert [entry[2] for entry in seen] == x.history["own_residual"].tolist()
    stopped = cornet.solve(p, solver="nsgs-ac", callback=lambda i, t, residual: i < 4)
    assert stopped.status == "interrupted" and stopped.iterations == 4
    assert cornet.solve(p).history is None


def test_exception_in_the_callback_comes_out():
    def fail(*entry):
        raise LookupError("from inside")
    with pytest.raises(LookupError, match="from inside") as caught:
        cornet.solve(cornet.samples()["box-stack-8"], solver="nsgs-ac", callback=fail)
    assert caught.value.result.status == "interrupted" and caught.value.result.iterations == 1


def test_a_callback_may_solve():
    inner = []
    cornet.solve(cornet.samples()["box-stack-8"], solver="nsgs-ac", max_iterations=5, check=None,
                 callback=lambda *entry: inner.append(cornet.solve(SLIDING).solved))
    assert inner == [True] * 5


def test_quality():
    p = cornet.samples()["box-stack-8"]
    x = cornet.solve(p, quality=True)
    assert x.quality.reactions_unique is False and x.quality.margins.shape == (32,) and x.quality.attainable_error < 1e-8
    assert np.array_equal(cornet.assess(p, x).margins, x.quality.margins) and len(x.to_dict()["quality"]["contacts"]) == 32


def test_session_repeats_itself():
    problems = [p for p in cornet.samples().values() if p.dim == 3]
    session = cornet.Session("nsgs-ac", tol=1e-6, max_iterations=100000, check=None)
    for p in problems:
        fresh = cornet.solve(p, "nsgs-ac", 1e-6, max_iterations=100000, check=None)
        assert session.solve(p).error == pytest.approx(fresh.error, rel=1e-6, abs=1e-12)


def test_existence():
    rod = cornet.LocalProblem(np.zeros((2, 2)), [-1.0, 0.0], [0.5], dim=2)
    e = cornet.check_existence(rod)
    assert e.verdict == "impossible" and e.margin < 0 and e.certificate.verified and e.certificate.kind == "normal_reaction"
    assert np.allclose(e.certificate.r, [1, 0]) and json.dumps(e.to_dict(), allow_nan=False)
    assert cornet.solve(rod).status == "no_solution"
    free = cornet.check_existence(SLIDING, shortcuts=False)
    assert free.verdict == "guaranteed_robust" and free.reason != cornet.check_existence(SLIDING).reason and 0 < free.margin <= 1


def test_several_solutions():
    p = wedge()
    every = cornet.enumerate_solutions(p)
    assert every["complete"] and not every["impossible"] and len(every["solutions"]) == 2
    speeds = sorted(np.hypot(*s["v"][:2]) for s in every["solutions"])
    assert speeds == pytest.approx([0, math.sqrt(2)], abs=1e-9)
    found = cornet.explore(p, starts=6)
    assert found["complete"] and len(found["solutions"]) == 2 and found["starts"] == 6
    assert all(s["certificate"].error < 1e-8 for s in found["solutions"])


def test_convex_problem():
    x = cornet.solve(SLIDING)
    slip = np.linalg.norm(x.u.reshape(-1, 3)[:, 1:], axis=1)
    for engine in cornet.engines():
        y = cornet.solve_convex(SLIDING, slip, engine=engine["id"], tol=1e-8)
        assert y.status == "optimal" and np.allclose(y.r, x.r, atol=1e-3), engine["id"]
    impossible = cornet.solve_convex(cornet.LocalProblem(np.zeros((2, 2)), [-1.0, 0.0], [0.5], dim=2))
    assert impossible.status == "infeasible" and np.allclose(impossible.certificate["ray"][0], 1, atol=0.2)
    assert cornet.solve_convex(SLIDING, set="half_line").r[1:] == pytest.approx([0, 0], abs=1e-6)


def test_result_as_json():
    x = cornet.solve(cornet.samples()["sphere-lattice-mixed"], quality=True, check=True, history=True)
    text = json.dumps(x.to_dict(), allow_nan=False)
    assert json.loads(text)["history"][0]["iteration"] == 1


def test_help_tells_shapes():
    for thing in (cornet.LocalProblem, cornet.GlobalProblem, cornet.solve, cornet.certify, cornet.solve_convex):
        assert "(m,)" in thing.__doc__ or "(nc,)" in thing.__doc__
    for name in cornet.__all__:
        assert getattr(cornet, name).__doc__, name
