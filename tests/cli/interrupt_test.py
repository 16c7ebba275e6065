"""Ctrl-C: the best point so far with its certificate, exit code 130. A second one kills."""
import json
import os
import signal
import subprocess
import time

import pytest
from support import CORNET, endless_file, error

LONG = ["--solver", "fp-vi-upk", "--tol", "1e-14", "--max-iterations", "1000000000", "--time-limit", "100"]


def start(*args):
    return subprocess.Popen([CORNET, "solve", *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")


def wait_until_solving(process):
    """On a busy machine the start takes its time: wait until the program catches SIGINT, then a little for the file."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        with open(f"/proc/{process.pid}/status") as f:
            caught = int(next(line for line in f if line.startswith("SigCgt")).split()[1], 16)
        if caught & (1 << (signal.SIGINT - 1)):
            break
        time.sleep(0.02)
    time.sleep(1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_best_point_with_certificate(tmp_path, number):
    path = endless_file(tmp_path / "p.hdf5")
    target = tmp_path / "o.hdf5"
    process = start(path, *LONG, "--json", "--output", target)
    wait_until_solving(process)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, (out, err)
    assert err == ""
    result = json.loads(out)
    assert result["status"] == "interrupted" and result["iterations"] > 0
    assert 0 < result["error"] < 1, "better than r = 0"
    assert result["certificate"]["worst_contact"] >= 0
    assert error(path, "local", target) == pytest.approx(result["error"], rel=1e-4)


def test_text_says_so(tmp_path):
    process = start(endless_file(tmp_path / "p.hdf5"), *LONG)
    wait_until_solving(process)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 130 and "✗ interrupted" in out


def test_second_signal_kills(tmp_path):
    process = start(endless_file(tmp_path / "p.hdf5"), *LONG, "--output", tmp_path / "o.hdf5")
    wait_until_solving(process)
    # Stopped, both signals wait and arrive together, before the solver can look.
    process.send_signal(signal.SIGSTOP)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGCONT)
    process.communicate(timeout=30)
    assert process.returncode in (-signal.SIGINT, -signal.SIGTERM)
    assert os.listdir(tmp_path) == ["p.hdf5"]


def test_time_limit(tmp_path):
    begin = time.monotonic()
    process = start(endless_file(tmp_path / "p.hdf5"), *LONG[:-1], "1", "--json")
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 1 and json.loads(out)["status"] == "time_limit"
    assert time.monotonic() - begin < 10
