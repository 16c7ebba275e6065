"""A full disk and a disk that is read only: one line that names the file, what was finished stays, nothing is half written."""
import json
import os

import pytest
from faults_support import disk, leave, leftovers, limited, one_line
from support import datasets, global_file, local_file, run, run_json

BENCH = ("--solvers", "nsgs-ac,fp-vi-upk", "--tol", "1e-4", "--time-limit", "2", "--repeat", "1")


@pytest.mark.parametrize("command", ["solve", "convert"])
@pytest.mark.parametrize("old", [False, True])
def test_a_problem_file_on_a_full_disk(tmp_path, command, old):
    source = local_file(tmp_path / "p.hdf5", contacts=20)
    with disk(tmp_path / "d", "128k") as d:
        target = d / "out.hdf5"
        if old:
            target.write_bytes(open(local_file(tmp_path / "old.hdf5", contacts=1), "rb").read())
            before = target.read_bytes()
        leave(d, 8192)
        arguments = [command, source, target] if command == "convert" else [command, source, "--output", target]
        one_line(run(*arguments), [3], target, "No space left")
        assert (target.read_bytes() == before) if old else not target.exists()
        assert leftovers(d, "ballast", "out.hdf5") == []
        os.unlink(d / "ballast")
        assert run(*arguments).returncode == 0 and run("info", target).returncode == 0


@pytest.mark.parametrize("arguments", [["demo"], ["generate", "Capsules", "--count", "12"]])
def test_folders_on_a_full_disk(tmp_path, arguments):
    with disk(tmp_path / "d", "400k") as d:
        line = one_line(run(*arguments, "--output", d / "out"), [3], str(d / "out"))
        assert ".hdf5" in line or "index.csv" in line
        files = sorted(name for name in os.listdir(d / "out") if name.endswith(".hdf5"))
        assert files and leftovers(d / "out", "index.csv", *files) == []
        for name in files:
            assert run("info", d / "out" / name).returncode == 0
        if arguments[0] == "generate":
            listed = [row.split(",")[0] for row in (d / "out" / "index.csv").read_text().splitlines(keepends=True)[1:] if row.endswith("\n")]
            assert set(listed) <= set(files)


def test_bench_on_a_full_disk(tmp_path):
    problems = tmp_path / "problems"
    problems.mkdir()
    for seed in range(12):
        local_file(problems / f"p{seed}.hdf5", seed=seed)
    calm = run_json("bench", "run", "--problems", problems, *BENCH, "--records", tmp_path / "calm.jsonl")
    with disk(tmp_path / "d", "64k") as d:
        leave(d, 8192)
        records = d / "a.jsonl"
        one_line(run("bench", "run", "--problems", problems, *BENCH, "--records", records), [3], records)
        rows = [json.loads(line) for line in records.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
        assert 0 < len(rows) < calm["done"]
        os.unlink(d / "ballast")
        out = run_json("bench", "run", "--problems", problems, *BENCH, "--records", records, "--resume")
        assert out["skipped"] == len(rows) and out["done"] == calm["done"] - len(rows)


@pytest.mark.parametrize("option", ["--record", "--stats", "--vtk", "--dump-problems"])
def test_simulate_on_a_full_disk(tmp_path, option):
    with disk(tmp_path / "d", "200k") as d:
        leave(d, 60000)
        line = one_line(run("simulate", "boxes-stack", "--set", "boxes=6", "--steps", 2000, option, d / "out", cwd=tmp_path), [3],
                        str(d / "out"))
        if option == "--record":
            last = int(line.split("readable up to step ")[1].split()[0])
            assert run_json("view", d / "out", "-o", tmp_path / "page.html")["frames"] == last + 1
        if option == "--stats":
            rows = (d / "out").read_text().splitlines(keepends=True)
            assert len(rows) > 10 and all(len(row.split(",")) == 23 for row in rows if row.endswith("\n"))
        if option == "--dump-problems":
            files = os.listdir(d / "out")
            assert files and all(run("info", d / "out" / name).returncode == 0 for name in files)


@pytest.mark.parametrize("size", [1, 4096, 20000])
def test_a_limit_on_the_size_of_files(tmp_path, size):
    """The same without a disk of its own: RLIMIT_FSIZE with its signal ignored."""
    source = local_file(tmp_path / "p.hdf5", contacts=20)
    before = datasets(source)
    one_line(limited("solve", source, "--output", source, file_size=size), [3], source)
    assert datasets(source) == before and leftovers(tmp_path, "p.hdf5") == []


COMMANDS = {
    "solve": ["solve", "{p}", "--output", "{d}/o.hdf5"],
    "convert": ["convert", "{p}", "{d}/o.hdf5"],
    "demo": ["demo", "--output", "{d}/o"],
    "generate": ["generate", "Capsules", "--count", "2", "--output", "{d}/o"],
    "bench": ["bench", "run", "--problems", "{p}", *BENCH, "--records", "{d}/o.jsonl"],
    "record": ["simulate", "boxes-stack", "--steps", "2", "--record", "{d}/o.rec"],
    "stats": ["simulate", "boxes-stack", "--steps", "2", "--stats", "{d}/o.csv"],
    "vtk": ["simulate", "boxes-stack", "--steps", "2", "--vtk", "{d}/o"],
    "dump": ["simulate", "boxes-stack", "--steps", "2", "--dump-problems", "{d}/o"],
    "view": ["view", "{d}/../a.rec", "-o", "{d}/o.html"],
    "merge": ["bench", "merge", "{d}/../a.jsonl", "-o", "{d}/o.jsonl"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_disk_that_is_read_only(tmp_path, name):
    """Permissions do not stop root, a read-only disk does."""
    source = global_file(tmp_path / "p.hdf5")
    if name == "view":
        run("simulate", "boxes-stack", "--steps", "2", "--record", tmp_path / "a.rec")
    if name == "merge":
        run("bench", "run", "--problems", source, *BENCH, "--records", tmp_path / "a.jsonl")
    with disk(tmp_path / "d", read_only=True) as d:
        one_line(run(*[word.format(p=source, d=d) for word in COMMANDS[name]], cwd=tmp_path), [3], f"{d}/o")
