"""Files: what Python writes, the program and h5py read; what they write, Python reads."""
import numpy as np
import pytest

import cornet
from support import both_file, datasets, error, run_json, write_guesses, write_point


@pytest.mark.parametrize("name", list(cornet.samples()))
def test_round_trip(name, tmp_path):
    p = cornet.samples()[name]
    x = cornet.solve(p)
    first, second = tmp_path / "a.hdf5", tmp_path / "b.hdf5"
    cornet.write(first, p, x)
    again = cornet.read(first)
    assert type(again) is type(p)
    stored = cornet.read_file(first)
    assert np.array_equal(stored["solution"]["r"], x.r) and stored["warnings"] == [] and stored["guesses"] == []
    cornet.write(second, again, stored["solution"])
    assert datasets(first) == datasets(second), "bit by bit"
    assert run_json("verify", first)["error"] == pytest.approx(x.error, rel=1e-6, abs=1e-15)
    if np.isfinite(p.mu).all() and p.mu.min() > 0 and p.form == "local":
        assert error(first, p.form) == pytest.approx(x.error, rel=1e-4, abs=1e-12)


def test_both_forms(tmp_path):
    path = both_file(tmp_path / "p.hdf5")
    assert cornet.read(path).form == "global" and cornet.read(str(path), form="local").form == "local"
    whole = cornet.read_file(path)
    assert whole["local"].form == "local" and whole["global"].form == "global" and whole["solution"] is None
    r = np.arange(18.0)
    write_guesses(path, {"r": r}, {"r": 2 * r})
    write_point(path, r=3 * r)
    whole = cornet.read_file(path)
    assert [g["r"][1] for g in whole["guesses"]] == [1, 2] and whole["solution"]["r"][1] == 3 and whole["solution"]["v"] is None
    assert not whole["solution"]["r"].flags.writeable


def test_reactions_alone(tmp_path):
    p = cornet.samples()["random-2d-30"]
    x = cornet.solve(p)
    for k, answer in enumerate((x, x.r, {"r": x.r, "u": x.u}, x.r.tolist())):
        cornet.write(tmp_path / f"{k}.hdf5", p, answer)
        assert run_json("verify", tmp_path / f"{k}.hdf5")["verified"]


def test_names_of_files(tmp_path):
    p = cornet.samples()["random-2d-30"]
    for name in ("with space.hdf5", "mü-∞.hdf5"):
        cornet.write(tmp_path / name, p)
        assert cornet.read(tmp_path / name).contacts == 30
    odd = str(tmp_path).encode() + b"/\xff\xfe.hdf5"
    import os
    cornet.write(os.fsdecode(odd), p)
    assert cornet.read(os.fsdecode(odd)).contacts == 30
    with pytest.raises(cornet.IoError):
        cornet.read(os.fsdecode(odd + b"x"))
