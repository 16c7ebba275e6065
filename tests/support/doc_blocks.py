#!/usr/bin/python3
"""The code blocks of a Markdown page, for the tests that run them.

    tests/support/doc_blocks.py PAGE FOLDER    writes the programs of PAGE (C++, C, Fortran, CMake) as FOLDER/NN.LANGUAGE, and what a
                                               program prints according to the page as FOLDER/NN.out

    ```sh        commands; any exit code but 0 is a failure          ```console   lines with "$ " are commands, the others what they print
    ```python    one program per page, block by block                ```json      must be JSON
    ```cpp c fortran cmake   whole programs, whole projects          ```text      text; right after one of the others: what it prints
    indented     formulas and listings: a line that starts like a command is an error

`% not run: REASON` (in a page of the site) or `<!-- not run: REASON -->` on a line of its own before a block keeps it from being run."""
import dataclasses
import pathlib
import re
import sys

PROGRAMS = ("cpp", "c", "fortran", "cmake")
RUN = ("sh", "console", "python", "json") + PROGRAMS
COMMAND = re.compile(r"\s*(\$ |#!|"
                     r"(\./\S+|cornet|cmake|ctest|cpack|cc|c\+\+|gfortran|clang-format|python3?|pip|cd|git|sudo|apt-get|bash|jq)\s)")
MARKER = re.compile(r"(?:% |<!-- )not run: (.+?)(?: -->)?\s*$")


@dataclasses.dataclass
class Block:
    page: pathlib.Path
    line: int          # of its first line, from 1
    language: str      # "" when none is named, "indented" without a fence
    text: str
    reason: str = ""   # why it is not run
    output: str = None  # what the page says that it prints

    def __str__(self):
        return f"{self.page.name}:{self.line}"


def raw_blocks(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    k, reason, blank, in_list = 0, "", True, False
    previous_end = None  # index after the last fenced block, as long as only blank lines follow
    while k < len(lines):
        line = lines[k]
        fence = re.match(r"(\s*)(```+|~~~+)\s*(\S*)", line)
        if fence:
            start = k + 1
            while k + 1 < len(lines) and not re.match(rf"\s*{fence[2]}\s*$", lines[k + 1]):
                k += 1
            body = [text[len(fence[1]):] for text in lines[start:k + 1]]
            yield Block(page, start + 1, fence[3], "\n".join(body) + "\n", reason), previous_end
            k += 2
            previous_end, reason, blank = k, "", False
            continue
        if line.startswith("    ") and blank and not in_list and line.strip():
            start = k
            while k < len(lines) and (lines[k].startswith("    ") or not lines[k].strip()):
                k += 1
            body = "\n".join(text[4:] for text in lines[start:k]).rstrip() + "\n"
            yield Block(page, start + 1, "indented", body, reason), None
            previous_end, reason, blank = None, "", True
            continue
        marker = MARKER.match(line)
        if marker:
            reason = marker[1]
        elif line.strip():
            reason, previous_end = "", None
            in_list = bool(re.match(r"\s*([-*+]|\d+\.)\s", line)) or in_list and line.startswith("  ")
        blank = not line.strip() or bool(marker)
        k += 1


def blocks(page):
    """The blocks of a page in order; a text that a block prints is part of that block."""
    found = []
    for block, after in raw_blocks(pathlib.Path(page)):
        if block.language == "text" and after is not None and found and found[-1].language in RUN and found[-1].output is None:
            found[-1].output = block.text
        else:
            found.append(block)
    return found


def problem(block):
    """What is wrong with a block that no test can make sense of, else None."""
    if block.language in RUN or block.reason:
        return None
    if block.language in ("text", "indented"):
        looks = [line for line in block.text.splitlines() if COMMAND.match(line)]
        if looks:
            return f"{block}: {looks[0].strip()!r} looks like a command: make it a ```sh block, or mark it with '% not run: REASON'"
        return None
    return f"{block}: a block in {block.language or 'no language'!r}: expected one of {', '.join(RUN)}, text, or indentation"


def python_path(build):
    """The folder of the Python package in a build folder; None where it was not built, or with a sanitizer that Python would have to preload."""
    folder = pathlib.Path(build) / "python"
    cache = (pathlib.Path(build) / "CMakeCache.txt").read_text(encoding="utf-8")
    sanitized = re.search(r"^CORNET_SANITIZE:\w+=.", cache, flags=re.M)
    return folder if list((folder / "cornet").glob("_core*.so")) and not sanitized else None


def main():
    page, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for number, block in enumerate(blocks(page), 1):
        if block.language in PROGRAMS and not block.reason:
            (folder / f"{number:02}.{block.language}").write_text(block.text, encoding="utf-8")
            if block.output is not None:
                (folder / f"{number:02}.out").write_text(block.output, encoding="utf-8")


if __name__ == "__main__":
    main()
