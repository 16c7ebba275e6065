"""Help, version and usage errors."""
import re
import subprocess

import pytest
from support import CORNET, not_sanitized, one_error, run, run_json

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


# Identifiers of the SPDX list that may occur, and those that must not: the default build links nothing under the GPL without an exception.
SPDX = {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "HDF5", "LGPL-2.1-or-later", "MIT", "MPL-2.0", "OpenSSL", "Zlib", "curl",
        "GPL-3.0-or-later WITH GCC-exception-3.1"}


def loaded_libraries():
    """The shared libraries that the program names itself, by their first word: libhdf5_serial.so.103 is hdf5."""
    text = subprocess.run(["readelf", "-d", CORNET], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"Shared library: \[lib([A-Za-z+]+)", text)
    return {re.sub("Collision|Math", "", name).lower() for name in names} - {"m", "gcc", "c"}


def test_dependencies_have_versions_and_licences():
    rows = {row["name"]: row for row in run_json("--version")["dependencies"]}
    for row in rows.values():
        assert re.match(r"\d+(\.\d+)*$", row["version"]), row
        assert all(word in SPDX for word in row["licence"].split(" AND ")), row
    assert {"Eigen", "fmt", "nlohmann_json", "CLI11", "three.js", "HDF5", "METIS", "Bullet"} <= set(rows)
    text = run("--version", "--verbose").stdout
    for row in rows.values():
        assert re.search(rf"^{re.escape(row['name'])} +{re.escape(row['version'])} ", text, re.M), row
    assert re.search(rf"^licence +{re.escape(run_json('--version')['licence'])}$", text, re.M)


@not_sanitized("it is linked with more")
def test_every_linked_library_is_in_the_list():
    listed = {re.sub(r"[^a-z+]", "", row["name"].lower().split()[0]) for row in run_json("--version")["dependencies"]}
    known = {"linear": "bullet", "stdc++": "libstdc++"}
    missing = {name for name in loaded_libraries() if known.get(name, name) not in listed}
    assert not missing, (missing, listed)


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
