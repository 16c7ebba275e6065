"""SIGTERM, SIGINT and SIGKILL at random moments: outputs are old, absent or complete, finished work stays, exit codes are the documented ones.

The numbers of kills here are small; faults_signals_long_test.py has hundreds."""
import os
import random
import re
import signal
import subprocess

import pytest
from faults_support import duration, leftovers, same, struck
from support import CORNET, SANITIZED, datasets, local_file, run, run_json

SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGKILL]
TEMPORARY = re.compile(r".*\.tmp-\d+-\d+$")  # what only SIGKILL may leave behind


def check_end(number, code, err, usual):
    """130 after a polite signal, or the signal itself before the program catches it; the usual codes when it came too late."""
    if number == signal.SIGKILL:
        assert code in (-number, *usual), (code, err)
    else:
        assert code in (130, -number, *usual), (code, err)
    assert len(err.splitlines()) <= 1, err


def strike_file(tmp_path, kills, command, sources):
    """A command that writes one problem file, struck `kills` times; before each strike the target is absent or an older file."""
    target = tmp_path / "out.hdf5"
    run(*command(target))
    complete = datasets(target)
    old = datasets(sources["old"])
    longest = 1.1 * duration(command(target))
    counts = {"old": 0, "absent": 0, "complete": 0}
    for k in range(kills):
        number = SIGNALS[k % 3]
        if k % 2:
            target.write_bytes(open(sources["old"], "rb").read())
        elif target.exists():
            target.unlink()
        code, err = struck(command(target), number, longest)
        check_end(number, code, err, (0, 1))
        if not target.exists():
            assert k % 2 == 0
            counts["absent"] += 1
        elif k % 2 and same(target, old):
            counts["old"] += 1
        else:
            # A polite signal ends a solve early: then its best point is in the file, with the problem as it is.
            found = datasets(target)
            problem = {key: value for key, value in found.items() if not key.startswith("solution")}
            assert problem == {key: value for key, value in complete.items() if not key.startswith("solution")}
            assert found == complete or code == 130
            counts["complete"] += 1
        rest = leftovers(tmp_path, "out.hdf5", *map(os.path.basename, sources.values()))
        assert all(TEMPORARY.match(name) for name in rest) and (number == signal.SIGKILL or not rest), rest
        for name in rest:
            os.unlink(tmp_path / name)
    return counts


def strike_solve(tmp_path, kills):
    random.seed(1)
    sources = {"p": local_file(tmp_path / "p.hdf5", contacts=150), "old": local_file(tmp_path / "old.hdf5", contacts=2)}
    return strike_file(tmp_path, kills, lambda out: ["solve", sources["p"], "--output", out], sources)


def strike_write(tmp_path, kills):
    random.seed(2)
    sources = {"p": local_file(tmp_path / "p.hdf5", contacts=300), "old": local_file(tmp_path / "old.hdf5", contacts=2)}
    return strike_file(tmp_path, kills, lambda out: ["convert", sources["p"], out], sources)


def strike_simulate(tmp_path, kills):
    """Struck and resumed in turn; in the end the record is that of an undisturbed run, bit by bit."""
    random.seed(3)
    scene = ["boxes-stack", "--set", "boxes=6", "--tol", "1e-6"]
    whole, record = tmp_path / "whole.rec", tmp_path / "a.rec"
    steps = 60 * kills
    begun = False
    for k in range(kills):
        number = SIGNALS[k % 3]
        command = ["simulate", "--resume", record] if begun else ["simulate", *scene, "--record", record]
        code, err = struck([*command, "--steps", steps], number, 5 if SANITIZED else 0.5)
        check_end(number, code, err, (0, 1, 3))
        assert code != 3 or not begun
        begun = begun or (record.exists() and run("view", record, "-o", tmp_path / "page.html").returncode == 0)
    assert begun
    reached = run_json("view", record, "-o", tmp_path / "page.html")["frames"]
    steps = max(steps, reached)
    subprocess.run([CORNET, "simulate", *scene, "--record", whole, "--steps", str(steps)], stdout=subprocess.DEVNULL, check=True, timeout=500)
    subprocess.run([CORNET, "simulate", "--resume", record, "--steps", str(steps)], stdout=subprocess.DEVNULL, check=True, timeout=500)
    assert record.read_bytes() == whole.read_bytes()
    return {"steps reached while struck": reached - 1}


@pytest.mark.parametrize("strike", [strike_solve, strike_write])
def test_a_problem_file(tmp_path, strike):
    counts = strike(tmp_path, 18)
    assert counts["complete"] + counts["old"] + counts["absent"] == 18


def test_simulate(tmp_path):
    strike_simulate(tmp_path, 6)


def test_check_has_no_output_to_lose(tmp_path):
    path = local_file(tmp_path / "p.hdf5", contacts=60)
    longest = duration(["check", path])
    random.seed(5)
    for k in range(9):
        code, err = struck(["check", path], SIGNALS[k % 3], longest)
        check_end(SIGNALS[k % 3], code, err, (0, 1, 4))
    assert leftovers(tmp_path, "p.hdf5") == []
