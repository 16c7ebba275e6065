"""Types: the stubs of the compiled part have its names and arguments, and mypy accepts package, examples and their use."""
import ast
import os
import pathlib
import re
import subprocess
import sys

import pytest

import cornet
from cornet import _core

SOURCE = pathlib.Path(os.environ.get("CORNET_SOURCE", pathlib.Path(__file__).parents[2]))
STUBS = ast.parse((SOURCE / "python" / "cornet" / "_core.pyi").read_text(encoding="utf-8"))


def public(thing):
    return {name for name in dir(thing) if not name.startswith("_")}


def names(body):
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name, node
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id, node


def test_names():
    stubs = {name: node for name, node in names(STUBS.body) if not name.startswith("_")}
    assert set(stubs) == public(_core)
    inherited = public(_core.Problem)
    for name, node in stubs.items():
        if isinstance(node, ast.ClassDef):
            there = {n for n, _ in names(node.body) if not n.startswith("_")}
            here = public(getattr(_core, name)) - (inherited if name in ("LocalProblem", "GlobalProblem") else set())
            assert there == here, name


def arguments(doc):
    """The names in pybind11's own signature."""
    inside = re.match(r"\w+\((.*)\) -> ", doc.splitlines()[0])[1]
    return [part.split(":")[0].strip() for part in re.split(r", (?=\w+: )", inside) if ":" in part]


def test_arguments():
    for name, node in names(STUBS.body):
        if isinstance(node, ast.FunctionDef):
            assert arguments(getattr(_core, name).__doc__) == [a.arg for a in node.args.args], name
        elif isinstance(node, ast.ClassDef):
            for method, inner in names(node.body):
                if not isinstance(inner, ast.FunctionDef) or inner.decorator_list:
                    continue
                found = arguments(getattr(getattr(_core, node.name), method).__doc__)
                expected = [a.arg for a in inner.args.args + inner.args.kwonlyargs]
                if node.name != "Request":  # made by position only
                    assert found == expected, (node.name, method)


def test_everything_public_is_listed():
    hidden = {name for name in public(cornet) if name not in cornet.__all__}
    assert hidden <= {"plot", "convert", "annotations"}, hidden
    assert sorted(cornet.__all__) == cornet.__all__


@pytest.mark.skipif(subprocess.run([sys.executable, "-m", "mypy", "--version"], capture_output=True).returncode != 0, reason="no mypy")
def test_mypy(tmp_path):
    user = tmp_path / "user.py"
    user.write_text("import cornet\np = cornet.LocalProblem([[1.0]], [0.0], 0.5, dim=2)\nx = cornet.solve(p, omega=1.5)\n"
                    "n: int = x.iterations\nbad: str = x.error\n", encoding="utf-8")
    environment = {**os.environ, "MYPYPATH": str(SOURCE / "python")}
    options = ["--ignore-missing-imports", "--cache-dir", str(tmp_path / "cache"), "--python-version", "3.11"]
    done = subprocess.run([sys.executable, "-m", "mypy", *options, str(SOURCE / "python" / "cornet"), str(user)], capture_output=True,
                          encoding="utf-8", env=environment)
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 1 and "user.py:5" in errors[0], done.stdout + done.stderr
