#!/usr/bin/python3
"""Builds the documentation site: warnings are errors.

    tools/site.py OUTPUT [PYTHON_PATH]

The pages go to OUTPUT/html. PYTHON_PATH is the folder of the built Python package; without it the Python reference stays empty.
Exits with 77 and names the packages when Sphinx, furo, MyST, Breathe or Doxygen are not there."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULES = {"python3-sphinx": "sphinx", "furo": "furo", "python3-myst-parser": "myst_parser", "python3-breathe": "breathe"}


def missing():
    """Packages of the group docs of tools/packages.txt that are not there."""
    lines = (ROOT / "tools" / "packages.txt").read_text(encoding="utf-8").splitlines()
    wanted = [line.split()[1] for line in lines if line.startswith("docs ")]
    return [package for package in wanted
            if not (importlib.util.find_spec(MODULES[package]) if package in MODULES else shutil.which(package))]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    absent = missing()
    if absent:
        print(f"the documentation site needs {', '.join(absent)}; on Debian 12: apt-get install --no-install-recommends {' '.join(absent)}",
              file=sys.stderr)
        return 77
    output = pathlib.Path(sys.argv[1]).resolve()
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    if len(sys.argv) == 3:
        environment["PYTHONPATH"] = sys.argv[2]
    options = ["-W", "--keep-going", "-n", "-q", "-E", "-a", "-b", "html", "-d", str(output / "doctrees")]
    done = subprocess.run([sys.executable, "-m", "sphinx", *options, str(ROOT / "docs"), str(output / "html")], env=environment)
    if done.returncode == 0:
        print(f"{output / 'html' / 'index.html'}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
