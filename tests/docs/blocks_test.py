"""Every code block of README.md, CONTRIBUTING.md and docs: classified, run, and compared with what the page says that it prints.
Programs in C++, C and Fortran are those of tests/install/guides_test.sh.

Each page has a folder of its own, with tower.hdf5 as the reader's problem, run.sh as in the repository, and the last JSON block as example.json. Times and numbers of the size of
rounding are not compared. With CORNET_UPDATE_DOCS=1 in the environment a page that says otherwise is rewritten: look at the difference."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(os.environ["CORNET_SOURCE"])
sys.path.insert(0, str(SOURCE / "tests" / "support"))
import doc_blocks  # noqa: E402

CORNET = pathlib.Path(os.environ["CORNET"])
PYTHON_PATH = doc_blocks.python_path(os.environ["CORNET_BUILD"])
PAGES = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted(p for p in (SOURCE / "docs").rglob("*.md") if "families" not in p.parts)]
HERE = ("sh", "console", "python", "json")
RUNNABLE = [page for page in PAGES if any(b.language in HERE and not b.reason for b in doc_blocks.blocks(page))]

# Runs blocks in one namespace: a line of JSON with the code comes in, one with what was printed goes out.
RUNNER = r"""
import contextlib, io, json, sys, traceback
space = {"__name__": "__main__"}
for line in sys.stdin:
    out, code = io.StringIO(), json.loads(line)
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(code["text"], code["where"], "exec"), space)
            error = ""
        except BaseException:
            error = traceback.format_exc()
    print(json.dumps({"out": out.getvalue(), "error": error}), flush=True)
"""


def plain(text):
    """Without what another run or another machine changes: times, numbers of the size of rounding, width of columns, ends of lines."""
    text = re.sub(r"\b\d+(\.\d+)?(e[+-]\d+)? (ns|µs|ms|s|min)\b", "TIME", text)
    text = re.sub(r"-?\b\d(\.\d+)?e-(0[89]|1\d|2\d)\b", "SMALL", text)
    text = re.sub(r"contact \d+(, ‖F‖ = |: )SMALL", r"contact K\1SMALL", text)
    return [re.sub(r"\s+", " ", line).strip() for line in text.strip().splitlines()]


def compare(block, expected, out, what=""):
    if plain(out) == plain(expected):
        return
    if not os.environ.get("CORNET_UPDATE_DOCS"):
        raise AssertionError(f"{block}{what}\n{out}\ninstead of\n{expected}")
    old = block.page.read_text(encoding="utf-8")
    assert old.count(expected) == 1, f"{block}: not found once, cannot be rewritten:\n{expected}"
    block.page.write_text(old.replace(expected, out.rstrip("\n") + expected[len(expected.rstrip("\n")):]), encoding="utf-8")


@pytest.fixture(scope="session")
def bin_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bin")
    (folder / "cornet").symlink_to(CORNET)
    subprocess.run([CORNET, "demo", "--output", folder / "demo", "--quiet"], check=True)
    return folder


def shell(script, folder, bin_folder, options=("-e", "-o", "pipefail")):
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    environment.update(PATH=f"{bin_folder}:{environment['PATH']}", PYTHONPATH=str(PYTHON_PATH), MPLBACKEND="Agg")
    return subprocess.run(["bash", *options, "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8", timeout=120)


def console(block):
    """(command, what it prints) of a console block."""
    parts = re.split(r"^\$ ", block.text, flags=re.M)
    assert not parts[0].strip(), f"{block}: starts with no command"
    return [part.partition("\n")[::2] for part in parts[1:]]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_classified(page):
    problems = [text for text in map(doc_blocks.problem, doc_blocks.blocks(page)) if text]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: page.stem)
def test_blocks(page, tmp_path, bin_folder):
    todo = [block for block in doc_blocks.blocks(page) if not block.reason]
    python = None
    if any(block.language == "python" for block in todo):
        if not PYTHON_PATH:
            pytest.skip("no Python package in this build")
        python = subprocess.Popen(["/usr/bin/python3", "-c", RUNNER], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  encoding="utf-8", env={**os.environ, "PYTHONPATH": str(PYTHON_PATH), "MPLBACKEND": "Agg"})
    shutil.copy(bin_folder / "demo" / "brick-wall-4x3.hdf5", tmp_path / "tower.hdf5")
    (tmp_path / "run.sh").write_text('#!/bin/bash\n(($#)) || set -- demo\nexec cornet "$@"\n', encoding="utf-8")
    (tmp_path / "run.sh").chmod(0o755)
    try:
        for block in todo:
            if block.language == "sh":
                done = shell(block.text, tmp_path, bin_folder)
                assert done.returncode == 0, f"{block}: exit code {done.returncode}\n{done.stdout}"
                out = done.stdout
            elif block.language == "python":
                python.stdin.write(json.dumps({"text": block.text, "where": str(block)}) + "\n")
                python.stdin.flush()
                answer = json.loads(python.stdout.readline())
                assert not answer["error"], f"{block}\n{answer['error']}"
                out = answer["out"]
            elif block.language == "console":
                for command, expected in console(block):
                    out = shell(command, tmp_path, bin_folder, ()).stdout
                    compare(block, expected, out, f": {command}")
                continue
            else:
                if block.language == "json":
                    json.loads(block.text)
                    (tmp_path / "example.json").write_text(block.text, encoding="utf-8")
                continue
            if block.output is not None:
                compare(block, block.output, out)
    finally:
        if python:
            python.stdin.close()
            python.wait(timeout=60)


# The extractor itself

def test_what_the_extractor_finds(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("""# Page

    u = W r + q

```sh
cornet info a.hdf5
```

```text
what it prints
```

words between

```text
not what it prints
```

% not run: takes an hour

```sh
cornet bench run all
```

- a point

    still the point

~~~console
$ cornet solve x
solved
~~~
""", encoding="utf-8")
    found = doc_blocks.blocks(page)
    assert [(b.language, b.line, b.reason) for b in found] == [
        ("indented", 3, ""), ("sh", 6, ""), ("text", 16, ""), ("sh", 22, "takes an hour"), ("console", 30, "")]
    assert found[1].output == "what it prints\n"
    assert console(found[4]) == [("cornet solve x", "solved\n")]


@pytest.mark.parametrize("text", ["    cornet solve x.hdf5\n", "```text\n$ cornet solve x\n```\n", "```\nx\n```\n", "```rust\nx\n```\n"])
def test_what_the_extractor_refuses(tmp_path, text):
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n" + text, encoding="utf-8")
    assert all(doc_blocks.problem(block) for block in doc_blocks.blocks(page))
    page.write_text("# Page\n\n% not run: because\n\n" + text, encoding="utf-8")
    assert not any(doc_blocks.problem(block) for block in doc_blocks.blocks(page))


def test_comparison_can_fail():
    assert plain("solved in 3.2 ms, error 3.1e-11") == plain("solved in 41 µs,  error 9.9e-09")
    assert plain("error 3.1e-04") != plain("error 9.9e-04")
    assert plain("248 contacts") != plain("249 contacts")
