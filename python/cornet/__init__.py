"""cornet: exact solvers for the discrete Coulomb friction problem, and a proof with every answer.

    u = W r + q,   and at every contact Coulomb's law: open, sticking, or sliding against friction

    import cornet
    p = cornet.LocalProblem(W, q, mu)      # scipy.sparse or dense W, NumPy vectors; normal component first
    x = cornet.solve(p)
    x.status, x.error, x.r, x.u

Vectors over contacts are contact-major with the normal first: r = (r_N, r_T1, r_T2) for each contact. cornet.convert has the way
from and to codes with the normal last, cornet.plot (needs matplotlib) has figures. Guide: docs/python.md.
"""
from . import _core
from ._core import GlobalProblem, LocalProblem, Problem
from ._errors import Error, InvalidOption, InvalidProblem, IoError, MemoryLimit, MissingFeature, WrongType
from ._files import performance_profile, read, read_file, read_records, samples, write
from ._results import Certificate, ConvexResult, Existence, ExistenceCertificate, Quality, Result
from ._simulate import Simulation, scenes, simulate
from ._solve import (Session, analyse, assess, certify, check_existence, engines, enumerate_solutions, explore, reduce, solve, solve_convex,
                     solvers, velocities)

__version__: str = _core.version()

__all__ = [
    "Certificate", "ConvexResult", "Error", "Existence", "ExistenceCertificate", "GlobalProblem", "InvalidOption", "InvalidProblem",
    "IoError", "LocalProblem", "MemoryLimit", "MissingFeature", "Problem",
    "Quality", "Result", "Session", "Simulation", "WrongType", "analyse", "assess", "certify",
    "check_existence", "engines", "enumerate_solutions", "explore", "performance_profile", "read", "read_file", "read_records", "reduce",
    "samples", "scenes", "simulate", "solve", "solve_convex", "solvers", "velocities", "write",
]


def __getattr__(name: str):
    """cornet.plot and cornet.convert load when they are first used."""
    if name in ("plot", "convert"):
        import importlib

        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module 'cornet' has no attribute '{name}'")
