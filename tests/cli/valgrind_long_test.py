"""The commands under valgrind's memcheck: no read of what was never written, no access outside what was asked for, nothing lost at the end.

The processes that cornet starts itself (the reader of FCLIB files) are looked at as well. Skipped without valgrind and in builds with a
sanitizer, which look at the same and do not run under it.
"""
import shutil
import subprocess

import pytest

from support import CORNET, global_file, local_file, not_sanitized, run

pytestmark = [pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed"), not_sanitized("valgrind does not run it")]
FAULT = 99


def checked(tmp_path, *args, codes=(0,)):
    """Runs cornet under memcheck; what it found, or nothing."""
    log = tmp_path / "valgrind.%p"
    done = subprocess.run(["valgrind", "--quiet", f"--error-exitcode={FAULT}", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect",
                           "--trace-children=yes", f"--log-file={log}", CORNET, *map(str, args)],
                          capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL, timeout=550)
    found = "".join(path.read_text() for path in sorted(tmp_path.glob("valgrind.*")))
    assert found == "" and done.returncode in codes, f"cornet {' '.join(map(str, args))}: {done.returncode}\n{done.stderr}\n{found}"
    return done.stdout


def test_a_fault_is_found(tmp_path):
    """The run itself: a program that reads what it never wrote must not pass."""
    source, program = tmp_path / "fault.c", tmp_path / "fault"
    source.write_text("#include <stdlib.h>\nint main(void) { int* p = malloc(8); return *p == 7 ? 1 : 0; }\n")
    subprocess.run(["cc", "-g", "-O0", "-o", program, source], check=True)
    assert subprocess.run(["valgrind", "--quiet", f"--error-exitcode={FAULT}", program], capture_output=True).returncode == FAULT


def test_demo(tmp_path):
    assert "✓" in checked(tmp_path, "demo")


@pytest.mark.parametrize("solver", ["auto", "nsgs-ac", "nsn-ac", "eg-vi-upts", "prox-newton", "newton-ipm", "aclm-newton", "spg", "admm"])
def test_solve(tmp_path, solver):
    for path in (local_file(tmp_path / "local.hdf5"), global_file(tmp_path / "global.hdf5")):
        checked(tmp_path, "solve", path, "--solver", solver, "--output", tmp_path / "out.hdf5", "--quality", codes=(0, 1))


@pytest.mark.parametrize("solver", ["nsgs-exact", "apgd", "soclcp-nsgs-pli", "tresca-fp-vi-upk", "pana-pgs-fp-vi-upk", "ppa-nsn-ac", "nsn-polish"])
def test_solve_in_local_form(tmp_path, solver):
    checked(tmp_path, "solve", local_file(tmp_path / "local.hdf5"), "--solver", solver, codes=(0, 1))


@pytest.mark.parametrize("solver", ["enumerate", "lemke"])
def test_solve_in_the_plane(tmp_path, solver):
    checked(tmp_path, "solve", local_file(tmp_path / "local.hdf5", dim=2), "--solver", solver)


def test_verify_check_info_convert(tmp_path):
    path, solved = global_file(tmp_path / "global.hdf5"), tmp_path / "solved.hdf5"
    assert run("solve", path, "--output", solved).returncode == 0
    checked(tmp_path, "verify", solved, "--verbose")
    checked(tmp_path, "check", path)
    checked(tmp_path, "info", path)
    checked(tmp_path, "convert", path, tmp_path / "again.hdf5")
    checked(tmp_path, "convex", path)


def test_bad_input(tmp_path):
    path = tmp_path / "cut.hdf5"
    path.write_bytes(open(local_file(tmp_path / "whole.hdf5"), "rb").read()[:900])
    checked(tmp_path, "solve", path, codes=(3,))
    checked(tmp_path, "solve", tmp_path / "absent.hdf5", codes=(3,))
    checked(tmp_path, "solve", "--tolerence", codes=(2,))


@pytest.mark.parametrize("scene", ["arch", "bouncing-ball", "rolling-sphere"])
def test_simulate(tmp_path, scene):
    record = tmp_path / "scene.rec"
    checked(tmp_path, "simulate", scene, "--steps", 6, "--record", record, "--dump-problems", tmp_path / "problems", "--vtk", tmp_path / "vtk",
            "--stats", tmp_path / "stats.csv")
    checked(tmp_path, "simulate", "--resume", record, "--steps", 9)
    checked(tmp_path, "view", record, "--output", tmp_path / "page.html")
