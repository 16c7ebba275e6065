"""The clock of the day runs backwards under the program: nothing but dates in records and files comes from it."""
import json
import subprocess

import pytest
from support import datasets, endless_file, local_file, not_sanitized, run, run_json

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* A thousand seconds back at every look. */
static long back(void) { static long now = 2000000000; return now -= 1000; }

int clock_gettime(clockid_t clock, struct timespec* t) {
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) return (int)syscall(SYS_clock_gettime, clock, t);
  t->tv_sec = back();
  t->tv_nsec = 0;
  return 0;
}
time_t time(time_t* out) {
  const time_t now = back();
  if (out) *out = now;
  return now;
}
int gettimeofday(struct timeval* t, void* zone) {
  (void)zone;
  t->tv_sec = back();
  t->tv_usec = 0;
  return 0;
}
"""


pytestmark = not_sanitized("its runtime has to be the first library")


@pytest.fixture(scope="module")
def backwards(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clock")
    (folder / "shim.c").write_text(SHIM)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", folder / "shim.so", folder / "shim.c"], check=True)
    env = {"LD_PRELOAD": str(folder / "shim.so")}
    # The shim works: the shell's date goes back.
    first, second = (int(subprocess.run(["date", "+%s"], env={**env, "PATH": "/usr/bin:/bin"}, capture_output=True, text=True).stdout)
                     for _ in range(2))
    assert first < 2000000000 and second == first, "every process starts at the same moment"
    return env


def test_the_time_limit_of_a_solve_holds(tmp_path, backwards):
    path = endless_file(tmp_path / "p.hdf5")
    out = run_json("solve", path, "--solver", "fp-vi-upk", "--tol", "1e-14", "--max-iterations", "1000000000", "--time-limit", "0.5",
                   "--history", code=1, env=backwards, timeout=60)
    assert out["status"] == "time_limit" and 0.5 <= out["time"] < 5
    times = [entry["time"] for entry in out["history"]]
    assert times == sorted(times) and times[0] >= 0


def test_the_answer_is_the_same(tmp_path, backwards):
    path = local_file(tmp_path / "p.hdf5")
    outputs = []
    for name, env in (("a.hdf5", None), ("b.hdf5", backwards)):
        assert run("solve", path, "--output", tmp_path / name, env=env).returncode == 0
        outputs.append(datasets(tmp_path / name))
    assert outputs[0] == outputs[1]


def test_times_of_a_campaign_and_of_a_simulation(tmp_path, backwards):
    path = local_file(tmp_path / "p.hdf5")
    out = run_json("bench", "run", "--problems", path, "--solvers", "nsgs-ac", "--tol", "1e-4", "--records", tmp_path / "a.jsonl", env=backwards)
    row = json.loads((tmp_path / "a.jsonl").read_text().splitlines()[0])
    assert 0 < out["wall"] < 60 and 0 <= row["time"] < 60
    assert run("simulate", "boxes-stack", "--steps", "20", "--stats", tmp_path / "a.csv", env=backwards).returncode == 0
    for line in (tmp_path / "a.csv").read_text().splitlines()[1:]:
        assert all(0 <= float(x) < 60 for x in line.split(",")[-3:])
