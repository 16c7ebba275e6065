"""pip install, wheel and source archive, without network, in an environment of their own."""
import os
import pathlib
import subprocess
import sys
import tarfile
import zipfile

import pytest

SOURCE = pathlib.Path(os.environ["CORNET_SOURCE"])
JOBS = str(os.cpu_count() or 1)
pytestmark = pytest.mark.skipif("CORNET_SANITIZED" in os.environ, reason="the installed package is not built with a sanitizer")

USE = """
import cornet, numpy, pathlib
assert "site-packages" in cornet.__file__, cornet.__file__
assert cornet.solve(cornet.LocalProblem(numpy.eye(3), [-1.0, 3.0, 0.0], 0.5)).solved
folder = pathlib.Path(cornet.__file__).parent
assert (folder / "py.typed").exists() and (folder / "_core.pyi").exists() and cornet.plot and cornet.convert
print(cornet.__version__)
"""


def run(*command, cwd=None, check=True):
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "LD_PRELOAD")}
    environment.update(PIP_NO_INDEX="1", PIP_DISABLE_PIP_VERSION_CHECK="1", CMAKE_BUILD_PARALLEL_LEVEL=JOBS)
    done = subprocess.run([str(word) for word in command], capture_output=True, encoding="utf-8", env=environment, cwd=cwd)
    assert done.returncode == 0 or not check, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def environment(folder):
    run(sys.executable, "-m", "venv", "--system-site-packages", folder)
    return folder / "bin"


def backend(call):
    return run(sys.executable, "-c", f"import build_backend; print(build_backend.{call})", cwd=SOURCE / "python").splitlines()[-1]


@pytest.fixture(scope="session")
def build(tmp_path_factory):
    return tmp_path_factory.mktemp("build")


@pytest.mark.parametrize("flags", [[], ["--no-build-isolation"]], ids=["isolated", "not isolated"])
def test_install_from_the_repository(tmp_path, build, flags):
    bin = environment(tmp_path / "env")
    run(bin / "pip", "install", *flags, "--config-settings", f"build-dir={build}", SOURCE)
    version = run(bin / "python", "-c", USE, cwd=tmp_path).strip()
    assert f"Version: {version}\n" in run(bin / "pip", "show", "cornet")
    run(bin / "python", SOURCE / "examples" / "python" / "first_problem.py", cwd=tmp_path)
    assert "cornet" not in run(bin / "pip", "check", check=False), "what it needs is there"
    run(bin / "pip", "uninstall", "-y", "cornet")


def test_wheel(tmp_path, build):
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--config-settings", f"build-dir={build}", "-w", tmp_path, SOURCE)
    wheel, = tmp_path.glob("cornet-*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    package = {f"cornet/{path.name}" for path in (SOURCE / "python" / "cornet").iterdir() if path.is_file()}
    assert package <= names and any(name.startswith("cornet/_core.") and name.endswith(".so") for name in names)
    assert not any("__pycache__" in name for name in names)
    bin = environment(tmp_path / "env")
    run(bin / "pip", "install", wheel)
    run(bin / "python", "-c", USE, cwd=tmp_path)


def test_source_archive_builds(tmp_path):
    archive = tmp_path / backend(f"build_sdist({str(tmp_path)!r})")
    with tarfile.open(archive) as file:
        names = file.getnames()
    assert all(name.startswith(archive.name[:-len(".tar.gz")] + "/") for name in names)
    assert not any("/build/" in name or "__pycache__" in name or name.endswith((".so", ".o")) for name in names)
    bin = environment(tmp_path / "env")
    run(bin / "pip", "install", archive)
    run(bin / "python", "-c", USE, cwd=tmp_path)
