"""Scenes that step in time."""
from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, List, Optional, Union

from . import _arguments as arguments
from . import _core
from ._errors import Error, WrongType


def _scene(scene: Union[str, os.PathLike, Dict[str, Any]], parameters: Dict[str, Any]) -> _core.Scene:
    if isinstance(scene, str) and os.sep not in scene and not scene.endswith(".json"):
        return _core.make_scene(scene, arguments.option_texts(parameters))
    if not isinstance(scene, (str, os.PathLike, dict)):
        raise WrongType(f"scene: found {arguments.found(scene)}, expected a name of scenes(), a .json file or a dict")
    if parameters:
        raise WrongType(f"{next(iter(parameters))}: found a parameter, expected none: only scenes of the library have parameters")
    if isinstance(scene, dict):
        return _core.parse_scene(json.dumps(scene))
    made = _core.read_scene(arguments.path(scene, "scene"))
    made.name = made.name or os.path.splitext(os.path.basename(os.fspath(scene)))[0]
    return made


class Simulation:
    """Simulation(scene, *, dt=None, solver=None, tol=None, check_every=None, record=None, vtk=None, **parameters)

    A scene that steps in time. scene: a name of scenes(), a .json file, or a dict of the same content (docs/scene.md). Other
    arguments as in simulate(). One simulation serves one thread at a time.
    """

    def __init__(self, scene: Union[str, os.PathLike, Dict[str, Any]], *, dt: Optional[float] = None, solver: Optional[str] = None,
                 tol: Optional[float] = None, check_every: Optional[int] = None, record: Any = None, vtk: Any = None,
                 **parameters: Any) -> None:
        made = _scene(scene, parameters)
        if dt is not None:
            made.dt = arguments.real("dt", dt, "seconds > 0", lambda x: 0 < x < float("inf"))
        if solver is not None:
            made.solver = arguments.text("solver", solver)
        if tol is not None:
            made.tolerance = arguments.tolerance(tol)
        if check_every is not None:
            made.existence_every = arguments.integer("check_every", check_every, 1)
        self._duration, self._dt = made.duration, made.dt
        self._simulation = _core.Simulation(made, None if record is None else arguments.path(record, "record"),
                                            None if vtk is None else arguments.path(vtk, "vtk"))
        self.reports: List[Dict[str, Any]] = self._simulation.reports()  #: one dict per step: pandas.DataFrame(simulation.reports)
        self.outcome = "not started"  #: 'done', 'interrupted', 'stopped by the callback' or 'stopped: …'

    def step(self) -> Dict[str, Any]:
        """One time step. Its report, with the columns of `cornet simulate --stats`, is also added to `reports`. A step that could not be
        solved says so in 'status' and 'message'."""
        return self._simulation.step()[0]

    def _after_a_step(self, name: str) -> None:
        if self.steps == 0:
            raise Error(f"{name}: found no step, expected one: call step() or run() first")

    def run(self, steps: Optional[int] = None, time: Optional[float] = None,
            callback: Optional[Callable[["Simulation", Dict[str, Any]], Optional[bool]]] = None) -> "Simulation":
        """Steps until step number `steps` or the time `time` (s); by default to the end of the scene. callback(simulation, report) after
        each step; False stops."""
        if steps is not None:
            target = arguments.integer("steps", steps, 1, 2**63 - 1)
        else:
            end = self._duration if time is None else arguments.real("time", time, "seconds > 0", lambda x: 0 < x < float("inf"))
            target = max(1, round(end / self._dt))
        arguments.function("callback", callback)
        self.outcome = "interrupted"  # unless one of the ends below is reached
        while self.steps < target:
            report, made = self._simulation.step()
            if callback is not None and callback(self, report) is False:
                self.outcome = "stopped by the callback"
                break
            if not made:
                self.outcome = f"stopped: step {report['step']} could not be solved"
                break
        else:
            self.outcome = "done"
        return self

    @property
    def steps(self) -> int:
        """Steps made."""
        return self._simulation.steps()

    @property
    def time(self) -> float:
        """s"""
        return self._simulation.time()

    @property
    def dim(self) -> int:
        """2 or 3."""
        return self._simulation.dim()

    @property
    def scene(self) -> Dict[str, Any]:
        """The scene as a dict, as in a scene file."""
        return json.loads(self._simulation.scene_text())

    @property
    def energy(self) -> Dict[str, float]:
        """J: kinetic, potential; sums since the start: friction, impact, driven, viscous."""
        return self._simulation.energy()

    @property
    def bodies(self) -> Dict[str, Any]:
        """Arrays over the bodies: position (k, 3) and orientation (k, 4; w, x, y, z) of the shape's frame, centre, velocity, spin (k, 3),
        mass (k,); 'name' is a list."""
        return self._simulation.bodies()

    @property
    def contacts(self) -> Dict[str, Any]:
        """Arrays over the contacts of the last step: a, b (k,) bodies, the normal points from b to a; point, normal, tangent, reaction
        (k, 3; impulse on a, fixed frame); gap, mu (k,); 'status' is a list."""
        return self._simulation.contacts()

    @property
    def problem(self) -> "_core.GlobalProblem":
        """The contact problem of the last step."""
        self._after_a_step("problem")
        return self._simulation.problem()

    @property
    def answer(self) -> Dict[str, Any]:
        """Its answer: r (m,), u (m,), v (n,), lambda_ (p,)."""
        self._after_a_step("answer")
        return self._simulation.answer()

    def __repr__(self) -> str:
        return f"<cornet.Simulation: step {self.steps}, {self.time:.6g} s, {self.outcome}>"


def simulate(scene: Union[str, os.PathLike, Dict[str, Any]], steps: Optional[int] = None, time: Optional[float] = None, *,
             dt: Optional[float] = None, solver: Optional[str] = None, tol: Optional[float] = None, check_every: Optional[int] = None,
             record: Any = None, vtk: Any = None,
             callback: Optional[Callable[[Simulation, Dict[str, Any]], Optional[bool]]] = None, **parameters: Any) -> Simulation:
    """Steps a scene in time, every step an exact, certified solve.

    scene         a name of scenes(), a .json file, or a dict of the same content
    steps, time   where to stop: a step number, or seconds; default: the duration of the scene
    dt            step length in s; default: that of the scene
    solver, tol   default: those of the scene
    check_every   existence verdict every how many steps
    record, vtk   a file for `cornet view`, a folder for ParaView
    callback      called as callback(simulation, report) after each step; False stops
    **parameters  of a scene of the library, under the names of scenes()

    Returns the Simulation, with one dict per step in `reports`. Ctrl-C raises KeyboardInterrupt; whole steps stay made.
    """
    simulation = Simulation(scene, dt=dt, solver=solver, tol=tol, check_every=check_every, record=record, vtk=vtk, **parameters)
    return simulation.run(steps, time, callback)


def scenes() -> List[Dict[str, Any]]:
    """The library of scenes: list of dicts with 'name', 'what', 'parameters'."""
    return _core.scenes()


for _thing in (Simulation, simulate, scenes):
    _thing.__module__ = "cornet"
