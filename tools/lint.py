#!/usr/bin/env python3
"""Runs clang-tidy and cppcheck over our sources (tools/lint.sh prepares and calls this, in the root of the repository).

clang-tidy spends most of its time in the headers of the libraries, again for every file. Files of one folder are therefore looked at together,
as many as the compiler takes in one translation unit: a file that repeats a name of another goes into the next batch. A batch found clean is
not looked at again until one of its files, a header of ours, a compile command or a list of checks changes (build/lint/clean). cppcheck keeps
such a store itself.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

BUILD = pathlib.Path("build/lint")
FOLDERS = ("src", "python/src", "tests")
CONFIGURATIONS = (".clang-tidy", "tests/.clang-tidy")
# What a translation unit of several .cc files sets off by itself.
BATCHED = "-bugprone-suspicious-include,-readability-duplicate-include,-misc-unused-using-decls"


def compile_flags():
    """Per file, the flags that decide what it means: definitions, folders, language."""
    found = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        words = iter(shlex.split(entry["command"])[1:])
        flags = []
        for word in words:
            if word == "-isystem":
                flags.append(("-isystem", next(words)))
            elif word.startswith(("-D", "-I", "-std", "-W")) and word != "-Werror":
                flags.append((word,))
        found.setdefault(os.path.relpath(entry["file"]), flags)
    return found


class Batch:
    """Some files as one translation unit."""

    def __init__(self, files, flags):
        self.files = files
        self.name = files[0].replace("/", "+")
        self.flags = list(dict.fromkeys(flag for file in files for flag in flags[file]))
        self.words = [word for flag in self.flags for word in flag]

    def write(self):
        self.path = BUILD / "batches" / self.name
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text("".join(f'#include "{os.path.abspath(file)}"\n' for file in self.files))
        return self

    def compiler(self, *more):
        return subprocess.run(["clang++", *self.words, "-w", "-ferror-limit=0", *more, self.path], capture_output=True, text=True)

    def blamed(self):
        """The files with errors that they have in company only."""
        done = self.compiler("-fsyntax-only")
        if done.returncode == 0 or len(self.files) == 1:
            return []
        named = {os.path.relpath(m) for m in re.findall(r"^(/\S+?):\d+:\d+: (?:fatal )?error:", done.stderr, re.M)}
        return [f for f in self.files[1:] if f in named] or self.files[len(self.files) // 2:]

    def key(self, version):
        digest = hashlib.sha256(" ".join([version, *self.words, *self.files]).encode())
        named = self.compiler("-MM").stdout.replace("\\\n", " ").split()[1:]
        for name in (*CONFIGURATIONS, *sorted({os.path.relpath(word) for word in named} - {str(self.path)})):
            digest.update(pathlib.Path(name).read_bytes())
        return digest.hexdigest()


def batches(files, flags):
    """Files of one folder in batches that compile, found again as they were the last time."""
    memory = BUILD / "batches" / (os.path.dirname(files[0]).replace("/", "+") + ".json")
    if memory.exists():
        plan = json.loads(memory.read_text())
        if sorted(f for batch in plan for f in batch) == sorted(files):
            found = [Batch(batch, flags).write() for batch in plan]
            if not any(batch.blamed() for batch in found):
                return found
    found, left = [], files
    while left:
        now, left = left, []
        while blamed := Batch(now, flags).write().blamed():
            now = [f for f in now if f not in blamed]
            left = sorted(left + blamed)
        found.append(Batch(now, flags).write())
    memory.write_text(json.dumps([batch.files for batch in found]))
    return found


def fewer_in_tests():
    """tests/.clang-tidy is for editors; a batch does not lie in that folder."""
    text = pathlib.Path("tests/.clang-tidy").read_text()
    return "," + re.sub(r"\s", "", text.split("Checks: >")[1])


def tidy_batch(batch, version):
    """What clang-tidy says about a batch; nothing when it is clean."""
    stamp = BUILD / "clean" / batch.name
    mark = batch.key(version)
    if stamp.exists() and stamp.read_text() == mark:
        return ""
    fewer = BATCHED + (fewer_in_tests() if batch.files[0].startswith("tests/") else "")
    done = subprocess.run(["clang-tidy", "--config-file=.clang-tidy", f"--checks={fewer}", "--quiet", str(batch.path), "--", *batch.words],
                          capture_output=True, text=True)
    if done.returncode == 0 and not done.stdout.strip():
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(mark)
        return ""
    return done.stdout if done.stdout.strip() else f"{batch.name}: clang-tidy failed\n{done.stderr}"


def tidy(files, jobs):
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True, check=True).stdout
    flags = compile_flags()
    folders = collections.defaultdict(list)
    for file in files:
        folders[os.path.dirname(file)].append(file)
    for folder, inside in folders.items():
        for file in inside:  # compiled by the fuzz preset only: as its neighbour
            flags.setdefault(file, next((flags[f] for f in inside if f in flags), []))
    (BUILD / "batches").mkdir(exist_ok=True)
    start = time.monotonic()
    bad = number = 0

    def look(inside):
        return [(batch, tidy_batch(batch, version)) for batch in batches(sorted(inside), flags)]

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(look, inside) for inside in folders.values()]):
            for batch, text in done.result():
                number += 1
                bad += bool(text)
                print(f"{text}{'findings' if text else 'clean'}: {' '.join(batch.files)}", flush=True)
    print(f"clang-tidy: {len(files)} files in {number} batches, {bad} with findings, {time.monotonic() - start:.0f} s")
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
