"""Two processes with one output: one of them whole, or the second is refused; never a mixture."""
import json
import subprocess
import time

from faults_support import leftovers
from support import CORNET, datasets, local_file, run, run_json


def together(*commands):
    processes = [subprocess.Popen([CORNET, *map(str, c)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") for c in commands]
    return [(p.communicate(timeout=120), p.returncode) for p in processes]


def test_solve_to_one_file(tmp_path):
    """Ten rounds of four processes with four different answers."""
    sources = [local_file(tmp_path / f"p{k}.hdf5", contacts=30, seed=k) for k in range(4)]
    references = []
    for k, source in enumerate(sources):
        run("solve", source, "--output", tmp_path / f"r{k}.hdf5")
        references.append(datasets(tmp_path / f"r{k}.hdf5"))
    assert all(a != b for i, a in enumerate(references) for b in references[:i])
    target = tmp_path / "out.hdf5"
    winners = set()
    for _ in range(10):
        for (_, err), code in together(*[["solve", s, "--output", target, "-q"] for s in sources]):
            assert code == 0, err
        found = datasets(target)
        assert found in references
        winners.add(references.index(found))
    assert leftovers(tmp_path, "out.hdf5", *[f"{a}{k}.hdf5" for a in "pr" for k in range(4)]) == []


def refused(first, second, path):
    """While `first` runs, `second` is refused; it is the same path that both write to."""
    process = subprocess.Popen([CORNET, *map(str, first)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 30
        while time.monotonic() < end and not (path.exists() and (path.is_dir() or path.stat().st_size > 0)):
            time.sleep(0.01)
        time.sleep(0.1)
        assert process.poll() is None, "the first one must still run"
        done = run(*second)
        assert done.returncode == 3 and str(path) in done.stderr and "another" in done.stderr, done.stderr
        assert len(done.stderr.splitlines()) == 1
    finally:
        process.terminate()
        process.wait(timeout=60)


SCENE = ["simulate", "boxes-stack", "--set", "boxes=6", "--tol", "1e-6", "--steps", "100000000"]


def test_simulate_to_one_record(tmp_path):
    record = tmp_path / "a.rec"
    refused([*SCENE, "--record", record], ["simulate", "boxes-stack", "--set", "boxes=2", "--steps", "3", "--record", record], record)
    assert run_json("view", record, "-o", tmp_path / "page.html")["frames"] > 1
    refused(["simulate", "--resume", record, "--steps", "100000000"], ["simulate", "--resume", record, "--steps", "100000"], record)


def test_simulate_to_one_table_or_folder(tmp_path):
    for option, name in (("--stats", "a.csv"), ("--vtk", "frames"), ("--dump-problems", "problems")):
        refused([*SCENE, option, tmp_path / name], ["simulate", "boxes-stack", "--steps", "3", option, tmp_path / name], tmp_path / name)


def test_generate_and_demo_to_one_folder(tmp_path):
    folder = tmp_path / "out"
    first = ["generate", "Capsules", "--output", folder]
    refused(first, ["generate", "Bridge_PR", "--count", "1", "--output", folder], folder)
    refused(first, ["demo", "--output", folder], folder)


def test_bench_to_one_file(tmp_path):
    problems = tmp_path / "problems"
    problems.mkdir()
    for seed in range(4):
        local_file(problems / f"p{seed}.hdf5", seed=seed)
    records = tmp_path / "a.jsonl"
    command = ["bench", "run", "--problems", problems, "--solvers", "fp-ds", "--tol", "1e-13", "--time-limit", "4", "--repeat", "1",
               "--max-iterations", "1000000000", "--records", records]
    ends = together(command, [*command, "--resume"])
    assert sorted(code for _, code in ends)[0] == 0
    rows = [json.loads(line) for line in open(records)]
    assert len({row["key"] for row in rows}) == len(rows) == 4
