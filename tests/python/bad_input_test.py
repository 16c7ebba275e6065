"""Bad input: an exception with the argument, what was found and what was expected; never a crash, never a silent conversion."""
import random

import numpy as np
import pytest
import scipy.sparse as sp

import cornet

EYE, Q, MU = np.eye(6), np.array([-1.0, 0.1, 0.0, -1.0, 0.0, 0.2]), np.array([0.5, 0.5])


def raises(kind, *words):
    """One line that has these words, and found and expected."""
    class Check:
        def __enter__(self):
            self.context = pytest.raises(kind)
            self.info = self.context.__enter__()

        def __exit__(self, *error):
            done = self.context.__exit__(*error)
            text = str(self.info.value)
            assert "\n" not in text and "found" in text and "expected" in text, text
            for word in words:
                assert word in text, (word, text)
            return done
    return Check()


def broken(**changes):
    a = sp.csc_matrix(EYE)
    for key, value in changes.items():
        setattr(a, key, value)
    return a


MATRICES = {
    "none": (None, cornet.WrongType, ["W:", "None"]),
    "text": ("W", cornet.WrongType, ["W:", "str"]),
    "number": (3.0, cornet.WrongType, ["W:", "float"]),
    "float32": (EYE.astype(np.float32), cornet.WrongType, ["W:", "float32", "float64"]),
    "float128": (EYE.astype(np.longdouble), cornet.WrongType, ["W:", "float128", "float64"]),
    "int": (EYE.astype(int), cornet.WrongType, ["W:", "int64", "float64"]),
    "bool": (EYE.astype(bool), cornet.WrongType, ["W:", "bool", "float64"]),
    "complex": (EYE.astype(complex), cornet.WrongType, ["W:", "complex128", "float64"]),
    "object": (EYE.astype(object), cornet.WrongType, ["W:", "object", "float64"]),
    "strings": (EYE.astype(str), cornet.WrongType, ["W:", "float64"]),
    "other byte order": (EYE.astype(">f8"), cornet.WrongType, ["W:", ">f8", "float64"]),
    "masked": (np.ma.masked_array(EYE, mask=EYE > 0), cornet.WrongType, ["W:", "mask"]),
    "negative strides": (EYE[::-1], cornet.InvalidProblem, ["W:", "strides (-48, 8)", "contiguous"]),
    "every second": (np.eye(12)[::2, ::2], cornet.InvalidProblem, ["W:", "strides (192, 16)", "contiguous"]),
    "broadcast": (np.broadcast_to(1.0, (6, 6)), cornet.InvalidProblem, ["W:", "strides (0, 0)", "contiguous"]),
    "vector": (Q, cornet.InvalidProblem, ["W:", "(6,)", "two axes"]),
    "three axes": (np.zeros((6, 6, 6)), cornet.InvalidProblem, ["W:", "(6, 6, 6)", "two axes"]),
    "empty vector": (np.array([]), cornet.InvalidProblem, ["W:", "(0,)", "two axes"]),
    "empty matrix": (np.zeros((0, 0)), cornet.InvalidProblem, ["mu", "2 numbers", "0"]),
    "not square": (np.zeros((6, 3)), cornet.InvalidProblem, ["W:", "6×3", "square"]),
    "not a multiple": (np.eye(7), cornet.InvalidProblem, ["W:", "7 rows", "multiple"]),
    "too small": (np.eye(3), cornet.InvalidProblem, ["mu:", "2 numbers", "1"]),
    "nan": (np.where(EYE > 0, np.nan, 0), cornet.InvalidProblem, ["W[0, 0]", "nan", "finite"]),
    "inf": (np.diag([1, 1, 1, 1, 1, np.inf]), cornet.InvalidProblem, ["W[5, 5]", "inf", "finite"]),
    "ragged list": ([[1.0], [1.0, 2.0]], cornet.WrongType, ["W:", "list"]),
    "list of text": ([["1"] * 6] * 6, cornet.WrongType, ["W:", "list"]),
    "list of huge integers": ([[10**400] * 6] * 6, cornet.WrongType, ["W:", "list"]),
    "sparse float32": (sp.eye(6, dtype=np.float32, format="csr"), cornet.WrongType, ["W.data:", "float32", "float64"]),
    "sparse int": (sp.eye(6, dtype=int, format="csc"), cornet.WrongType, ["W.data:", "int64", "float64"]),
    "sparse complex": (sp.eye(6, dtype=complex), cornet.WrongType, ["W.data:", "complex128", "float64"]),
    "sparse nan": (sp.csc_matrix(np.where(EYE > 0, np.nan, 0)), cornet.InvalidProblem, ["W.x[0]", "nan", "finite"]),
    "sparse empty": (sp.csc_matrix((0, 0)), cornet.InvalidProblem, ["mu", "2 numbers"]),
    "index too large": (broken(indices=np.array([0, 1, 2, 3, 4, 6], np.int32)), cornet.InvalidProblem, ["W.i[5]", "6"]),
    "index negative": (broken(indices=np.array([0, 1, 2, 3, 4, -1], np.int32)), cornet.InvalidProblem, ["W.i[5]", "-1"]),
    "index overflow": (broken(indices=np.array([0, 1, 2, 3, 4, 2**32 + 5])), cornet.InvalidProblem, ["W.indices[5]", "4294967301"]),
    "index overflow down": (broken(indices=np.array([0, 1, 2, 3, 4, -2**40])), cornet.InvalidProblem, ["W.indices[5]", "32 bits"]),
    "index unsigned": (broken(indices=np.array([0, 1, 2, 3, 4, 2**64 - 1], np.uint64)), cornet.InvalidProblem, ["W.indices[5]", "32 bits"]),
    "index of floats": (broken(indices=np.arange(6.0)), cornet.WrongType, ["W.indices:", "float64", "integers"]),
    "index none": (broken(indices=None), cornet.WrongType, ["W.indices:", "None", "integers"]),
    "pointer overflow": (broken(indptr=np.array([0, 1, 2, 3, 4, 5, 2**31])), cornet.InvalidProblem, ["W.indptr[6]", "32 bits"]),
    "pointer backwards": (broken(indptr=np.array([0, 4, 2, 3, 4, 5, 6], np.int32)), cornet.InvalidProblem, ["W.p[2]"]),
    "pointer beyond": (broken(indptr=np.array([0, 1, 2, 3, 4, 5, 700], np.int32)), cornet.InvalidProblem, ["W.p[6]", "700"]),
    "pointer missing": (broken(indptr=np.array([], np.int32)), cornet.InvalidProblem, ["W.p", "0 pointers", "7"]),
    "data missing": (broken(data=np.array([])), cornet.InvalidProblem, ["W.i", "6 indices", "0"]),
    "data none": (broken(data=None), cornet.WrongType, ["W.data:", "None"]),
    "data strided": (broken(data=np.ones(12)[::2]), cornet.InvalidProblem, ["W.data:", "strides (16,)", "contiguous"]),
    "data backwards": (broken(data=np.ones(6)[::-1]), cornet.InvalidProblem, ["W.data:", "strides (-8,)", "contiguous"]),
    "too many columns": (sp.coo_matrix(([1.0], ([0], [0])), shape=(6, 2**31)), cornet.InvalidProblem, ["W:", "2147483648 columns"]),
}


@pytest.mark.parametrize("case", MATRICES)
def test_matrix(case):
    value, kind, words = MATRICES[case]
    with raises(kind, *words):
        cornet.LocalProblem(value, Q, MU)


VECTORS = {
    "none": (None, cornet.WrongType, ["None", "float64"]),
    "number": (1.0, cornet.WrongType, ["float", "vector"]),
    "float32": (Q.astype(np.float32), cornet.WrongType, ["float32", "float64"]),
    "int": (np.arange(6), cornet.WrongType, ["int64", "float64"]),
    "column": (Q[:, None], cornet.InvalidProblem, ["(6, 1)", "one axis"]),
    "no axes": (np.array(1.0), cornet.InvalidProblem, ["()", "one axis"]),
    "negative strides": (Q[::-1], cornet.InvalidProblem, ["strides (-8,)", "contiguous"]),
    "strided": (np.arange(12.0)[::2], cornet.InvalidProblem, ["strides (16,)", "contiguous"]),
    "empty": (np.array([]), cornet.InvalidProblem, ["0 numbers", "6"]),
    "short": (Q[:5].copy(), cornet.InvalidProblem, ["5 numbers", "6"]),
    "long": (np.append(Q, 0), cornet.InvalidProblem, ["7 numbers", "6"]),
    "nan": (np.append(Q[:5], np.nan), cornet.InvalidProblem, ["[5]", "nan", "finite"]),
    "sparse": (sp.csc_matrix(Q), cornet.WrongType, ["sparse", "float64"]),
    "text": ("1 2 3", cornet.WrongType, ["str"]),
    "list of none": ([None] * 6, cornet.WrongType, ["list"]),
}


@pytest.mark.parametrize("case", VECTORS)
def test_vector(case):
    value, kind, words = VECTORS[case]
    with raises(kind, "q", *words):
        cornet.LocalProblem(EYE, value, MU)
    with raises(kind, "w", *words):
        cornet.GlobalProblem(np.eye(2), np.zeros((2, 6)), np.zeros(2), value, MU)
    if case != "none":
        with raises(kind, "guess", *(["not finite"] if case == "nan" else words)):
            cornet.solve(cornet.LocalProblem(EYE, Q, MU), guess=value)
    with pytest.raises(cornet.Error, match="r"):
        cornet.certify(cornet.LocalProblem(EYE, Q, MU), value)


@pytest.mark.parametrize("mu, kind, words", [
    (None, cornet.WrongType, ["None"]), (True, cornet.WrongType, ["bool"]), ("0.5", cornet.WrongType, ["str"]),
    ([0.5], cornet.InvalidProblem, ["1 numbers", "2"]), ([0.5, -1.0], cornet.InvalidProblem, ["mu[1]", "-1"]),
    ([0.5, float("nan")], cornet.InvalidProblem, ["mu[1]", "nan"]), (-0.1, cornet.InvalidProblem, ["mu[0]", "-0.1"]),
    (MU.astype(np.float32), cornet.WrongType, ["float32", "float64"])])
def test_friction(mu, kind, words):
    with raises(kind, "mu", *words):
        cornet.LocalProblem(EYE, Q, mu)


@pytest.mark.parametrize("dim, kind", [(None, cornet.WrongType), (3.0, cornet.WrongType), ("3", cornet.WrongType), (True, cornet.WrongType),
                                       (1, cornet.InvalidProblem), (4, cornet.InvalidProblem), (-3, cornet.InvalidProblem),
                                       (2**70, cornet.InvalidProblem)])
def test_dimension(dim, kind):
    with raises(kind, "dim", "2 or 3"):
        cornet.LocalProblem(EYE, Q, MU, dim)


def test_name():
    with raises(cornet.WrongType, "name", "int"):
        cornet.LocalProblem(EYE, Q, MU, name=3)
    with raises(cornet.WrongType, "name"):
        cornet.LocalProblem(EYE, Q, MU, name="\ud800")


def test_constraints_belong_together():
    with raises(cornet.InvalidProblem, "R", "nothing"):
        cornet.LocalProblem(EYE, Q, MU, V=np.ones((6, 1)))
    with pytest.raises(cornet.InvalidProblem, match="b: found"):
        cornet.GlobalProblem(np.eye(6), EYE, Q, Q, MU, G=np.ones((6, 1)))


P = cornet.LocalProblem(EYE, Q, MU)


@pytest.mark.parametrize("keywords, kind, words", [
    (dict(solver=None), cornet.WrongType, ["solver", "None"]), (dict(solver="nsgs"), cornet.InvalidOption, None),
    (dict(tol="small"), cornet.WrongType, ["tol", "str"]), (dict(tol=0), cornet.InvalidOption, ["tol", "(0, 1]"]),
    (dict(tol=float("nan")), cornet.InvalidOption, ["tol", "nan"]), (dict(tol=2), cornet.InvalidOption, ["tol"]),
    (dict(tol=True), cornet.WrongType, ["tol", "bool"]), (dict(tol=10**400), cornet.InvalidOption, ["tol", "inf"]),
    (dict(time_limit=0), cornet.InvalidOption, ["time_limit", "> 0"]), (dict(time_limit="1"), cornet.WrongType, ["time_limit"]),
    (dict(max_iterations=0), cornet.InvalidOption, ["max_iterations"]),
    (dict(max_iterations=2**63), cornet.InvalidOption, ["max_iterations"]),
    (dict(max_iterations=1.5), cornet.WrongType, ["max_iterations", "1.5"]), (dict(threads=0), cornet.InvalidOption, ["threads"]),
    (dict(threads=2**40), cornet.InvalidOption, ["threads"]), (dict(check="yes"), cornet.WrongType, ["check", "yes"]),
    (dict(quality=1), cornet.WrongType, ["quality"]), (dict(history=None), cornet.WrongType, ["history"]),
    (dict(callback=3), cornet.WrongType, ["callback", "function"]), (dict(guess={}), cornet.WrongType, ["r", "dict"]),
    (dict(solver="nsgs-ac", omega=None), cornet.WrongType, ["omega", "None"]),
    (dict(solver="psor-ac", omega="big"), cornet.InvalidOption, ["omega", "big"]),
    (dict(solver="psor-ac", omega=5), cornet.InvalidOption, ["omega", "5"]), (dict(no_such=1), cornet.InvalidOption, None)])
def test_solve_arguments(keywords, kind, words):
    if words is None:
        with pytest.raises(kind, match="unknown.*nearest"):
            cornet.solve(P, **keywords)
    else:
        with raises(kind, *words):
            cornet.solve(P, **keywords)


@pytest.mark.parametrize("problem", [None, EYE, "p.hdf5", 3])
@pytest.mark.parametrize("function", [cornet.solve, cornet.check_existence, cornet.analyse, cornet.reduce, cornet.explore,
                                      cornet.solve_convex, cornet.enumerate_solutions,
                                      lambda p: cornet.certify(p, Q), lambda p: cornet.assess(p, Q),
                                      lambda p: cornet.velocities(p, Q), lambda p: cornet.write("never", p), cornet.Session().solve])
def test_problem_argument(function, problem):
    with raises(cornet.WrongType, "problem:", "LocalProblem or a GlobalProblem"):
        function(problem)


@pytest.mark.parametrize("keywords, kind, words", [
    (dict(s=[-1.0, 0.0]), cornet.InvalidProblem, ["s:", "-1"]), (dict(s=[1.0]), cornet.InvalidProblem, ["s", "2"]),
    (dict(s=np.zeros(2, np.float32)), cornet.WrongType, ["s:", "float32"]), (dict(set="ball"), cornet.InvalidOption, ["set", "ball"]),
    (dict(set="disk", radius="x"), cornet.WrongType, ["radius"]),
    (dict(normal=np.zeros(4)[::2]), cornet.InvalidProblem, ["normal", "contiguous"])])
def test_convex_arguments(keywords, kind, words):
    with raises(kind, *words):
        cornet.solve_convex(P, **keywords)


def test_paths(tmp_path):
    for path in (None, 3, b"bytes"):
        with raises(cornet.WrongType, "path:"):
            cornet.read(path)
    with raises(cornet.InvalidOption, "null"):
        cornet.read("a\0b")
    with pytest.raises(cornet.IoError, match="missing.hdf5: cannot open"):
        cornet.read(tmp_path / "missing.hdf5")
    assert issubclass(cornet.IoError, OSError)
    with pytest.raises(cornet.Error):
        cornet.read(tmp_path)
    (tmp_path / "text").write_text("nonsense")
    with pytest.raises(cornet.Error):
        cornet.read(tmp_path / "text")
    with raises(cornet.InvalidOption, "form", "either"):
        cornet.read(tmp_path / "text", form="either")
    with pytest.raises(cornet.IoError):
        cornet.write(tmp_path / "no" / "folder.hdf5", P)
    with raises(cornet.InvalidProblem, "r:", "5 numbers", "6"):
        cornet.write(tmp_path / "o.hdf5", P, np.zeros(5))
    with raises(cornet.WrongType, "x:", "dict"):
        cornet.write(tmp_path / "o.hdf5", P, {})
    assert not (tmp_path / "o.hdf5").exists()
    with raises(cornet.WrongType, "paths"):
        cornet.read_records()
    with pytest.raises(cornet.IoError):
        cornet.read_records(tmp_path / "missing.jsonl")


@pytest.mark.parametrize("scene, keywords, kind", [
    (None, {}, cornet.WrongType), ("no-such-scene", {}, cornet.InvalidOption), ("missing.json", {}, cornet.IoError),
    ({"bodies": 3}, {}, cornet.Error),
    ("arch", dict(no_such=1), cornet.InvalidOption), ("arch", dict(mu=-1), cornet.InvalidOption), ("arch", dict(mu=None), cornet.WrongType),
    ("arch", dict(dt=0), cornet.InvalidOption), ("arch", dict(steps=0), cornet.InvalidOption), ("arch", dict(steps=1.5), cornet.WrongType),
    ("arch", dict(time=float("inf")), cornet.InvalidOption), ("arch", dict(tol=0), cornet.InvalidOption),
    ("arch", dict(callback=1), cornet.WrongType),
    ("arch", dict(solver="nsgs"), cornet.InvalidOption), ("arch", dict(record="/no/folder/x.rec"), cornet.IoError),
    ({"dim": 3}, dict(mu=1), cornet.WrongType)])
def test_simulate_arguments(scene, keywords, kind):
    with pytest.raises(kind):
        cornet.simulate(scene, **keywords)


def test_exceptions_are_the_usual_ones():
    for kind, usual in ((cornet.InvalidProblem, ValueError), (cornet.InvalidOption, ValueError), (cornet.WrongType, TypeError),
                        (cornet.IoError, OSError), (cornet.MissingFeature, NotImplementedError)):
        assert issubclass(kind, cornet.Error) and issubclass(kind, usual) and kind.__module__ == "cornet"


def test_uninitialised_objects():
    for kind in (cornet.LocalProblem, cornet.GlobalProblem, cornet.Problem):
        empty = kind.__new__(kind)
        for use in (lambda: empty.mu, lambda: empty.contacts, lambda: repr(empty) if kind is not cornet.Problem else empty.form,
                    lambda: cornet.solve(empty)):
            with pytest.raises(RuntimeError, match="without __init__"):
                use()
    with pytest.raises(TypeError):
        cornet.Problem()


def test_random_arguments_never_crash():
    """Whatever comes: a problem, or an exception of ours. Two thousand draws from the things above and more."""
    rng = random.Random(7)
    things = [value for value, _, _ in MATRICES.values()] + [value for value, _, _ in VECTORS.values()]
    unaligned = np.frombuffer(b"\0" * 49, dtype=np.uint8)[1:].view(np.float64)
    things += [EYE, Q, MU, 0.5, [], {}, object(), np.float64(1), np.zeros((6, 0)), np.zeros((0, 6)), sp.csr_matrix(EYE),
               sp.coo_matrix((6, 6)), sp.csc_matrix((6, 1)), unaligned, np.datetime64("2020"), range(6), 6, 3, 2]
    made = 0
    for _ in range(2000):
        pick = [rng.choice(things) for _ in range(9)]
        for build in (lambda: cornet.LocalProblem(*pick[:4]), lambda: cornet.LocalProblem(EYE, Q, MU, V=pick[0], R=pick[1], s=pick[2]),
                      lambda: cornet.GlobalProblem(*pick[:6]), lambda: cornet.GlobalProblem(EYE, EYE, Q, Q, MU, G=pick[0], b=pick[1]),
                      lambda: cornet.solve(P, guess=pick[0], max_iterations=2, solver="nsgs-ac"), lambda: cornet.certify(P, *pick[:3])):
            try:
                build()
                made += 1
            except cornet.Error:
                pass
    assert made > 100, "some of them are right"
