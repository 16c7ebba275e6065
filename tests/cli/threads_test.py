"""--threads: the program never has more of them than it was given."""
import json
import os
import subprocess

import pytest
from support import CORNET, endless_file, not_sanitized, one_error, run

pytestmark = not_sanitized("its runtime has a thread of its own")


def most_threads(*args):
    """The largest number of threads that /proc shows while cornet runs, and what it prints."""
    process = subprocess.Popen([CORNET, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    most = looks = 0
    while process.poll() is None:
        try:
            most = max(most, len(os.listdir(f"/proc/{process.pid}/task")))
            looks += 1
        except FileNotFoundError:
            break
        try:
            process.wait(0.005)
        except subprocess.TimeoutExpired:
            pass
    out, err = process.communicate(timeout=30)
    assert looks > 5 and err == "", (looks, err)
    return most, out


@pytest.mark.parametrize("asked", [1, 3])
@pytest.mark.parametrize("solver", ["auto", "nsgs-ac", "newton-ipm"])
def test_a_solve_has_no_more_threads_than_asked_for(tmp_path, solver, asked):
    path = endless_file(tmp_path / "p.hdf5")
    most, out = most_threads("solve", path, "--solver", solver, "--tol", "1e-15", "--max-iterations", 10**9, "--time-limit", 1, "--threads", asked,
                             "--json")
    assert 1 <= most <= asked
    assert json.loads(out)["provenance"]["threads"] == asked


def test_a_simulation_has_one(tmp_path):
    most, _ = most_threads("simulate", "dominoes", "--steps", 500, "--record", tmp_path / "r.cornet")
    assert most == 1


def test_none_is_refused(tmp_path):
    assert "threads" in one_error(run("solve", endless_file(tmp_path / "p.hdf5", contacts=3), "--threads", 0), 2)
