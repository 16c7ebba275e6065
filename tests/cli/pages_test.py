"""Manual pages and completion: made from what --help shows, accepted by groff, and asked as bash and zsh ask."""
import os
import re
import shutil
import subprocess

import pytest
from support import run, run_json

COMMANDS = [[], ["info"], ["solve"], ["verify"], ["check"], ["convex"], ["convert"], ["solvers"], ["demo"], ["reproduce"], ["generate"],
            ["scenes"], ["simulate"], ["view"], ["bench"], ["bench", "run"], ["bench", "profile"], ["bench", "report"], ["bench", "merge"]]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    done = run("pages", folder)
    assert done.returncode == 0 and done.stdout == "" and done.stderr == "", done.stderr
    return folder


def test_the_command_is_hidden():
    assert "pages" not in run("--help").stdout
    assert "did you mean pages" not in run("page").stderr


def test_the_build_has_written_the_same(pages):
    """What an install takes is what this program writes."""
    built = os.path.join(os.environ["CORNET_BUILD"], "pages")
    for root, _, files in os.walk(pages):
        for name in files:
            path = os.path.join(root, name)
            with open(path, encoding="utf-8") as ours, open(os.path.join(built, os.path.relpath(path, pages)), encoding="utf-8") as theirs:
                assert ours.read() == theirs.read(), name
    assert sorted(os.listdir(pages / "man")) == sorted(os.listdir(os.path.join(built, "man")))


def test_a_page_for_every_command(pages):
    assert sorted(os.listdir(pages / "man")) == sorted("-".join(["cornet", *words]) + ".1" for words in COMMANDS)


def plain(text):
    """A line of text without what groff adds: bold and underline, hyphenation, two dashes."""
    text = re.sub(r".\x08", "", re.sub(r"\x1b\[[0-9;]*m", "", text))
    return re.sub(r"\s+", " ", text.replace("‐\n", "").replace("−", "-"))


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
@pytest.mark.parametrize("words", COMMANDS, ids="-".join)
def test_manual_page(pages, words):
    path = pages / "man" / ("-".join(["cornet", *words]) + ".1")
    assert path.read_bytes().isascii()
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-P-cbou", "-rLL=100n", "-rHY=0", str(path)], capture_output=True,
                          encoding="utf-8")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    page = plain(done.stdout)
    help_text = run(*words, "--help").stdout
    # Every option, argument and command of the help with its words stands on the page.
    body = help_text.split("\n\n", 1)[1]
    for entry in re.split(r"\n  (?=\S)", body.split("\nExample")[0]):
        for part in re.split(r"\s{2,}|\n", entry):
            part = part.strip()
            if part and part not in ("Arguments", "Options", "Commands"):
                assert plain(part) in page, (part, page)
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "SEE ALSO"):
        assert section in page
    if not words:
        assert "EXIT STATUS" in page


def bash_complete(pages, *words, cwd=None):
    """What bash offers for the last word."""
    script = f"""
source {pages}/cornet.bash
COMP_WORDS=({' '.join(f"'{w}'" for w in ('cornet', *words))})
COMP_CWORD={len(words)}
_cornet 2>/dev/null
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, encoding="utf-8", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def long_options(*words):
    return sorted(set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", run(*words, "--help").stdout, re.M)))


def test_bash(pages, tmp_path):
    assert bash_complete(pages, "so") == ["solve", "solvers"]
    assert set(bash_complete(pages, "")) == {words[0] for words in COMMANDS if words}
    assert sorted(bash_complete(pages, "solve", "--")) == long_options("solve")
    assert bash_complete(pages, "solve", "x", "--so") == ["--solver"]
    ids = [solver["id"] for solver in run_json("solvers")]
    assert bash_complete(pages, "solve", "x.hdf5", "--solver", "") == ids
    assert bash_complete(pages, "solve", "--solver", "nsgs-a") == ["nsgs-ac", "nsgs-ac-gp"]
    assert bash_complete(pages, "solve", "--solver", "=", "lem") == ["lemke"]
    assert bash_complete(pages, "solvers", "nsn-hs") == ["nsn-hsw"]
    assert bash_complete(pages, "solve", "--form", "") == ["local", "global"]
    assert bash_complete(pages, "solve", "--tol", "") == []
    assert bash_complete(pages, "bench", "") == ["run", "profile", "report", "merge"]
    assert sorted(bash_complete(pages, "bench", "run", "--")) == long_options("bench", "run")
    assert bash_complete(pages, "bench", "run", "--solvers", "auto,psor") == ["auto,psor-ac"]
    assert bash_complete(pages, "simulate", "domi") == ["dominoes"]
    assert bash_complete(pages, "reproduce", "bea") == [e["name"] for e in run_json("reproduce", "--list") if e["name"].startswith("bea")]
    assert bash_complete(pages, "convex", "--engine", "f") == ["faceted"]
    (tmp_path / "tower.hdf5").touch()
    (tmp_path / "folder").mkdir()
    assert sorted(bash_complete(pages, "solve", "", cwd=tmp_path)) == ["folder", "tower.hdf5"]
    assert bash_complete(pages, "demo", "--output", "", cwd=tmp_path) == ["folder"]
    assert bash_complete(pages, "solve", "tow", cwd=tmp_path) == ["tower.hdf5"]


ZSH = r"""
zmodload zsh/zpty
zpty z zsh -f -i
# Options first, so that the line that follows is the only thing that is shown.
zpty -w z "PS1= PS2= PROMPT= RPROMPT= ; unsetopt zle_bracketed_paste; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -d $2/dump"
zpty -w z "setopt no_list_beep; zstyle ':completion:*' list-prompt ''; LISTMAX=0; bindkey '^I' list-choices; stty columns 200; echo REA''DY"
local text= chunk=
while [[ $text != *READY* ]]; do zpty -r z chunk || exit 3; text+=$chunk; done
zpty -w -n z "$3"$'\t'
text=
for k in {1..60}; do
  while zpty -r -t z chunk; do text+=$chunk; done
  [[ $k -gt 20 && -n $text ]] && break
  sleep 0.05
done
print -r -- "$text"
zpty -d z
"""


def zsh_complete(pages, tmp_path, line):
    folder = tmp_path / "functions"
    folder.mkdir(exist_ok=True)
    shutil.copy(pages / "_cornet", folder)
    script = tmp_path / "ask.zsh"
    script.write_text(ZSH, encoding="utf-8")
    done = subprocess.run(["zsh", "-f", str(script), str(folder), str(tmp_path), line], capture_output=True, encoding="utf-8", timeout=60,
                          env={**os.environ, "TERM": "dumb", "HOME": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh(pages, tmp_path):
    assert subprocess.run(["zsh", "-n", str(pages / "_cornet")], capture_output=True).returncode == 0
    text = zsh_complete(pages, tmp_path, "cornet so")
    assert "solve" in text and "solvers" in text and "Solves a problem" in text, text
    text = zsh_complete(pages, tmp_path, "cornet solve --")
    for option in long_options("solve"):
        assert option in text, (option, text)
    text = zsh_complete(pages, tmp_path, "cornet solve --solver ")
    for solver in run_json("solvers"):
        assert re.search(rf"(^|\s){re.escape(solver['id'])}(\s|$)", text), (solver["id"], text)
    text = zsh_complete(pages, tmp_path, "cornet bench run --jo")
    assert "--jobs" in text, text
