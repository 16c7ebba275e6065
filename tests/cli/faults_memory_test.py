"""Lack of memory: a limit of the system (RLIMIT_AS) at many levels, and --memory-limit, which refuses before anything is asked for."""
import json
import os
import re

import numpy as np
import pytest
from faults_support import leftovers, limited, one_line
from support import global_file, local_file, not_sanitized, run, run_json, write_global

pytestmark = not_sanitized("it takes terabytes of addresses")

MB = 1 << 20
LEVELS = [40, 60, 70, 80, 90, 100, 120, 150, 200, 300, 500]
MEMORY = (3, 6)  # 3: the file could not be read for lack of memory; 6: anything later


def smallest_start():
    """Address space in which the program itself starts; below it the loader of the system fails, which is not ours."""
    for level in range(10, 400, 5):
        if limited("--version", address_space=level * MB).returncode == 0:
            return level
    raise AssertionError("the program does not start in 400 MB")


@pytest.fixture(scope="module")
def dense(tmp_path_factory):
    """700 contacts, all coupled: W has 35 MB, and a solve takes several times that."""
    folder = tmp_path_factory.mktemp("memory")
    rng = np.random.default_rng(1)
    H = np.zeros((6, 2100))
    H[:] = rng.normal(size=H.shape)
    w = np.zeros(2100)
    w[::3] = 1
    return write_global(folder / "dense.hdf5", np.eye(6), H, rng.normal(size=6), w, np.full(700, 0.5))


@pytest.fixture(scope="module")
def dense_local(tmp_path_factory, dense):
    """Its local form."""
    path = str(tmp_path_factory.mktemp("memory") / "dense_local.hdf5")
    assert run("convert", dense, path, "--form", "local").returncode == 0
    return path


def check_levels(tmp_path, arguments, output, allowed, known):
    """At every level: done, or one line and a code of memory; the output is whole or absent; both ends of the range were met."""
    start, ends = smallest_start(), set()
    for level in LEVELS + [4000]:
        if level < start:
            continue
        done = limited(*arguments, address_space=level * MB)
        if done.returncode in MEMORY:
            one_line(done, MEMORY, "memory")
            ends.add("refused")
        else:
            assert done.returncode in allowed, (level, done.returncode, done.stderr)
            ends.add("done")
        if output and output.exists():
            assert done.returncode in allowed
            output.unlink()
        assert leftovers(tmp_path, *known) == [], level
    assert "done" in ends
    return ends


@pytest.mark.parametrize("form, solver", [("global", "auto"), ("local", "auto"), ("global", "nsgs-ac"), ("global", "newton-ipm"),
                                          ("global", "nsn-ac-gp")])
def test_solve(tmp_path, dense, dense_local, form, solver):
    output = tmp_path / "out.hdf5"
    ends = check_levels(tmp_path, ["solve", dense if form == "global" else dense_local, "--solver", solver, "--tol", "1e-4", "--time-limit", "2", "--output", output], output,
                        (0, 1, 5), [])
    assert "refused" in ends or (form == "global" and solver in ("auto", "newton-ipm"))  # which need no W of one body


def test_check_and_convert(tmp_path, dense):
    check_levels(tmp_path, ["check", dense, "--time-limit", "2"], None, (0, 1, 4, 5), [])
    output = tmp_path / "local.hdf5"
    assert "refused" in check_levels(tmp_path, ["convert", dense, output, "--form", "local"], output, (0,), [])


def test_simulate(tmp_path):
    """The record that a simulation out of memory leaves is readable."""
    record = tmp_path / "a.rec"
    start = smallest_start()
    for level in LEVELS:
        if level < start:
            continue
        done = limited("simulate", "boxes-stack", "--set", "boxes=40", "--steps", "5", "--record", record, address_space=level * MB,
                       cwd=tmp_path)
        if done.returncode not in (0, 1):
            one_line(done, MEMORY, "memory")
        if record.exists() and record.stat().st_size > 0:
            assert run("view", record, "-o", tmp_path / "page.html").returncode == 0
            (tmp_path / "page.html").unlink()
            record.unlink()


def test_bench(tmp_path, dense):
    """A run out of memory is a record; the campaign goes on."""
    small = local_file(tmp_path / "small.hdf5")
    out = run_json("bench", "run", "--problems", dense, "--problems", small, "--solvers", "nsgs-ac,nsn-ac", "--tol", "1e-3",
                   "--time-limit", "5", "--memory-limit", "40MB", "--records", tmp_path / "a.jsonl")
    rows = [json.loads(line) for line in open(tmp_path / "a.jsonl")]
    assert len(rows) == out["done"] == 4
    statuses = {(os.path.basename(row["file"]), row["solver"]): row["status"] for row in rows}
    assert statuses[("dense.hdf5", "nsgs-ac")] == "memory_limit" and statuses[("small.hdf5", "nsgs-ac")] == "solved"


def estimate(line):
    found = re.search(r"up to ([0-9.]+) (kB|MB|GB) of memory, expected at most", line)
    return float(found[1]) * {"kB": 1e3, "MB": 1e6, "GB": 1e9}[found[2]]


def test_memory_limit_of_check(tmp_path, dense):
    local = tmp_path / "local.hdf5"
    assert run("convert", dense, local, "--form", "local").returncode == 0
    assert estimate(one_line(run("check", local, "--memory-limit", "150MB"), [6], local, "memory limit")) > 1e8
    assert run("check", dense, "--memory-limit", "150MB").returncode in (0, 1, 4)


@pytest.mark.parametrize("arguments", [["solve"], ["solve", "--solver", "nsn-ac"], ["solve", "--solver", "nsgs-ac"]])
def test_memory_limit_refuses_before_it_starts(tmp_path, dense, arguments):
    line = one_line(run(arguments[0], dense, *arguments[1:], "--memory-limit", "30MB"), [6], dense, "memory limit")
    assert estimate(line) > 5e6 or "the program" in line
    assert run(arguments[0], dense, *arguments[1:], "--memory-limit", "8GB", "--time-limit", "1").returncode in (0, 1, 4)


def test_memory_limit_of_a_simulation_keeps_the_record(tmp_path):
    record = tmp_path / "a.rec"
    done = run("simulate", "brick-wall", "--set", "rows=20", "--set", "columns=20", "--steps", "3", "--record", record,
               "--memory-limit", "60MB", cwd=tmp_path)
    one_line(done, [6], "memory limit")
    assert run("simulate", "boxes-stack", "--set", "boxes=20", "--steps", "3", "--memory-limit", "2GB", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("text", ["12", "MB", "-1MB", "0GB", "1e30GB", "5mb", "nanGB", "1,5GB", ""])
def test_sizes_that_are_none(tmp_path, text):
    done = run("solve", global_file(tmp_path / "p.hdf5"), f"--memory-limit={text}")
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
