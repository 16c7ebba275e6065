"""Sizes beyond 32 bits are refused in words, before memory is asked for: every run here has two gigabytes of addresses."""
import json
import subprocess
import time

import h5py
import numpy as np
import pytest
from faults_support import limited, one_line
from support import CORNET, local_file, one_contact, run_json, write_global

GB = 1 << 30


def refused(*args, codes=(3,)):
    start = time.monotonic()
    line = one_line(limited(*args, address_space=2 * GB), codes)
    assert "internal error" not in line and "out of memory" not in line, line
    assert time.monotonic() - start < 20
    return line


def huge(path, dataset, shape, dtype):
    """A dataset that claims a size and holds nothing: HDF5 allocates no chunk."""
    with h5py.File(path, "a") as f:
        del f[dataset]
        f.create_dataset(dataset, shape=shape, dtype=dtype, chunks=(1 << 16,))
    return path


@pytest.mark.parametrize("dataset, dtype", [("vectors/mu", "f8"), ("vectors/q", "f8"), ("W/x", "f8"), ("W/i", "i4"), ("W/p", "i4")])
@pytest.mark.parametrize("size", [2**31 - 1, 2**31, 2**32 + 9, 2**40])
def test_fclib_vectors(tmp_path, dataset, dtype, size):
    path = huge(one_contact(tmp_path / "p.hdf5"), f"fclib_local/{dataset}", (size,), dtype)
    refused("solve", path)


@pytest.mark.parametrize("name", ["m", "n", "nzmax", "nz"])
@pytest.mark.parametrize("value", [2**31 - 1, 2**31, 2**33 + 3, -2**31])
def test_fclib_sizes(tmp_path, name, value):
    path = one_contact(tmp_path / "p.hdf5")
    with h5py.File(path, "a") as f:
        del f[f"fclib_local/W/{name}"]
        f.create_dataset(f"fclib_local/W/{name}", data=np.array([value], np.int64))
    if (name, value) == ("nzmax", 2**31 - 1):  # room that another program had: a number to keep, nothing to allocate
        assert limited("info", path, address_space=2 * GB).returncode == 0
    else:
        refused("info", path)


@pytest.mark.parametrize("contacts", ["2147483647", "2147483648", "4294967297", "99999999999999999999"])
def test_siconos_text(tmp_path, contacts):
    text = "3\n{}\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n-1 0 0\n0.5\n"
    (tmp_path / "p.dat").write_text(text.format(1))
    assert limited("info", tmp_path / "p.dat", address_space=2 * GB).returncode == 0
    (tmp_path / "p.dat").write_text(text.format(contacts))
    assert contacts in refused("info", tmp_path / "p.dat")


def test_entries_of_w(tmp_path):
    """20 000 contacts on one body: H has 6 × 60 000 numbers, W would have 3.6e9."""
    contacts = 20000
    rng = np.random.default_rng(2)
    H = rng.normal(size=(6, 3 * contacts))
    path = write_global(tmp_path / "p.hdf5", np.eye(6), H, np.ones(6), np.zeros(3 * contacts), np.full(contacts, 0.5))
    for arguments in (["solve", path, "--solver", "nsgs-ac"], ["convert", path, tmp_path / "o.hdf5", "--form", "local"]):
        assert "32 bits" in refused(*arguments)
    assert not (tmp_path / "o.hdf5").exists()
    # What needs no W works, and auto needs none here. Where that is not enough, the best answer is kept and the message says why there is none better.
    done = limited("solve", path, "--json", address_space=2 * GB)
    assert done.returncode == 0 and json.loads(done.stdout)["status"] == "solved", done.stderr
    done = limited("solve", path, "--json", "--tol", "1e-15", address_space=2 * GB)
    assert done.returncode == 1, done.stderr
    out = json.loads(done.stdout)
    assert out["status"] == "stalled" and "32 bits" in out["message"] and out["error"] < 1e-6
    done = limited("solve", path, "--solver", "spg", "--tol", "1e-3", "--time-limit", "2", "--json", address_space=2 * GB)
    assert done.returncode in (0, 1), done.stderr
    assert json.loads(done.stdout)["status"] in ("solved", "time_limit")


@pytest.mark.parametrize("value", ["2147483648", "1e300", "99999999999"])
def test_parameters_of_scenes(value):
    """Every count of every scene of the library."""
    tried = 0
    for scene in run_json("scenes"):
        for parameter in scene["parameters"]:
            if parameter["upper"] < 1e9 and parameter["default"] == int(parameter["default"]):
                refused("simulate", scene["name"], "--set", f"{parameter['name']}={value}", "--steps", "1", codes=(2, 3))
                tried += 1
                break
    assert tried > 3


@pytest.mark.parametrize("cells", [[100000, 100000, 100000], [2000000000, 2, 2], [46341, 46341, 2]])
def test_cells_of_a_solid(tmp_path, cells):
    scene = json.loads(subprocess.run([CORNET, "scenes", "elastic-cubes"], capture_output=True, text=True, check=True).stdout)

    def enlarge(value):
        if isinstance(value, dict):
            return {k: cells if k == "divisions" else enlarge(v) for k, v in value.items()}
        return [enlarge(v) for v in value] if isinstance(value, list) else value

    larger = enlarge(scene)
    assert larger != scene
    (tmp_path / "s.json").write_text(json.dumps(larger))
    refused("simulate", tmp_path / "s.json", "--steps", "1", codes=(2, 3))


@pytest.mark.parametrize("arguments", [["generate", "Capsules", "--count", "4294967296", "--output", "x"],
                                       ["generate", "Capsules", "--count", "99999999999999999999", "--output", "x"],
                                       ["simulate", "boxes-stack", "--steps", "99999999999999999999"],
                                       ["bench", "run", "quick", "--records", "x", "--jobs", "4294967296"],
                                       ["solve", "x.hdf5", "--threads", "4294967296"],
                                       ["solve", "x.hdf5", "--explore", "4294967296"]])
def test_options(arguments):
    refused(*arguments, codes=(2,))


def test_a_sound_file_is_read_under_the_same_limit(tmp_path):
    assert limited("solve", local_file(tmp_path / "p.hdf5"), address_space=2 * GB).returncode == 0
