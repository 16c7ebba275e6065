"""Problems from arrays and back: every storage, no copies on the way out, nothing that can change."""
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import cornet
from support import random_global


def matrices(a):
    """The same matrix in every form that is taken."""
    csc = sp.csc_matrix(a)
    int64 = csc.copy()
    int64.indices, int64.indptr = int64.indices.astype(np.int64), int64.indptr.astype(np.int64)
    spare = sp.csc_matrix(a)
    spare.data, spare.indices = np.append(spare.data, [7.0, 7.0]), np.append(spare.indices, [0, 0]).astype(np.int32)
    coo = sp.coo_matrix(a)
    twice = sp.coo_matrix((np.r_[0.5 * coo.data, 0.5 * coo.data], (np.r_[coo.row, coo.row], np.r_[coo.col, coo.col])), coo.shape)
    return {"c": np.ascontiguousarray(a), "fortran": np.asfortranarray(a), "list": np.asarray(a).tolist(), "csc": csc,
            "csr": sp.csr_matrix(a), "coo": coo, "bsr": sp.bsr_matrix(a), "lil": sp.lil_matrix(a), "dok": sp.dok_matrix(a),
            "dia": sp.dia_matrix(a), "int64": int64,
            "spare": spare, "duplicates": twice, "array": sp.csr_array(a), "unsorted": sp.csc_matrix(a)[:, ::-1][:, ::-1]}


def local_data(dim=3):
    M, H, f, w, mu = random_global(dim=dim)
    A = np.linalg.solve(M, H)
    return H.T @ A, A.T @ f + w, mu


@pytest.mark.parametrize("kind", matrices(np.eye(3)))
def test_every_storage_gives_the_same_problem(kind):
    W, q, mu = local_data()
    p = cornet.LocalProblem(matrices(W)[kind], q, mu)
    assert np.array_equal(p.W.toarray(), W) and np.array_equal(p.q, q) and np.array_equal(p.mu, mu)
    assert (p.form, p.dim, p.contacts, p.size, p.V, p.R, p.s) == ("local", 3, 6, 18, None, None, None)
    M, H, f, w, mu = random_global()
    g = cornet.GlobalProblem(matrices(M)[kind], matrices(H)[kind], f, w, mu)
    assert np.array_equal(g.M.toarray(), M) and np.array_equal(g.H.toarray(), H)
    assert np.array_equal(g.f, f) and np.array_equal(g.w, w) and (g.form, g.dofs, g.G, g.b) == ("global", 12, None, None)


@pytest.mark.parametrize("format", ["csc", "csr", "coo"])
def test_storage_is_kept_and_views_are_not_copies(format):
    W, q, mu = local_data()
    p = cornet.LocalProblem(sp.csc_matrix(W).asformat(format), q, mu)
    first, second = p.W, p.W
    assert first.format == format and np.shares_memory(first.data, second.data)
    assert np.shares_memory(p.q, p.q) and not np.shares_memory(p.q, q)
    for array in (first.data, p.q, p.mu):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    del p
    assert np.allclose(first @ q, W @ q), "a view keeps the problem alive"


def test_bilateral_constraints():
    rng = np.random.default_rng(1)
    M, H, f, w, mu = random_global()
    G, b = rng.normal(size=(12, 2)), rng.normal(size=2)
    g = cornet.GlobalProblem(M, H, f, w, mu, 3, G, b)
    assert np.array_equal(g.G.toarray(), G) and np.array_equal(g.b, b)
    x = cornet.solve(g)
    assert x.solved and np.allclose(G.T @ x.v + b, 0, atol=1e-9) and np.allclose(M @ x.v, H @ x.r + G @ x.lambda_ + f, atol=1e-8)
    W, q, mu = local_data()
    V, R, s = rng.normal(size=(18, 2)), -np.eye(2), rng.normal(size=2)
    p = cornet.LocalProblem(W, q, mu, V=V, R=R, s=s)
    assert np.array_equal(p.V.toarray(), V) and np.array_equal(p.R.toarray(), R) and np.array_equal(p.s, s)
    reduced = cornet.reduce(p)
    assert reduced.V is None and np.allclose(reduced.W.toarray(), W + V @ V.T)


def test_reduction():
    M, H, f, w, mu = random_global()
    p = cornet.reduce(cornet.GlobalProblem(M, H, f, w, mu, name="six"))
    A = np.linalg.solve(M, H)
    assert np.allclose(p.W.toarray(), H.T @ A) and np.allclose(p.q, A.T @ f + w) and p.name == "six"


def test_one_number_for_all_contacts():
    W, q, _ = local_data()
    for mu in (0.3, 1, float("inf"), np.float64(0.3)):
        assert np.array_equal(cornet.LocalProblem(W, q, mu).mu, np.full(6, float(mu)))


def test_no_contacts():
    p = cornet.LocalProblem(np.zeros((0, 0)), [], [])
    x = cornet.solve(p)
    assert x.solved and x.r.shape == (0,) and x.u.shape == (0,) and len(x.certificate.statuses) == 0
    g = cornet.GlobalProblem(np.eye(2), np.zeros((2, 0)), [1.0, 2.0], [], [])
    assert np.allclose(cornet.solve(g).v, [1, 2])


@pytest.mark.parametrize("name", list(cornet.samples()))
def test_pickle_and_repr(name):
    p = cornet.samples()[name]
    again = pickle.loads(pickle.dumps(p))
    assert type(again) is type(p) and again.name == p.name == name and np.array_equal(again.mu, p.mu)
    for key in ("W", "q", "V", "R", "s") if p.form == "local" else ("M", "H", "f", "w", "G", "b"):
        a, b = getattr(p, key), getattr(again, key)
        assert (a is None) == (b is None)
        if a is not None:
            a, b = (m.toarray() if sp.issparse(m) else m for m in (a, b))
            assert np.array_equal(a, b)
    assert repr(p).startswith(f"<cornet.{type(p).__name__} '{name}': {p.contacts} contacts, dim {p.dim}, ")


def test_result_pickles():
    x = cornet.solve(cornet.samples()["box-stack-8"], quality=True, check=True, history=True)
    again = pickle.loads(pickle.dumps(x))
    assert np.array_equal(again.r, x.r) and again.to_dict() == x.to_dict()


def test_problem_and_result_cannot_be_changed():
    p = cornet.samples()["random-2d-30"]
    x = cornet.solve(p)
    for thing, field in ((p, "q"), (p, "dim"), (x, "status"), (x.certificate, "error")):
        with pytest.raises(AttributeError):
            setattr(thing, field, 1)
    with pytest.raises(ValueError, match="read-only"):
        x.r[0] = 1


def test_analysis():
    W, q, mu = local_data()
    a = cornet.analyse(cornet.LocalProblem(W, q, mu))
    assert a["rank"] == np.linalg.matrix_rank(W) == 12 and a["norm_q"] == pytest.approx(np.linalg.norm(q))
    assert cornet.analyse(cornet.LocalProblem(W, q, mu), dense_limit=1)["rank"] is None
