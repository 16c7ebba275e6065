"""Codes with the normal last: there and back, and the same physics."""
import numpy as np
import pytest
import scipy.sparse as sp

import cornet
from cornet import convert
from support import random_global


def last(a, axes):
    """(n, t1, t2) → (t1, t2, n), written down anew."""
    a = np.asarray(a)
    for axis in axes:
        a = np.moveaxis(a, axis, 0)
        a = np.concatenate([np.concatenate([a[k + 1:k + 3], a[k:k + 1]]) for k in range(0, len(a), 3)])
        a = np.moveaxis(a, 0, axis)
    return np.ascontiguousarray(a)


def test_vectors_and_matrices():
    assert convert.normal_first([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).tolist() == [3, 1, 2, 6, 4, 5]
    assert convert.normal_last([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).tolist() == [2, 3, 1, 5, 6, 4]
    assert convert.normal_first([1.0, 2.0, 3.0, 4.0], dim=2).tolist() == [2, 1, 4, 3]
    A = np.arange(36.0).reshape(6, 6)
    for a in (A, sp.csr_matrix(A), sp.csc_matrix(A), sp.coo_matrix(A)):
        for axis in (None, 0, 1, (0, 1)):
            there = convert.normal_last(a, axis=axis)
            back = convert.normal_first(there, axis=axis)
            dense = there.toarray() if sp.issparse(there) else there
            assert sp.issparse(there) == sp.issparse(a)
            assert np.array_equal(dense, last(A, {None: (0, 1), 0: (0,), 1: (1,), (0, 1): (0, 1)}[axis]))
            assert np.array_equal(back.toarray() if sp.issparse(back) else back, A)


@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_matrix, sp.csc_matrix])
def test_the_same_problem_in_both_orders(wrap):
    M, H, f, w, mu = random_global()
    x = cornet.solve(cornet.GlobalProblem(M, H, f, w, mu))
    J = last(H.T, (0,))
    drake = convert.from_drake(wrap(M), wrap(J), np.linalg.solve(M, f), mu, w=last(w, (0,)))
    y = cornet.solve(drake)
    assert y.solved and np.allclose(y.v, x.v, atol=1e-7)
    assert np.allclose(M @ (y.v - np.linalg.solve(M, f)), J.T @ convert.normal_last(y.r), atol=1e-7)
    A = np.linalg.solve(M, H)
    W, q = H.T @ A, A.T @ f + w
    pinocchio = convert.from_pinocchio(wrap(last(W, (0, 1))), last(q, (0,)), mu)
    assert np.allclose(pinocchio.W.toarray(), W) and np.allclose(pinocchio.q, q)
    z = cornet.solve(pinocchio)
    assert np.allclose(last(W, (0, 1)) @ convert.normal_last(z.r) + last(q, (0,)), convert.normal_last(z.u), atol=1e-9)


def test_bad_input():
    with pytest.raises(cornet.InvalidProblem, match="a: found 7 components, expected a multiple of the dimension 3"):
        convert.normal_first(np.zeros(7))
    with pytest.raises(cornet.InvalidProblem, match="dim: found 4"):
        convert.normal_first(np.zeros(8), dim=4)
    with pytest.raises(cornet.WrongType, match="a: found None"):
        convert.normal_last(None)
    with pytest.raises(cornet.InvalidProblem, match="axis: found 2"):
        convert.normal_last(np.zeros((3, 3)), axis=2)
    with pytest.raises(cornet.InvalidProblem, match="a: found shape"):
        convert.normal_last(np.zeros((3, 3, 3)))
    with pytest.raises(cornet.WrongType, match="J: found None"):
        convert.from_drake(np.eye(2), None, np.zeros(2), 0.5)
    with pytest.raises(cornet.InvalidProblem, match="v_free: found shape"):
        convert.from_drake(np.eye(2), np.zeros((3, 2)), np.zeros(3), 0.5)
