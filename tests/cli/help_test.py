"""Help, version and usage errors."""
import re

import pytest
from support import one_error, run, run_json

COMMANDS = ["info", "solve", "verify", "convert", "solvers", "demo"]


def test_top_help_lists_every_command():
    done = run("--help")
    assert done.returncode == 0 and done.stderr == ""
    for command in COMMANDS:
        assert re.search(rf"^  {command} ", done.stdout, re.M), command


@pytest.mark.parametrize("command", COMMANDS)
def test_command_help(command):
    done = run(command, "--help")
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.startswith(f"Usage: cornet {command}")
    for word in ("--help", "--json", "--quiet", "Example", f"  cornet {command}"):
        assert word in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines()), done.stdout


def test_help_as_a_word():
    assert run("help").stdout == run("--help").stdout
    assert run("help", "solve").stdout == run("solve", "--help").stdout


def test_no_arguments_prints_help():
    done = run()
    assert done.returncode == 2 and done.stdout == run("--help").stdout


def test_version():
    done = run("--version")
    assert done.returncode == 0
    assert re.fullmatch(r"cornet \d+\.\d+\.\d+\n", done.stdout)
    long = run("--version", "--verbose")
    assert long.returncode == 0 and long.stdout.startswith(done.stdout)
    assert re.search(r"^compiler +\S", long.stdout, re.M) and re.search(r"^fmt +\d", long.stdout, re.M)
    assert f"cornet {run_json('--version')['version']}\n" == done.stdout


@pytest.mark.parametrize("args, words", [
    (["slove", "x.hdf5"], ["unknown command 'slove'", "did you mean solve?"]),
    (["solve", "x.hdf5", "--tolerence", "1"], ["solve: unknown option --tolerence", "did you mean --tol"]),
    (["info", "x.hdf5", "--jsn"], ["info: unknown option --jsn", "did you mean --json?"]),
    (["solve"], ["solve: FILE is missing", "cornet solve --help"]),
    (["convert", "a.hdf5"], ["convert: OUT is missing"]),
    (["info", "a", "b"], ["info: one argument too many, 'b'"]),
    (["solve", "x.hdf5", "--tol"], ["--tol needs a value"]),
    (["solve", "x.hdf5", "--tol", "2"], ["--tol: found '2', expected a number in (0, 1]"]),
    (["solve", "x.hdf5", "--tol", "0"], ["--tol: found '0'"]),
    (["solve", "x.hdf5", "--tol", "nan"], ["--tol: found 'nan'"]),
    (["solve", "x.hdf5", "--tol", "-1"], ["--tol: found '-1'"]),
    (["solve", "x.hdf5", "--tol", "1e-4x"], ["--tol: found '1e-4x'"]),
    (["solve", "x.hdf5", "--tol", "1e-4", "--tol", "1e-5"], ["--tol is given more than once"]),
    (["solve", "x.hdf5", "--time-limit", "0"], ["--time-limit: found '0'"]),
    (["solve", "x.hdf5", "--max-iterations", "1.5"], ["--max-iterations: found '1.5', expected an integer"]),
    (["solve", "x.hdf5", "--threads", "0"], ["--threads: found '0'"]),
    (["solve", "x.hdf5", "--form", "both"], ["--form: found 'both', expected local or global"]),
    (["solve", "x.hdf5", "--guess", "one"], ["--guess: found 'one', expected zero or stored"]),
    (["solve", "x.hdf5", "--set", "omega"], ["--set: found 'omega', expected OPTION=VALUE"]),
    (["solve", "x.hdf5", "--solver", "nsgs-acc"], ["nsgs-acc", "nsgs-ac"]),
    (["solve", "x.hdf5", "--set", "nonsense=1"], ["nonsense"]),
    (["solvers", "nsgs-acc"], ["nsgs-acc", "nsgs-ac"]),
    (["--version", "solvers"], ["cannot be combined"]),
])
def test_usage_errors(args, words):
    line = one_error(run(*args), 2)
    for word in words:
        assert word in line, line


def test_usage_error_as_json():
    out = run_json("solve", code=2)
    assert out["exit"] == 2 and "FILE is missing" in out["error"]
    assert run_json("slove", code=2)["exit"] == 2
