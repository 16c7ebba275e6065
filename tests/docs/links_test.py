"""Links between the pages, in the repository as a reader of plain Markdown follows them: files exist, headings exist, paths named in the
text exist. External links are not fetched: they are listed in external_links.txt, for people to look at."""
import os
import pathlib
import re

import pytest

SOURCE = pathlib.Path(os.environ["CORNET_SOURCE"])
PAGES = [SOURCE / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted((SOURCE / "docs").rglob("*.md"))
SITE = [page for page in (SOURCE / "docs").glob("*.md")]
FOLDERS = ("src", "include", "docs", "tests", "tools", "bench", "examples", "cmake", "web", "campaigns", "peers", "python")
FENCED = r"^(```|~~~).*?^\1\s*$"


def prose(text):
    """Without code blocks."""
    text = re.sub(FENCED, "", text, flags=re.M | re.S)
    return re.sub(r"(?<=\n\n)(    .*\n|\s*\n)+", "\n", text)


def links(page):
    text = re.sub(r"`[^`\n]*`", "", prose(page.read_text(encoding="utf-8")))
    return re.findall(r"\]\(([^)\s]+)\)", text)


def anchors(page):
    """Headings as GitHub and MyST name them."""
    text = re.sub(FENCED, "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.+)$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(SOURCE)))
def test_internal_links(page):
    wrong = []
    base = SOURCE / "docs" / "solvers" if page.parent.name == "families" else page.parent  # these texts become parts of the solver pages
    for link in links(page):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (base / path).resolve() if path else page
        if not target.exists():
            wrong.append(f"{link}: no such file")
        elif anchor and anchor not in anchors(target):
            wrong.append(f"{link}: {target.name} has no such heading")
    assert not wrong, f"{page}: {wrong}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(SOURCE)))
def test_paths_in_the_text(page):
    """`src/core/driver.cc` and its like in code spans are files or folders of the repository; words in capitals stand for a name."""
    spans = re.findall(r"`([^`\n]+)`", prose(page.read_text(encoding="utf-8")))
    wrong = []
    for span in spans:
        for word in span.split():
            if re.fullmatch(rf"({'|'.join(FOLDERS)})/[\w./-]+", word) and not re.search(r"[A-Z]{2,}([_./]|$)", word) and not exists(word):
                wrong.append(word)
    assert not wrong, f"{page}: {wrong}"


def exists(path):
    """A file or folder; a name without its ending, as programs of bench are called, counts too."""
    full = SOURCE / path
    return full.exists() or bool(list(full.parent.glob(full.name + ".*")))


def test_external_links_are_listed():
    found = sorted({link for page in PAGES for link in links(page) if link.startswith("http")})
    listed = (SOURCE / "tests" / "docs" / "external_links.txt").read_text(encoding="utf-8").split()
    assert found == listed


def test_every_page_is_reached_from_the_index():
    reached, todo = set(), [SOURCE / "docs" / "index.md"]
    while todo:
        page = todo.pop()
        if page not in reached:
            reached.add(page)
            todo += [(page.parent / link.partition("#")[0]).resolve() for link in links(page) if link.partition("#")[0].endswith(".md")]
    assert not [page.name for page in SITE if page.resolve() not in {p.resolve() for p in reached}]


def test_a_broken_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A page\n\n[there](#a-page) [not there](#b) [gone](gone.md) [out](https://example.org)\n\n    [code](code.md)\n",
                    encoding="utf-8")
    assert links(page) == ["#a-page", "#b", "gone.md", "https://example.org"]
    assert anchors(page) == {"a-page"}
    with pytest.raises(AssertionError, match="no such heading.*no such file"):
        test_internal_links(page)
