"""The site builds without a warning, and what it shows is complete. Skipped where Sphinx and its relatives are not installed."""
import html
import os
import pathlib
import re
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(os.environ["CORNET_SOURCE"])
sys.path.insert(0, str(SOURCE / "tests" / "support"))
import doc_blocks  # noqa: E402

PYTHON_PATH = doc_blocks.python_path(os.environ["CORNET_BUILD"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    package = [str(PYTHON_PATH)] if PYTHON_PATH else []
    done = subprocess.run(["/usr/bin/python3", SOURCE / "tools" / "site.py", folder, *package], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8")
    if done.returncode == 77:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout
    return folder / "html"


def text(page):
    return html.unescape(re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8")))


def test_every_page_is_there(site):
    pages = [page for page in (SOURCE / "docs").rglob("*.md") if "families" not in page.parts]
    missing = [page.name for page in pages if not (site / page.relative_to(SOURCE / "docs")).with_suffix(".html").exists()]
    assert not missing


def test_links_and_figures_lead_somewhere(site):
    wrong = []
    for page in site.rglob("*.html"):
        for link in re.findall(r'(?:href|src)="([^"#?]+)[^"]*"', page.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:", link) and not (page.parent / link).exists():
                wrong.append(f"{page.name}: {link}")
    assert not wrong


def test_nothing_is_loaded_from_outside(site):
    for page in site.rglob("*.html"):
        assert not re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="(?:https?:)?//', page.read_text(encoding="utf-8")), page.name


def test_index_leads_to_every_page(site):
    sidebar = (site / "index.html").read_text(encoding="utf-8")
    for page in (SOURCE / "docs").glob("*.md"):
        if page.stem != "index":
            assert f'href="{page.stem}.html"' in sidebar, page.stem


@pytest.mark.parametrize("page, words", [
    ("cpp_reference", ["struct LocalProblem", "Result solve(", "struct Certificate", "class Session"]),
    ("c_reference", ["cornet_solve(", "cornet_problem_set_csr(", "CORNET_INVALID_PROBLEM", "cornet_last_error("]),
    ("contributing", ["Adding a solver"]),
    ("changelog", ["Keep a Changelog"]),
    ("solvers/auto", ["sweep_share"]),
])
def test_contents(site, page, words):
    shown = text(site / f"{page}.html")
    for word in words:
        assert word in shown, word


@pytest.mark.parametrize("header", sorted((SOURCE / "include" / "cornet").glob("*.h")), ids=lambda header: header.name)
def test_every_public_name_is_there(site, header):
    shown = text(site / ("c_reference.html" if header.name == "cornet_c.h" else "cpp_reference.html"))
    source = header.read_text(encoding="utf-8")
    functions = re.findall(r"^CORNET_API .*?\b(\w+)\(", source, flags=re.M)
    types = re.findall(r"^(?:class|struct|enum class) (?:CORNET_API )?(\w+)[^;]*$", source, flags=re.M)
    assert functions or types or header.name == "export.h"
    assert not [name for name in functions if f"{name}(" not in shown]
    assert not [name for name in types if not re.search(rf"\b{name}\b", shown)]


def test_python_reference(site):
    if not PYTHON_PATH:
        pytest.skip("no Python package in this build")
    shown = text(site / "python_reference.html")
    for word in ("solve(", "check_existence(", "GlobalProblem(", "phi_landscape("):
        assert word in shown, word
