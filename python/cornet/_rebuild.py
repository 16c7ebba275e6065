"""How pickle makes a problem again."""
from __future__ import annotations

from typing import Any

from ._core import GlobalProblem, LocalProblem


def local(W: Any, q: Any, mu: Any, dim: int, V: Any, R: Any, s: Any, name: str) -> LocalProblem:
    return LocalProblem(W, q, mu, dim, V=V, R=R, s=s, name=name)


def global_(M: Any, H: Any, f: Any, w: Any, mu: Any, dim: int, G: Any, b: Any, name: str) -> GlobalProblem:
    return GlobalProblem(M, H, f, w, mu, dim, G, b, name=name)
