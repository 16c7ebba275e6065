"""cornet convert: bit-exact round trips, reduction, Siconos text."""
import os

import h5py
import numpy as np
import pytest
from support import (both_file, datasets, error, global_file, local_file, one_contact, one_error, random_global, read_matrix, run, run_json,
                     write_global, write_guesses, write_local, write_point)


@pytest.mark.parametrize("storage", ["csc", "csr", "triplet"])
@pytest.mark.parametrize("form", ["local", "global"])
def test_everything_is_kept(tmp_path, storage, form):
    path = str(tmp_path / "p.hdf5")
    M, H, f, w, mu = random_global(contacts=3, dofs=5)
    if form == "global":
        write_global(path, M, H, f, w, mu, G=np.ones((5, 1)), b=[0.5], storage=storage, title="a title")
    else:
        write_local(path, H.T @ H, w, mu, storage=storage, title="a title")
    write_point(path, r=np.arange(9.0), u=np.ones(9) / 3, **({"v": np.ones(5)} if form == "global" else {}))
    write_guesses(path, {"r": np.zeros(9), "u": np.ones(9)}, {"r": np.ones(9), "u": np.zeros(9)})
    with h5py.File(path, "a") as file:
        info = file[f"fclib_{form}/info"]
        info.attrs["numberOfDegreeOfFreedom"] = np.int32(5)
        info.attrs["cond"] = 1 / 3
        file.attrs["finalized"] = np.int32(1)
        file["solution"].attrs["natural_map_residual_over_norm_q"] = 0.125
    for target in (tmp_path / "a.hdf5", tmp_path / "b.h5"):
        assert run("convert", path, target).returncode == 0
        assert datasets(target) == datasets(path)


def test_both_forms_and_one_of_them(tmp_path):
    path = write_point(both_file(tmp_path / "p.hdf5"), r=np.zeros(18), u=np.ones(18), v=np.ones(12))
    for form, fields in (("local", {"r", "u"}), ("global", {"r", "u", "v"})):
        target = tmp_path / f"{form}.hdf5"
        out = run_json("convert", path, target, "--form", form)
        assert out["forms"] == [form] and out["reduced"] is False and out["solution"] is True
        with h5py.File(target) as f:
            assert set(f) == {f"fclib_{form}", "solution"} and set(f["solution"]) == fields
        kept = {k: v for k, v in datasets(path).items() if k.startswith(f"fclib_{form}")}
        assert kept == {k: v for k, v in datasets(target).items() if k.startswith("fclib")}


def test_reduction(tmp_path):
    path = global_file(tmp_path / "p.hdf5")
    solved, local = tmp_path / "s.hdf5", tmp_path / "l.hdf5"
    run_json("solve", path, "--output", solved)
    out = run_json("convert", solved, local, "--form", "local")
    assert set(out) == {"file", "form", "dimension", "number_of_contacts", "output", "forms", "reduced", "guesses", "solution", "warnings"}
    assert out["reduced"] is True and out["form"] == "local"
    M, H, f, w, mu = random_global()
    with h5py.File(local) as file:
        g = file["fclib_local"]
        assert read_matrix(g["W"]) == pytest.approx(H.T @ np.linalg.solve(M, H))
        assert g["vectors/q"][...] == pytest.approx(H.T @ np.linalg.solve(M, f) + w)
        assert set(file["solution"]) == {"r", "u"}
    assert error(local, "local") <= 1.01e-8
    assert run("verify", local, "--tol", "1.01e-8").returncode == 0


def test_global_from_local_is_impossible(tmp_path):
    path = local_file(tmp_path / "p.hdf5")
    line = one_error(run("convert", path, tmp_path / "o.hdf5", "--form", "global"), 3, path)
    assert "cannot recover M and H from W" in line
    assert os.listdir(tmp_path) == ["p.hdf5"]


def test_siconos_text(tmp_path):
    """A dense FC3D file: dimension, contacts, matrix, q, mu."""
    W = np.array([[2, 0.5, 0], [0.5, 3, 0.25], [0, 0.25, 4]])
    text = "3\n1\n0\n3 3\n3 3\n" + "\n".join(" ".join(repr(float(x)) for x in row) for row in W.T) + "\n-1 0.5 0.125\n0.7\n"
    source = tmp_path / "p.dat"
    source.write_text(text)
    target = tmp_path / "p.hdf5"
    out = run_json("convert", source, target)
    assert out["forms"] == ["local"] and out["number_of_contacts"] == 1
    with h5py.File(target) as f:
        assert np.array_equal(read_matrix(f["fclib_local/W"]), W)
        assert np.array_equal(f["fclib_local/vectors/q"][...], [-1, 0.5, 0.125]) and f["fclib_local/vectors/mu"][0] == 0.7
    assert run_json("solve", source)["status"] == "solved"


def test_writing_text_is_refused(tmp_path):
    path = one_contact(tmp_path / "p.hdf5")
    assert "not offered" in one_error(run("convert", path, tmp_path / "o.dat"), 2)
    assert "extension" in one_error(run("convert", path, tmp_path / "o"), 2)
    assert os.listdir(tmp_path) == ["p.hdf5"]


def test_unwritable_output(tmp_path):
    path = one_contact(tmp_path / "p.hdf5")
    target = tmp_path / "folder.hdf5"
    target.mkdir()
    one_error(run("convert", path, target), 3, target)
    one_error(run("convert", path, tmp_path / "missing" / "o.hdf5"), 3, tmp_path / "missing" / "o.hdf5")
    assert sorted(os.listdir(tmp_path)) == ["folder.hdf5", "p.hdf5"] and os.listdir(target) == []


def test_text_and_quiet(tmp_path):
    path = one_contact(tmp_path / "p.hdf5")
    done = run("convert", path, tmp_path / "o.hdf5")
    assert done.returncode == 0 and done.stderr == "" and "o.hdf5" in done.stdout and "no guesses, no solution" in done.stdout
    assert run("convert", path, tmp_path / "o.hdf5", "--quiet").stdout == ""
