#!/usr/bin/env python3
"""Runs clang-tidy and cppcheck over our sources (tools/lint.sh prepares and calls this, in the root of the repository).

clang-tidy takes many seconds for a file: a file found clean is not looked at again until it, a header of ours that it includes, its compile
command or a list of checks changes (build/lint/clean). cppcheck keeps such a store itself.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

BUILD = pathlib.Path("build/lint")
FOLDERS = ("src", "python/src", "tests")
CONFIGURATIONS = (".clang-tidy", "tests/.clang-tidy")


def commands():
    """The compile command of each file; a file of tests/fuzz that only the fuzz preset compiles takes that of its neighbour."""
    found = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        found.setdefault(os.path.relpath(entry["file"]), (entry["directory"], shlex.split(entry["command"])))
    return found


def ours(command, directory, file):
    """The files of the repository that `file` includes, itself included."""
    words = [w for w in command if w not in ("-c", "-o") and not w.endswith((".o", ".cc"))]
    out = subprocess.run([*words, "-MM", os.path.abspath(file)], cwd=directory, capture_output=True, text=True, check=True).stdout
    return sorted({os.path.relpath(os.path.join(directory, w)) for w in out.replace("\\\n", " ").split()[1:]})


def key(file, known, version):
    directory, command = known[file]
    digest = hashlib.sha256((version + " ".join(command)).encode())
    for name in (*CONFIGURATIONS, *ours(command, directory, file)):
        digest.update(pathlib.Path(name).read_bytes())
    return digest.hexdigest()


def tidy_one(file, known, version):
    """What clang-tidy says about `file`; nothing when it is clean."""
    stamp = BUILD / "clean" / (file.replace("/", "+"))
    mark = key(file, known, version) if file in known else ""
    if mark and stamp.exists() and stamp.read_text() == mark:
        return ""
    done = subprocess.run(["clang-tidy", "-p", str(BUILD), "--quiet", "--warnings-as-errors=*", file], capture_output=True, text=True)
    if done.returncode == 0 and not done.stdout.strip():
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(mark)
        return ""
    return done.stdout if done.stdout.strip() else f"{file}: clang-tidy failed\n{done.stderr}"


def tidy(files, jobs):
    known = commands()
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True, check=True).stdout
    bad = 0
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for text in pool.map(lambda file: tidy_one(file, known, version), files):
            bad += bool(text)
            if text:
                print(text, flush=True)
    print(f"clang-tidy: {len(files)} files, {bad} with findings, {time.monotonic() - start:.0f} s")
    return bad


def cppcheck(files, jobs):
    store = BUILD / "cppcheck"
    store.mkdir(exist_ok=True)
    start = time.monotonic()
    done = subprocess.run(
        ["cppcheck", "-q", f"-j{jobs}", "--std=c++20", "--language=c++", "--enable=warning,style,performance,portability", "--inline-suppr",
         "--error-exitcode=1", f"--cppcheck-build-dir={store}", "--suppressions-list=tools/cppcheck_exceptions.txt", "--library=googletest",
         "--template={file}:{line}: {severity}: {message} [{id}]", "-Iinclude", "-Isrc", "-Itests", "-I.", *files], text=True)
    bad = done.returncode != 0
    print(f"cppcheck: {len(files)} files, {'findings above' if bad else 'nothing found'}, {time.monotonic() - start:.0f} s")
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tidy", action="store_true")
    parser.add_argument("--cppcheck", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("files", nargs="*")
    asked = parser.parse_args()
    files = [os.path.relpath(f) for f in asked.files] or sorted(str(p) for f in FOLDERS for p in pathlib.Path(f).rglob("*.cc"))
    wrong = [f for f in files if not f.endswith(".cc") or not os.path.exists(f)]
    if wrong:
        sys.exit(f"not a .cc file: {wrong[0]}")
    both = asked.tidy == asked.cppcheck
    bad = 0
    if both or asked.cppcheck:
        bad += cppcheck(files, asked.jobs)
    if both or asked.tidy:
        bad += tidy(files, asked.jobs)
    sys.exit(1 if bad else 0)


main()
