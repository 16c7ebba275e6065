"""The pages under docs/solvers say what the program says."""
import os
import subprocess


def test_pages_match_the_program():
    script = os.path.join(os.environ["CORNET_SOURCE"], "tools", "solver_pages.py")
    done = subprocess.run(["/usr/bin/python3", script, os.environ["CORNET"], "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
