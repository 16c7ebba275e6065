"""Files of problems, bundled problems, records of campaigns."""
from __future__ import annotations

import json
import warnings as _warnings
from typing import Any, Dict, List, Optional

from . import _arguments as arguments
from . import _core
from ._errors import InvalidProblem, WrongType


def read(path: Any, form: str = "any") -> _core.Problem:
    """The problem of a file (FCLIB or Siconos text, told apart by content): a LocalProblem or a GlobalProblem. form: 'any' prefers the
    global one where a file holds both, else 'local' or 'global'."""
    return _core.read(arguments.path(path), arguments.text("form", form))


def read_file(path: Any) -> Dict[str, Any]:
    """The whole content of a file: 'local' and 'global' (problems or None), 'guesses' (list of dicts with r, u, v, lambda_), 'solution'
    (such a dict or None), 'warnings'."""
    return _core.read_file(arguments.path(path))


def write(path: Any, problem: _core.Problem, x: Any = None) -> None:
    """Writes a problem as FCLIB (HDF5), with the answer x: a Result, a dict with r, u, v, or reactions (m,). No partial file is ever
    seen."""
    if x is None:
        parts = [None] * 4
    elif isinstance(x, dict):
        if "r" not in x:
            raise WrongType("x: found a dict without 'r', expected reactions")
        parts = [x.get(name) for name in ("r", "u", "v", "lambda_")]
    elif hasattr(x, "r"):
        parts = [getattr(x, name, None) for name in ("r", "u", "v", "lambda_")]
    else:
        parts = [x, None, None, None]
    _core.write(arguments.path(path), arguments.problem(problem), *parts)


def samples() -> Dict[str, _core.Problem]:
    """The bundled problems of `cornet demo`, by name: planar and spatial, local and global, μ from 0 to inf."""
    return _core.samples()


def _flat(record: Dict[str, Any], prefix: str = "") -> Dict[str, Any]:
    out: Dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, dict):
            out.update(_flat(value, f"{prefix}{key}."))
        else:
            out[prefix + key] = value
    return out


def read_records(*paths: Any, flat: bool = False) -> List[Dict[str, Any]]:
    """The records of campaigns (`cornet bench run`), one plain dict per run with the keys of docs/campaigns.md. flat=True joins nested keys
    with a dot ('contacts.slide'): one column each in pandas.DataFrame(records). A torn last line is left out with a warning."""
    if not paths:
        raise WrongType("paths: found none, expected the names of record files")
    lines, complaints = _core.record_lines([arguments.path(path, "paths") for path in paths])
    for complaint in complaints:
        _warnings.warn(complaint, stacklevel=2)
    records = [json.loads(line) for line in lines]
    return [_flat(record) for record in records] if arguments.flag("flat", flat) else records


def performance_profile(costs: Any, solvers: Optional[List[str]] = None) -> List[Dict[str, Any]]:
    """Dolan–Moré profiles. costs: (problems, solvers), each positive or inf (not solved). For each solver a dict: 'solver', 'tau', 'rho',
    a step function that jumps to rho[k] at tau[k]."""
    import numpy as np

    table = np.asarray(costs, dtype=float)
    if table.ndim != 2:
        raise InvalidProblem(f"costs: found shape {table.shape}, expected (problems, solvers)")
    names = [str(k) for k in range(table.shape[1])] if solvers is None else [str(name) for name in solvers]
    if len(names) != table.shape[1]:
        raise InvalidProblem(f"solvers: found {len(names)} names, expected {table.shape[1]}, one per column of costs")
    return _core.performance_profile(names, table.tolist())


for _thing in (read, read_file, write, samples, read_records, performance_profile):
    _thing.__module__ = "cornet"
