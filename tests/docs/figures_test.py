"""docs/experiments.md and docs/figures are what the program says and draws."""
import os
import pathlib
import subprocess

SOURCE = pathlib.Path(os.environ["CORNET_SOURCE"])


def test_figures_match_the_program():
    script = SOURCE / "tools" / "doc_figures.py"
    done = subprocess.run(["/usr/bin/python3", script, os.environ["CORNET"], "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_figures_are_small():
    sizes = {figure.name: figure.stat().st_size for figure in (SOURCE / "docs" / "figures").iterdir()}
    assert max(sizes.values()) <= 200_000 and sum(sizes.values()) <= 1_500_000, sizes
