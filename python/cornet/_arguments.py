"""Checks of plain arguments. Every message: the argument, what was found, what was expected. Arrays are checked in C++."""
from __future__ import annotations

import math
import numbers
import operator
import os
from typing import Any, Optional

from . import _core
from ._errors import InvalidOption, WrongType


def found(value: Any) -> str:
    return "None" if value is None else f"{' '.join(repr(value).split()):.60} of type {type(value).__name__}"


def problem(value: Any) -> _core.Problem:
    if not isinstance(value, _core.Problem):
        raise WrongType(f"problem: found {found(value)}, expected a LocalProblem or a GlobalProblem")
    return value


def real(name: str, value: Any, expected: str, holds) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise WrongType(f"{name}: found {found(value)}, expected {expected}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf  # an integer beyond all floats; its sign does not matter, no range has such numbers
    if not holds(number):
        raise InvalidOption(f"{name}: found {number!r}, expected {expected}")
    return number


def tolerance(value: Any, name: str = "tol") -> float:
    return real(name, value, "a number in (0, 1]", lambda x: 0 < x <= 1)


def time_limit(value: Any, default: float) -> float:
    return default if value is None else real("time_limit", value, "seconds > 0", lambda x: x > 0)


def memory_limit(value: Any) -> float:
    return 0.0 if value is None else real("memory_limit", value, "bytes > 0", lambda x: x > 0)


def integer(name: str, value: Any, lower: int, upper: int = 2**31 - 1) -> int:
    expected = f"an integer from {lower} to {upper}"
    if isinstance(value, bool):
        raise WrongType(f"{name}: found {found(value)}, expected {expected}")
    try:
        number = operator.index(value)
    except TypeError:
        raise WrongType(f"{name}: found {found(value)}, expected {expected}") from None
    if not lower <= number <= upper:
        raise InvalidOption(f"{name}: found {number}, expected {expected}")
    return number


def flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool) and type(value).__name__ not in ("bool_", "bool"):
        raise WrongType(f"{name}: found {found(value)}, expected True or False")
    return bool(value)


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise WrongType(f"{name}: found {found(value)}, expected a str")
    return value


def function(name: str, value: Any) -> Any:
    if value is not None and not callable(value):
        raise WrongType(f"{name}: found {found(value)}, expected a function or None")
    return value


def path(value: Any, name: str = "path") -> bytes:
    if not isinstance(value, (str, os.PathLike)):
        raise WrongType(f"{name}: found {found(value)}, expected a str or a path")
    out = os.fsencode(value)
    if b"\0" in out:
        raise InvalidOption(f"{name}: found {value!r} with a null character, expected the name of a file")
    return out


def reactions(value: Any) -> Any:
    """The r of a result or a dict, or the array itself. None stays."""
    if isinstance(value, dict):
        if "r" not in value:
            raise WrongType("r: found a dict without 'r', expected reactions")
        return value["r"]
    return getattr(value, "r", value)


def option_texts(options: dict) -> dict:
    """Options as `--set name=value` spells them."""
    out = {}
    for name, value in options.items():
        if isinstance(value, str):
            out[name] = value
        elif isinstance(value, bool) or type(value).__name__ == "bool_":
            out[name] = "true" if value else "false"
        elif isinstance(value, numbers.Integral):
            out[name] = str(int(value))
        elif isinstance(value, numbers.Real):
            out[name] = repr(float(value))
        else:
            raise WrongType(f"option '{name}': found {found(value)}, expected a number, a flag or a str")
    return out


def typed(value: str, kind: Optional[str]) -> Any:
    """The text of an option back to its type."""
    if kind == "flag":
        return value in ("true", "1")
    if kind == "integer":
        return int(value)
    if kind == "real":
        return float(value)
    return value
