"""From and to codes that store the normal component last.

cornet has the normal first: (n, t1, t2) per contact, (n, t) in the plane. Pinocchio and Drake have it last: (t1, t2, n). Going from one
to the other is a cyclic shift within each contact, so right-handed frames stay right-handed.

    normal_first(a)    (t1, t2, n) → (n, t1, t2)      a: vector (m,), or matrix; `axis` says which axes run over contacts
    normal_last(a)     (n, t1, t2) → (t1, t2, n)
    from_pinocchio     Delassus matrix, free velocity, friction
    from_drake         M, Jacobian, free velocity, friction

Matrices may be dense or of scipy.sparse; the answer is of the same kind.
"""
from __future__ import annotations

from typing import Any, Tuple, Union

import numpy as np

from . import _arguments as arguments
from ._core import GlobalProblem, LocalProblem
from ._errors import InvalidProblem, WrongType

__all__ = ["from_drake", "from_pinocchio", "normal_first", "normal_last"]


def _order(size: int, dim: int, shift: int, name: str) -> np.ndarray:
    if dim not in (2, 3):
        raise InvalidProblem(f"dim: found {dim!r}, expected 2 or 3")
    if size % dim:
        raise InvalidProblem(f"{name}: found {size} components, expected a multiple of the dimension {dim}")
    return np.roll(np.arange(size).reshape(-1, dim), shift, axis=1).ravel()


def _permute(a: Any, dim: int, axis: Union[None, int, Tuple[int, ...]], shift: int) -> Any:
    sparse = hasattr(a, "tocsr")
    if a is None or not (sparse or isinstance(a, (np.ndarray, list, tuple))):
        raise WrongType(f"a: found {arguments.found(a)}, expected an array or a matrix of scipy.sparse")
    if not sparse:
        a = np.asarray(a)
    if len(a.shape) not in (1, 2):
        raise InvalidProblem(f"a: found shape {a.shape}, expected a vector or a matrix")
    axes = tuple(range(len(a.shape))) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    for k in axes:
        if k not in range(len(a.shape)):
            raise InvalidProblem(f"axis: found {k}, expected one of {', '.join(map(str, range(len(a.shape))))}")
        order = _order(a.shape[k], dim, shift, "a")
        if sparse:
            a = a.tocsr()[order] if k == 0 else a.tocsc()[:, order]
        else:
            a = np.ascontiguousarray(np.take(a, order, axis=k))
    return a


def normal_first(a: Any, dim: int = 3, axis: Union[None, int, Tuple[int, ...]] = None) -> Any:
    """(t1, t2, n) → (n, t1, t2) for every contact. axis: which axes of `a` run over contacts; None: all (a vector, a Delassus matrix). A
    Jacobian J (m, n) needs axis=0, its transposed H (n, m) axis=1."""
    return _permute(a, dim, axis, 1)


def normal_last(a: Any, dim: int = 3, axis: Union[None, int, Tuple[int, ...]] = None) -> Any:
    """(n, t1, t2) → (t1, t2, n) for every contact: undoes normal_first()."""
    return _permute(a, dim, axis, -1)


def from_pinocchio(G: Any, g: Any, mu: Any, dim: int = 3, name: str = "") -> LocalProblem:
    """Pinocchio's contact problem: Delassus matrix G = J M⁻¹ Jᵀ (m, m), free contact velocity g (m,), coefficients of friction mu (nc,), in
    frames (t1, t2, n). The reactions of the answer go back with normal_last(x.r)."""
    return LocalProblem(normal_first(G, dim), normal_first(g, dim), mu, dim, name=name)


def from_drake(M: Any, J: Any, v_free: Any, mu: Any, w: Any = None, dim: int = 3, name: str = "") -> GlobalProblem:
    """Drake's contact problem M (v − v_free) = Jᵀ r with the exact law: M (n, n), Jacobian J (m, n) in frames (t1, t2, n), velocity without
    contacts v_free (n,), mu (nc,), and w (m,) added to J v (motion of the ground, restitution), zero by default. The answer goes back with
    normal_last(x.r); x.v is the velocity."""
    if J is None or not hasattr(J, "shape") or len(J.shape) != 2:
        raise WrongType(f"J: found {arguments.found(J)}, expected a matrix (m, n)")
    v_free = np.asarray(v_free)
    if M is None or not hasattr(M, "shape") or v_free.shape != (M.shape[0],):
        raise InvalidProblem(f"v_free: found shape {v_free.shape}, expected ({getattr(M, 'shape', ('n',))[0]},)")
    H = normal_first(J, dim, axis=0).T
    if not hasattr(H, "tocsr"):
        H = np.ascontiguousarray(H)
    w = np.zeros(J.shape[0]) if w is None else normal_first(w, dim)
    return GlobalProblem(M, H, np.ascontiguousarray(M @ v_free), w, mu, dim, name=name)
