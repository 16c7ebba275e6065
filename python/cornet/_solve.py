"""Solving, certifying, existence, and the table of solvers."""
from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Optional, Union

from . import _arguments as arguments
from . import _core
from ._errors import WrongType
from ._results import Certificate, ConvexResult, Existence, Quality, Result, Vector, existence_from, result_from

Callback = Callable[[int, float, float], Optional[bool]]
_TIME_LIMIT = 300.0
_LONG = 2**63 - 1


def _request(solver, tol, time_limit, memory_limit, max_iterations, threads, check, quality, history, options) -> _core.Request:
    if check is not None:
        check = arguments.flag("check", check)
    return _core.Request(
        arguments.text("solver", solver),
        arguments.tolerance(tol),
        arguments.time_limit(time_limit, _TIME_LIMIT),
        arguments.memory_limit(memory_limit),
        0 if max_iterations is None else arguments.integer("max_iterations", max_iterations, 1, _LONG),
        arguments.integer("threads", threads, 1),
        arguments.option_texts(options),
        {None: "never", False: "on_failure", True: "always"}[check],
        arguments.flag("quality", quality),
        arguments.flag("history", history),
    )


class Session:
    """Session(solver="auto", tol=1e-8, time_limit=None, *, max_iterations=None, memory_limit=None, check=False,
    quality=False, history=False, threads=1, callback=None, **options)

    solve() for a sequence of problems, as in a time loop: the solver keeps its workspace from one to the next. The answers do
    not depend on what was solved before, beyond rounding. One session serves one thread at a time. Arguments as in solve().
    """

    def __init__(self, solver: str = "auto", tol: float = 1e-8, time_limit: Optional[float] = None, *,
                 max_iterations: Optional[int] = None, memory_limit: Optional[float] = None, check: Optional[bool] = False,
                 quality: bool = False, history: bool = False, threads: int = 1, callback: Optional[Callback] = None, **options: Any) -> None:
        request = _request(solver, tol, time_limit, memory_limit, max_iterations, threads, check, quality, history, options)
        self._session = _core.Session(request, arguments.function("callback", callback))

    def solve(self, problem: _core.Problem, guess: Any = None) -> Result:
        """Solves one problem; `guess` as in cornet.solve()."""
        try:
            return result_from(self._session.solve(arguments.problem(problem), arguments.reactions(guess)))
        except BaseException as error:
            answer = getattr(error, "result", None)
            if isinstance(answer, dict):
                error.result = result_from(answer)  # type: ignore[attr-defined]
            raise


def solve(problem: _core.Problem, solver: str = "auto", tol: float = 1e-8, time_limit: Optional[float] = None, guess: Any = None, *,
          max_iterations: Optional[int] = None, memory_limit: Optional[float] = None, check: Optional[bool] = False,
          quality: bool = False, history: bool = False, threads: int = 1, callback: Optional[Callback] = None, **options: Any) -> Result:
    """Solves a problem and certifies the answer.

    problem         LocalProblem or GlobalProblem
    solver          an id of solvers()
    tol             on the certified error, in (0, 1]
    time_limit      seconds of wall clock; None: 300; math.inf: none
    guess           starting reactions (m,), normal first, or a Result; None: zero
    max_iterations  None: the solver's own limit
    memory_limit    bytes beyond the problem; a solve that is estimated to need more raises MemoryLimit before it starts; None: none
    check           whether a solution must exist: False asks after a failed solve, True before every solve, None never
    quality         True: Result.quality
    history         True: Result.history
    threads         recorded; the solvers of this version use one
    callback        called as callback(iteration, time, own_residual) after every iteration; False stops
    **options       of the solver, under the names of solvers(id)

    Not finding a solution is a status, not an exception. The GIL is released, so other threads run meanwhile. Ctrl-C stops
    the solve and raises KeyboardInterrupt, whose attribute `result` is the best point so far.
    """
    session = Session(solver, tol, time_limit, max_iterations=max_iterations, memory_limit=memory_limit, check=check,
                      quality=quality, history=history, threads=threads, callback=callback, **options)
    return session.solve(problem, guess)


def certify(problem: _core.Problem, r: Any, u: Any = None, v: Any = None) -> Certificate:
    """Recomputes the error of reactions r (m,), or of a Result or a dict with 'r'. u (m,) and v (n,), where given, are compared with
    those of r (`dynamics`)."""
    if u is None and v is None and not isinstance(r, dict):
        u, v = getattr(r, "u", None), getattr(r, "v", None)
    return Certificate(**_core.certify(arguments.problem(problem), arguments.reactions(r), u, v))


def velocities(problem: _core.Problem, r: Any) -> Vector:
    """u (m,) of given reactions r (m,), by the code of the certificate."""
    return _core.velocities(arguments.problem(problem), arguments.reactions(r))


def assess(problem: _core.Problem, r: Any) -> Quality:
    """How good the reactions r (m,) of a solution are beyond their error: margins of the statuses, uniqueness, attainable error."""
    return Quality(**_core.assess(arguments.problem(problem), arguments.reactions(r)))


def check_existence(problem: _core.Problem, tol: float = 1e-6, time_limit: Optional[float] = None, *, shortcuts: bool = True) -> Existence:
    """Must a solution exist? Verdict and margin with a certificate that separate code has checked.

    tol         margins up to it count as zero
    time_limit  seconds; None: none
    shortcuts   False: compute the margin even where a cheap argument decides

    Raises Error when the optimisation could not decide.
    """
    return existence_from(_core.check_existence(arguments.problem(problem), arguments.tolerance(tol),
                                                arguments.time_limit(time_limit, math.inf), arguments.flag("shortcuts", shortcuts)))


def solve_convex(problem: _core.Problem, s: Any = None, set: str = "cone", *, radius: Any = None, normal: Any = None,
                 engine: str = "interior-point", tol: float = 1e-8, time_limit: Optional[float] = None,
                 max_iterations: Optional[int] = None, guess: Any = None, history: bool = False,
                 callback: Optional[Callback] = None, **options: Any) -> ConvexResult:
    """The convex problem for given sliding velocities s (nc,), ≥ 0; None: zero.

    set       'cone', 'half_line', 'disk' or 'cylinder'
    radius    (nc,) of disks and cylinders; None: μ max(0, normal)
    normal    (nc,) given r_N of disks and cylinders; None: zero
    engine    an id of engines(); **options are its options
    """
    count = 0 if max_iterations is None else arguments.integer("max_iterations", max_iterations, 1, _LONG)
    return ConvexResult(**_core.solve_convex(
        arguments.problem(problem), s, arguments.text("set", set), radius, normal, arguments.text("engine", engine),
        arguments.tolerance(tol), arguments.time_limit(time_limit, math.inf), count, arguments.option_texts(options),
        arguments.flag("history", history), arguments.reactions(guess), arguments.function("callback", callback)))


def _points(rows: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    return [{**row, "certificate": Certificate(**row["certificate"])} for row in rows]


def explore(problem: _core.Problem, starts: int = 20, solver: str = "auto", tol: float = 1e-8, time_limit: Optional[float] = None, *,
            guess: Any = None, companion: str = "nsn-ac-gp", **options: Any) -> Dict[str, Any]:
    """Distinct solutions from many starting points, as a dict: 'solutions' (list of dicts with r, u, v, certificate, found, …), 'complete',
    'status', 'outcomes', … as in `cornet solve --explore`. time_limit is for all starts together."""
    request = _request(solver, tol, time_limit, None, None, 1, None, False, False, options)
    out = _core.explore(arguments.problem(problem), request, arguments.integer("starts", starts, 1), arguments.text("companion", companion),
                        arguments.reactions(guess))
    return {**out, "solutions": _points(out["solutions"])}


def enumerate_solutions(problem: _core.Problem, tol: float = 1e-9, time_limit: Optional[float] = None, *,
                        all: bool = True) -> Dict[str, Any]:
    """Every solution of a small problem (15 contacts in the plane, one in space), as a dict: 'solutions' (list of dicts with r, u, v,
    certificate, isolated, unique_reactions), 'complete', 'impossible' (proved: there is none), …"""
    out = _core.enumerate_solutions(arguments.problem(problem), arguments.tolerance(tol), arguments.time_limit(time_limit, math.inf),
                                    arguments.flag("all", all))
    return {**out, "solutions": _points(out["solutions"])}


def reduce(problem: _core.Problem) -> "_core.LocalProblem":
    """The local form: W = HᵀM⁻¹H, q = HᵀM⁻¹f + w, bilateral constraints eliminated."""
    return _core.reduce(arguments.problem(problem))


def analyse(problem: _core.Problem, dense_limit: int = 1800) -> Dict[str, Any]:
    """Symmetry, rank, conditioning and block sparsity of W, as a dict; rank and condition for m up to dense_limit."""
    return _core.analyse(arguments.problem(problem), arguments.integer("dense_limit", dense_limit, 0))


def solvers(id: Optional[str] = None) -> Union[List[Dict[str, Any]], Dict[str, Any]]:
    """All solvers as a list of dicts with the keys of `cornet solvers --json`, or the dict of one."""
    if id is None:
        return _core.solvers()
    return _core.solver(arguments.text("id", id))


def engines() -> List[Dict[str, Any]]:
    """The engines of solve_convex(), as a list of dicts."""
    return _core.engines()


for _thing in (Session, solve, certify, velocities, assess, check_existence, solve_convex, explore, enumerate_solutions, reduce, analyse,
               solvers, engines):
    _thing.__module__ = "cornet"
