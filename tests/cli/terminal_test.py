"""What a terminal shows: colour, the progress line, and neither of them in a pipe."""
import os
import pty
import re
import select
import subprocess
import time

from support import CORNET, endless_file, one_contact, run

LONG = ["--solver", "fp-vi-upk", "--tol", "1e-14", "--max-iterations", "1000000000", "--time-limit"]


def on_terminal(*args, env=None):
    """Runs with both output streams on one pseudo terminal; returns what it showed."""
    master, slave = pty.openpty()
    full = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    full.update({"TERM": "xterm", **(env or {})})
    process = subprocess.Popen([CORNET, *map(str, args)], stdin=slave, stdout=slave, stderr=slave, env=full)
    os.close(slave)
    shown = b""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if select.select([master], [], [], 0.1)[0]:
            try:
                data = os.read(master, 65536)
            except OSError:  # the other side is closed
                break
            if not data:
                break
            shown += data
    os.close(master)
    return process.wait(timeout=60), shown.decode("utf-8")


def test_colour_only_on_a_terminal(tmp_path):
    path = one_contact(tmp_path / "p.hdf5")
    code, shown = on_terminal("solve", path)
    assert code == 0 and "\033[32m✓\033[0m" in shown
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        code, shown = on_terminal("solve", path, env=env)
        assert code == 0 and "\033" not in shown and "✓" in shown
    assert "\033" not in run("solve", path, env={"TERM": "xterm"}).stdout


def test_columns_line_up_with_colour(tmp_path):
    path = one_contact(tmp_path / "p.hdf5")
    shown = on_terminal("solve", path)[1].replace("\r\n", "\n")
    plain = run("solve", path).stdout
    strip = [re.sub(r"\033\[\d*m", "", line).split("  ")[0] for line in shown.splitlines()]
    assert strip == [line.split("  ")[0] for line in plain.splitlines()]


def test_progress_after_a_second(tmp_path):
    path = endless_file(tmp_path / "p.hdf5")
    code, shown = on_terminal("solve", path, *LONG, "2.5")
    assert code == 1
    lines = [part for part in shown.split("\r") if "iteration " in part and "residual" in part]
    # From 1 s to 2.5 s, or when a busy machine ends it, at ten a second.
    end = float(re.search(r"([\d.]+) s\033", lines[-1]).group(1))
    assert 3 <= len(lines) <= 10 * (end - 1) + 2, (len(lines), end)
    assert "\r\033[K" in shown and shown.rstrip().splitlines()[-1].startswith(("\033[2mhint", "hint", " ")), shown
    assert "residual" not in on_terminal("solve", path, *LONG, "1.5", "--quiet")[1]


def test_no_progress_when_short_or_piped(tmp_path):
    path = one_contact(tmp_path / "p.hdf5")
    assert "\r\033[K" not in on_terminal("solve", path)[1]
    done = run("solve", endless_file(tmp_path / "q.hdf5"), *LONG, "1.5")
    assert done.returncode == 1 and done.stderr == ""


def test_closed_pipe_is_quiet(tmp_path):
    path = one_contact(tmp_path / "p.hdf5")
    done = subprocess.run(f"'{CORNET}' solvers --json | head -c 1; '{CORNET}' info '{path}' | true", shell=True, capture_output=True)
    assert done.stderr == b""
