"""Threads: the GIL is free during a solve, problems are shared, arrays may change meanwhile, and nothing else may be used twice at once."""
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp

import cornet
from support import endless_file, not_sanitized

ENDLESS = dict(solver="fp-vi-upk", tol=1e-14, max_iterations=10**9, check=None)


def test_other_threads_run_during_a_solve(tmp_path):
    p = cornet.read(endless_file(tmp_path / "p.hdf5"))
    thread = threading.Thread(target=lambda: cornet.solve(p, time_limit=1, **ENDLESS))
    thread.start()
    turns = 0
    while thread.is_alive():
        time.sleep(0.001)
        turns += 1
    assert turns > 50, "with the GIL held there would be a few"


def test_one_problem_many_threads():
    problems = list(cornet.samples().values())
    alone = [cornet.solve(p).r.copy() for p in problems]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            together = list(pool.map(lambda k: cornet.solve(problems[k]).r, range(len(problems))))
            assert all(np.array_equal(a, b) for a, b in zip(alone, together))


def spoiled_arrays():
    """A problem, its arrays, a guess, and a thread that changes them all until `stop`."""
    p = cornet.reduce(cornet.samples()["sphere-lattice-5x5x3"])
    W, q, mu = p.W.copy(), p.q.copy(), p.mu.copy()
    for array in (W.data, W.indices, W.indptr):
        assert array.flags.writeable
    guess = np.zeros(p.size)
    stop = threading.Event()

    def spoil():
        rng = np.random.default_rng(1)
        while not stop.is_set():
            W.data[:] = rng.normal(size=len(W.data))
            W.indices[:] = rng.integers(-2**31, 2**31 - 1, size=len(W.indices))
            q[:] = np.nan
            guess[:] = np.nan
            time.sleep(0)

    return p, (W, q, mu), guess, threading.Thread(target=spoil), stop


def test_arrays_that_change_during_a_solve():
    """The problem has its own copy: whatever another thread does to the arrays, the answer is the same."""
    p, arrays, _, thread, stop = spoiled_arrays()
    expected = cornet.solve(p).r
    mine = cornet.LocalProblem(*arrays)
    thread.start()
    try:
        for _ in range(5):
            assert np.array_equal(cornet.solve(mine).r, expected)
    finally:
        stop.set()
        thread.join()


@not_sanitized("NumPy and the copy race on purpose", by="thread")
def test_building_from_arrays_that_change():
    """A problem or an exception."""
    _, arrays, guess, thread, stop = spoiled_arrays()
    thread.start()
    while not np.isnan(guess[0]):
        time.sleep(0.001)
    try:
        spoiled = 0
        for _ in range(300):
            try:
                cornet.solve(cornet.LocalProblem(*arrays), guess=guess, max_iterations=1, check=None)
            except cornet.Error:
                spoiled += 1
        assert spoiled == 300
    finally:
        stop.set()
        thread.join()


@not_sanitized("NumPy and the copy race on purpose", by="thread")
def test_building_while_numpy_writes_without_the_gil():
    """NumPy's own loops run without the GIL: they change an array in the middle of the copy. Indices are checked after it."""
    rows = 3 * 20000
    indices = np.arange(rows, dtype=np.int32)
    data, indptr, q = np.ones(rows), np.arange(rows + 1, dtype=np.int32), np.zeros(rows)
    W = sp.csr_matrix((data, indices, indptr), shape=(rows, rows), copy=False)
    W.indices = indices
    stop = threading.Event()
    good, bad = indices.copy(), np.full(rows, 2**31 - 1, np.int32)

    def spoil():
        while not stop.is_set():
            np.copyto(indices, bad)
            np.copyto(indices, good)

    thread = threading.Thread(target=spoil)
    thread.start()
    outcomes = {"built": 0, "refused": 0}
    try:
        for _ in range(200):
            try:
                p = cornet.LocalProblem(W, q, 0.5)
                assert p.W.indices.max() < rows and p.W.indices.min() >= 0
                outcomes["built"] += 1
            except cornet.InvalidProblem:
                outcomes["refused"] += 1
    finally:
        stop.set()
        thread.join()
    assert sum(outcomes.values()) == 200


def test_a_session_serves_one_thread(tmp_path):
    p = cornet.read(endless_file(tmp_path / "p.hdf5"))
    session = cornet.Session(time_limit=1, **ENDLESS)
    thread = threading.Thread(target=session.solve, args=(p,))
    thread.start()
    time.sleep(0.2)
    with pytest.raises(RuntimeError, match="another thread"):
        session.solve(p)
    thread.join()
    assert session.solve(p).status == "time_limit", "and then it is free again"


def test_a_simulation_serves_one_thread():
    simulation = cornet.Simulation("arch")
    simulation.step()
    refused, stop = set(), threading.Event()

    def look():
        while not stop.is_set():
            for use in (lambda: simulation.contacts, lambda: simulation.bodies, lambda: simulation.problem, lambda: simulation.energy):
                try:
                    use()
                except RuntimeError as error:
                    refused.add(str(error))
            time.sleep(1e-4)  # on one core the other would hardly get its turn

    thread = threading.Thread(target=look)
    thread.start()
    made = 1
    try:
        while made < 50:
            try:
                simulation.step()
                made += 1
            except RuntimeError as error:
                refused.add(str(error))
                time.sleep(1e-4)
    finally:
        stop.set()
        thread.join()
    assert simulation.steps == 50 and all("another thread" in text for text in refused)


def test_many_threads_with_callbacks():
    p = cornet.samples()["box-stack-8"]

    def work(k):
        seen = []
        x = cornet.solve(p, solver="nsgs-ac", max_iterations=20 + k, check=None, callback=lambda *entry: seen.append(threading.get_ident()))
        return len(seen) == x.iterations and set(seen) == {threading.get_ident()}

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(24))), "callbacks run in the thread that called"
