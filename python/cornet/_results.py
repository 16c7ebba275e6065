"""What the functions of cornet answer."""
from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, Dict, List, Optional

import numpy as np
import numpy.typing as npt

from . import _core
from ._arguments import typed

Vector = npt.NDArray[np.float64]
_STATUSES = np.array(["take_off", "stick", "slide"])


def _plain(value: Any) -> Any:
    """Values that json.dumps takes; numbers that are not finite become None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    return value


@dataclass(frozen=True, eq=False, repr=False)
class Certificate:
    """The independent proof of an answer: every number is recomputed from the reactions alone."""

    error: float  #: ‖F(r)‖ / ‖q‖, the error of the whole project
    natural_map: float  #: ‖F(r)‖
    norm_q: float  #: ‖q‖
    relative: bool  #: False when ‖q‖ is below machine accuracy and the error is absolute
    cone_violation: float  #: largest distance of a reaction to its cone
    dual_violation: float  #: largest distance of u + g(u) to its dual cone
    complementarity: float  #: largest |r·(u + g(u))| of a contact
    dynamics: float  #: relative distance of the given u and v to those of r
    worst_contact: int  #: −1 without contacts
    worst_value: float  #: its ‖F‖
    take_off: int
    stick: int
    slide: int
    status_codes: npt.NDArray[np.int8]  #: (nc,) 0 take_off, 1 stick, 2 slide

    @property
    def statuses(self) -> npt.NDArray[np.str_]:
        """(nc,) 'take_off', 'stick' or 'slide'; `statuses == "slide"` is a mask."""
        return _STATUSES[self.status_codes]

    def to_dict(self) -> Dict[str, Any]:
        """The keys of `cornet solve --json --verbose`."""
        out = {f.name: _plain(getattr(self, f.name)) for f in fields(self) if f.name != "status_codes"}
        out["statuses"] = self.statuses.tolist()
        return out

    def __repr__(self) -> str:
        return f"<cornet.Certificate: error {self.error:.2e}, {self.take_off} take off, {self.stick} stick, {self.slide} slide>"


@dataclass(frozen=True, eq=False)
class ExistenceCertificate:
    """What proves a verdict; docs/existence.md says what each kind claims."""

    kind: str  #: 'velocity', 'boundary', 'reaction' or 'normal_reaction'
    v: Optional[Vector]  #: (n,) of a global problem, (m,) of a local one
    r: Optional[Vector]  #: (m,)
    lambda_: Optional[Vector]  #: (p,)
    verified: bool  #: recomputed by code that the optimisation does not share
    residual: float  #: largest violation found by that check, relative


@dataclass(frozen=True, eq=False)
class Existence:
    """Must a solution exist?"""

    verdict: str  #: 'guaranteed_robust', 'guaranteed', 'not_guaranteed' or 'impossible'
    margin: float  #: t*, relative, at most 1; −inf when no velocity satisfies the equalities
    tolerance: float  #: margins up to it count as zero
    reason: str  #: which argument decided
    meaning: str  #: one sentence for people
    certificate: ExistenceCertificate
    notes: List[str]
    iterations: int
    time: float  #: seconds

    def to_dict(self) -> Dict[str, Any]:
        """The keys of `cornet check --json`."""
        out = {f.name: _plain(getattr(self, f.name)) for f in fields(self) if f.name != "certificate"}
        proof = {f.name.rstrip("_"): _plain(getattr(self.certificate, f.name)) for f in fields(self.certificate)}
        out["certificate"] = {key: value for key, value in proof.items() if value is not None or key == "residual"}
        return out

    def __repr__(self) -> str:
        return f"<cornet.Existence: {self.verdict}, margin {self.margin:.3g}, by {self.reason}>"


@dataclass(frozen=True, eq=False, repr=False)
class Quality:
    """How good an answer is beyond its error (docs/quality.md)."""

    degenerate: int  #: contacts whose margin is below what the error can decide
    unknowns: int  #: reaction components that the statuses leave free
    rank: Optional[int]  #: of the equations for them; None when the problem is too large
    reactions_unique: Optional[bool]  #: False: other reactions have the same velocities (hyperstatic)
    velocities_unique: Optional[bool]
    attainable_error: float  #: estimate of the certified error that rounding allows
    margins: Vector  #: (nc,) relative distance to another status, in [0, 1]
    status_codes: npt.NDArray[np.int8]  #: (nc,) 0 take_off, 1 stick, 2 slide

    @property
    def statuses(self) -> npt.NDArray[np.str_]:
        """(nc,) 'take_off', 'stick' or 'slide'."""
        return _STATUSES[self.status_codes]

    def to_dict(self) -> Dict[str, Any]:
        """The keys of `quality` in `cornet solve --quality --json`."""
        out = {f.name: _plain(getattr(self, f.name)) for f in fields(self) if f.name not in ("margins", "status_codes")}
        out["contacts"] = [{"status": s, "margin": m} for s, m in zip(self.statuses.tolist(), _plain(self.margins))]
        return out

    def __repr__(self) -> str:
        unique = {True: "unique reactions", False: "reactions not unique", None: "rank not computed"}[self.reactions_unique]
        return f"<cornet.Quality: {self.degenerate} degenerate contacts, {unique}, attainable error {self.attainable_error:.1e}>"


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """A certified answer. Arrays are read-only views; copy what you want to change."""

    status: str  #: 'solved' iff error ≤ tolerance; else 'inaccurate', 'iteration_limit', 'time_limit', 'stalled', 'diverged', …
    message: str  #: one sentence for people
    solver: str
    tolerance: float
    termination: str  #: the solver's own word
    iterations: int
    time: float  #: seconds in the solver alone; reduction and certification are in `statistics`
    r: Vector  #: (m,) reactions, contact-major, normal first
    u: Vector  #: (m,) relative velocities
    v: Optional[Vector]  #: (n,) velocities of a global problem, None for a local one
    lambda_: Optional[Vector]  #: (p,) multipliers of the bilateral constraints
    certificate: Certificate
    existence: Optional[Existence]  #: when it was looked for and decided
    quality: Optional[Quality]  #: when it was asked for
    stages: List[Dict[str, Any]]  #: the path of a solver that combines several methods
    statistics: Dict[str, float]
    history: Optional[Dict[str, npt.NDArray[Any]]]  #: 'iteration', 'time', 'own_residual'; None unless history=True
    provenance: Dict[str, Any]  #: 'version', 'compiler', 'threads', 'options'

    @property
    def solved(self) -> bool:
        return self.status == "solved"

    @property
    def error(self) -> float:
        """The certified error."""
        return self.certificate.error

    @property
    def contacts(self) -> Dict[str, int]:
        """How many contacts take off, stick and slide."""
        c = self.certificate
        return {"take_off": c.take_off, "stick": c.stick, "slide": c.slide}

    def to_dict(self) -> Dict[str, Any]:
        """The keys of `cornet solve --json`, without those of the file; numbers that are not finite are None."""
        out: Dict[str, Any] = {}
        for name in ("status", "message", "solver", "tolerance", "error", "iterations", "time", "termination", "contacts"):
            out[name] = _plain(getattr(self, name))
        out["certificate"] = self.certificate.to_dict()
        if self.existence:
            out["existence"] = self.existence.to_dict()
        if self.quality:
            out["quality"] = self.quality.to_dict()
        for name in ("stages", "statistics", "provenance"):
            out[name] = _plain(getattr(self, name))
        if self.history is not None:
            columns = [_plain(self.history[key]) for key in ("iteration", "time", "own_residual")]
            out["history"] = [{"iteration": i, "time": t, "own_residual": r} for i, t, r in zip(*columns)]
        return out

    def __repr__(self) -> str:
        return f"<cornet.Result: {self.status} by {self.solver}, error {self.error:.2e}, {self.iterations} iterations, {self.time:.3g} s>"


@dataclass(frozen=True, eq=False, repr=False)
class ConvexResult:
    """The certified answer to a convex problem (docs/convex.md)."""

    status: str  #: 'optimal', 'infeasible' (both proved), 'inaccurate', 'iteration_limit', …
    message: str
    engine: str
    iterations: int
    time: float
    r: Vector  #: (m,)
    u: Vector  #: (m,) W r + q, without the shift
    v: Optional[Vector]  #: (n,) of a global problem
    lambda_: Optional[Vector]
    certificate: Dict[str, Any]  #: objectives, gap, violations; of an infeasible problem the ray
    statistics: Dict[str, float]
    history: Optional[Dict[str, npt.NDArray[Any]]]
    options: Dict[str, str]

    def __repr__(self) -> str:
        return f"<cornet.ConvexResult: {self.status} by {self.engine}, {self.iterations} iterations, {self.time:.3g} s>"


@lru_cache(maxsize=None)
def _option_types(solver: str) -> Dict[str, str]:
    return {option["name"]: option["type"] for option in _core.solver(solver)["options"]}


def existence_from(fields_: Dict[str, Any]) -> Existence:
    values: Dict[str, Any] = {**fields_, "certificate": ExistenceCertificate(**fields_["certificate"])}
    return Existence(**values)


def result_from(fields_: Dict[str, Any]) -> Result:
    kinds = _option_types(fields_["solver"])
    provenance = fields_["provenance"]
    provenance["options"] = {name: typed(text, kinds.get(name)) for name, text in provenance["options"].items()}
    values: Dict[str, Any] = {
        **fields_,
        "certificate": Certificate(**fields_["certificate"]),
        "existence": fields_["existence"] and existence_from(fields_["existence"]),
        "quality": fields_["quality"] and Quality(**fields_["quality"]),
    }
    return Result(**values)


for _class in (Certificate, ExistenceCertificate, Existence, Quality, Result, ConvexResult):
    _class.__module__ = "cornet"
