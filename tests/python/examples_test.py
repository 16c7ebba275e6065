"""Every program in examples/python: short, and it runs as it is."""
import os
import pathlib
import subprocess
import sys

import pytest

import cornet

EXAMPLES = pathlib.Path(os.environ.get("CORNET_SOURCE", pathlib.Path(__file__).parents[2])) / "examples" / "python"
ARGUMENTS = {"simulate.py": ["figure.png"], "compare_solvers.py": ["p.hdf5", "figure.png"], "solve_file.py": ["p.hdf5", "answer.hdf5"],
             "story_000.py": ["."]}
FILES = {"simulate.py": ["figure.png"], "compare_solvers.py": ["figure.png"], "solve_file.py": ["answer.hdf5"],
         "story_000.py": ["story_000.png"]}


def run(name, *arguments, folder):
    return subprocess.run([sys.executable, str(EXAMPLES / name), *arguments], cwd=folder, capture_output=True, encoding="utf-8",
                          timeout=300)


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.py")))
def test_runs(name, tmp_path):
    cornet.write(tmp_path / "p.hdf5", cornet.samples()["sphere-lattice-5x5x3"])
    done = run(name, *ARGUMENTS.get(name, []), folder=tmp_path)
    assert done.returncode == 0 and done.stderr == "" and done.stdout, (done.stdout, done.stderr)
    for file in FILES.get(name, []):
        assert (tmp_path / file).stat().st_size > 1000


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_is_short(path):
    text = path.read_text(encoding="utf-8").splitlines()
    assert len(text) < (80 if path.name != "story_000.py" else 160) and max(map(len, text)) <= 140


def test_there_are_some():
    assert len(list(EXAMPLES.glob("*.py"))) >= 7


def test_bad_files(tmp_path):
    done = run("solve_file.py", "missing.hdf5", folder=tmp_path)
    assert done.returncode == 1 and done.stderr.startswith("solve_file.py: missing.hdf5: ")
    assert "PROBLEM.hdf5" in run("solve_file.py", folder=tmp_path).stderr
