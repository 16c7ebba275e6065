"""Bad input: exit code 3, one line that names file and field with what was found and expected, and nothing left behind."""
import os

import h5py
import numpy as np
import pytest
from support import global_file, local_file, one_contact, one_error, run, run_json, write_global, write_local, write_matrix


def edit(path, change):
    with h5py.File(path, "a") as f:
        change(f)
    return path


def replace(path, name, value, dtype=None):
    def change(f):
        kind = dtype or f[name].dtype
        del f[name]
        f[name] = np.asarray(value, kind)
    return edit(path, change)


def poke(path, name, index, value):
    def change(f):
        f[name][index] = value
    return edit(path, change)


def truncated(path):
    local_file(path)
    size = os.path.getsize(path)
    with open(path, "r+b") as f:
        f.truncate(size // 2)


def not_a_problem(path):
    with h5py.File(path, "w") as f:
        f["numbers"] = np.arange(3)


def rolling(path):
    with h5py.File(path, "w") as f:
        f.create_group("fclib_global_rolling")


def no_group(name):
    def make(path):
        local_file(path)
        edit(path, lambda f: f.__delitem__(name))
    return make


def not_square(path):
    local_file(path, contacts=2)
    edit(path, lambda f: f.__delitem__("fclib_local/W"))
    with h5py.File(path, "a") as f:
        write_matrix(f["fclib_local"], "W", np.ones((6, 3)))


# name → (how to make the file, what the line must name)
CASES = {
    "truncated": (truncated, []),
    "empty file": (lambda p: open(p, "w").close(), []),
    "text": (lambda p: open(p, "w").write("this is not a problem\n"), []),
    "binary": (lambda p: open(p, "wb").write(bytes(range(256)) * 10), []),
    "foreign hdf5": (not_a_problem, ["fclib_local"]),
    "rolling friction": (rolling, ["rolling"]),
    "no W": (no_group("fclib_local/W"), ["W"]),
    "no vectors": (no_group("fclib_local/vectors"), ["fclib_local/vectors"]),
    "no q": (no_group("fclib_local/vectors/q"), ["q"]),
    "no mu": (no_group("fclib_local/vectors/mu"), ["mu"]),
    "no spacedim": (no_group("fclib_local/spacedim"), ["spacedim"]),
    "no W/x": (no_group("fclib_local/W/x"), ["W/x"]),
    "spacedim 4": (lambda p: replace(local_file(p), "fclib_local/spacedim", [4]), ["spacedim", "4"]),
    "q too short": (lambda p: replace(local_file(p), "fclib_local/vectors/q", np.zeros(17)), ["q", "17", "18"]),
    "mu too long": (lambda p: replace(local_file(p), "fclib_local/vectors/mu", np.ones(7)), ["mu", "7", "6"]),
    "p too short": (lambda p: replace(local_file(p), "fclib_local/W/p", np.zeros(18)), ["W", "p", "18", "19"]),
    "x too short": (lambda p: replace(local_file(p), "fclib_local/W/x", np.zeros(5)), ["W", "5"]),
    "NaN in q": (lambda p: poke(local_file(p), "fclib_local/vectors/q", 3, np.nan), ["q[3]", "nan"]),
    "Inf in W": (lambda p: poke(local_file(p), "fclib_local/W/x", 7, np.inf), ["W", "x[7]", "inf"]),
    "NaN in mu": (lambda p: poke(local_file(p), "fclib_local/vectors/mu", 1, np.nan), ["mu[1]", "nan"]),
    "negative mu": (lambda p: poke(local_file(p), "fclib_local/vectors/mu", 2, -0.5), ["mu[2]", "-0.5"]),
    "m not a multiple of d": (lambda p: write_local(p, np.eye(4), np.zeros(4), [0.5], 3), ["W", "4", "3"]),
    "index out of range": (lambda p: poke(local_file(p), "fclib_local/W/i", 0, 18), ["W", "i[0]", "18"]),
    "negative index": (lambda p: poke(local_file(p), "fclib_local/W/i", 2, -1), ["W", "i[2]", "-1"]),
    "triplet column out of range": (lambda p: poke(local_file(p, storage="triplet"), "fclib_local/W/p", 1, 99), ["W", "p[1]", "99"]),
    "pointers go down": (lambda p: poke(local_file(p), "fclib_local/W/p", 3, 1), ["W", "p["]),
    "W not square": (not_square, ["W", "6×3"]),
    "H with too few rows": (lambda p: write_global(p, np.eye(6), np.ones((5, 3)), np.ones(6), np.zeros(3), [0.5]), ["H", "5", "6"]),
    "NaN in M": (lambda p: poke(global_file(p), "fclib_global/M/x", 0, np.nan), ["M", "x[0]"]),
    "f too short": (lambda p: replace(global_file(p), "fclib_global/vectors/f", np.zeros(2)), ["f", "2", "12"]),
    "Inf in w": (lambda p: poke(global_file(p), "fclib_global/vectors/w", 0, -np.inf), ["w[0]", "inf"]),
    "b without G": (lambda p: edit(global_file(p), lambda f: f.__setitem__("fclib_global/vectors/b", np.ones(2))), ["b", "2"]),
    "M singular": (lambda p: write_global(p, np.diag([1.0, 1, 0]), np.eye(3), np.ones(3), np.zeros(3), [0.5]), ["M"]),
}


@pytest.mark.parametrize("command", ["info", "solve", "convert"])
@pytest.mark.parametrize("case", CASES)
def test_bad_file(tmp_path, case, command):
    make, words = CASES[case]
    if command == "convert" and case in ("M singular", "b without G"):
        extra = ["--form", "local"]
    else:
        extra = []
    path = str(tmp_path / "bad.hdf5")
    make(path)
    output = {"info": [], "solve": ["--output", tmp_path / "out.hdf5"], "convert": [tmp_path / "out.hdf5"]}[command]
    line = one_error(run(command, path, *output, *extra), 3, path)
    message = line.split(path + ": ", 1)[1]
    for word in words:
        assert word in message, line
    assert len(message) > 10
    assert os.listdir(tmp_path) == ["bad.hdf5"]


def test_bad_file_as_json(tmp_path):
    path = poke(local_file(str(tmp_path / "bad.hdf5")), "fclib_local/vectors/mu", 2, -0.5)
    for command in ("info", "solve", "verify"):
        out = run_json(command, path, code=3)
        assert set(out) == {"error", "exit"} and out["exit"] == 3 and "mu[2]" in out["error"] and out["error"].startswith(path)


@pytest.mark.parametrize("command", ["info", "solve", "verify"])
def test_no_such_file(tmp_path, command):
    path = tmp_path / "absent.hdf5"
    assert "No such file" in one_error(run(command, path), 3, path)
    one_error(run(command, tmp_path), 3, tmp_path)


def test_a_name_with_a_line_break_stays_on_one_line(tmp_path):
    done = run("info", tmp_path / "two\nlines.hdf5")
    assert done.returncode == 3 and len(done.stderr.splitlines()) == 1


def test_old_output_survives_a_bad_input(tmp_path):
    good = one_contact(tmp_path / "good.hdf5")
    before = open(good, "rb").read()
    bad = str(tmp_path / "bad.hdf5")
    truncated(bad)
    assert run("convert", bad, good).returncode == 3
    assert open(good, "rb").read() == before


DAT = {
    "nothing": "",
    "cut in the matrix": "3\n1\n0\n3 3\n3 3\n1 0 0\n0 1",
    "cut before mu": "3\n1\n0\n3 3\n3 3\n1 0 0\n0 1 0\n0 0 1\n-1 0 0\n",
    "words": "3\n1\n0\n3 3\n3 3\n1 0 zero\n0 1 0\n0 0 1\n-1 0 0\n0.5\n",
    "dimension 7": "7\n1\n0\n7 7\n7 7\n" + "1 " * 49 + "\n" + "0 " * 7 + "\n0.5\n",
    "storage 9": "3\n1\n9\n3 3\n1 0 0 0 1 0 0 0 1\n-1 0 0\n0.5\n",
    "negative mu": "3\n1\n0\n3 3\n3 3\n1 0 0\n0 1 0\n0 0 1\n-1 0 0\n-0.5\n",
    "NaN": "3\n1\n0\n3 3\n3 3\n1 0 0\n0 1 0\n0 0 1\nnan 0 0\n0.5\n",
}


@pytest.mark.parametrize("case", DAT)
def test_bad_text(tmp_path, case):
    path = tmp_path / "bad.dat"
    path.write_text(DAT[case])
    one_error(run("convert", path, tmp_path / "out.hdf5"), 3, path)
    assert os.listdir(tmp_path) == ["bad.dat"]


def test_random_damage_never_crashes(tmp_path):
    """Bytes flipped anywhere: an answer or exit code 3 (or a problem that is legal but hard), never a signal."""
    rng = np.random.default_rng(7)
    path = str(tmp_path / "p.hdf5")
    local_file(path, contacts=2, dofs=4)
    data = bytearray(open(path, "rb").read())
    for _ in range(60):
        broken = bytearray(data)
        for position in rng.integers(0, len(data), 8):
            broken[position] = rng.integers(0, 256)
        with open(path, "wb") as f:
            f.write(broken)
        done = run("solve", path, "--time-limit", "1", "--max-iterations", "100", timeout=60)
        assert done.returncode in (0, 1, 3, 5), (done.returncode, done.stderr)
