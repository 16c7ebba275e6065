"""Real problems, when the folder is there: every file is described, and converted without a bit changed."""
import glob
import os

import pytest
from support import datasets, run, run_json

FILES = sorted(glob.glob(os.path.join(os.environ.get("CORNET_DATA", "/nowhere"), "fclib", "real", "**", "*.hdf5"), recursive=True))
# Every family is there; the largest files are left to the regression tests.
FILES = [path for path in FILES if os.path.getsize(path) < 1_000_000]


@pytest.mark.skipif(not FILES, reason="no real problems (CORNET_DATA)")
def test_info_and_round_trip(tmp_path):
    for path in FILES:
        out = run_json("info", path)
        assert out["number_of_contacts"] > 0 and out["blocks"]["count"] >= out["number_of_contacts"] // 2, path
        target = tmp_path / "copy.hdf5"
        assert run("convert", path, target).returncode == 0, path
        assert datasets(target) == datasets(path), path


@pytest.mark.skipif(not FILES, reason="no real problems (CORNET_DATA)")
def test_text_of_info_fits(tmp_path):
    for path in FILES[::5]:
        done = run("info", os.path.basename(path), cwd=os.path.dirname(path))
        assert done.returncode == 0 and all(len(line) <= 80 for line in done.stdout.splitlines()), done.stdout
