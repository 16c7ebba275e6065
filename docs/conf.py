"""Sphinx configuration of the documentation site. The pages are plain Markdown that reads the same in the repository; what only a site
needs is added here when a page is read:

    index.md, solvers.md          hidden tables of contents, from the links of the page itself
    contributing.md, changelog.md the text of the file of that name at the top of the repository
    links to ../…                 to the page of the site, or plain text when the site has none
"""
import importlib.util
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS))
import headers  # noqa: E402

ROOT = DOCS.parent
declared = {}  # header → what it declares
WHOLE_FILES = {"contributing": "CONTRIBUTING.md", "changelog": "CHANGELOG.md"}

project = "cornet"
author = "the authors of cornet"
copyright = "the authors of cornet, Apache-2.0"
release = version = re.search(r"project\(cornet VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc"]
exclude_patterns = ["families", "_build"]
source_suffix = {".md": "markdown"}
highlight_language = "none"  # indented blocks are formulas
myst_heading_anchors = 4

html_theme = "furo"
html_title = f"cornet {release}"
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"sidebar_hide_name": False}
html_static_path = ["static"]
html_css_files = ["site.css"]

breathe_default_project = "cornet"
breathe_default_members = ("members",)
breathe_domain_by_file_pattern = {"*cornet_c.h": "c"}

autodoc_typehints = "none"  # the docstrings say types and shapes
autodoc_member_order = "bysource"
python_package = importlib.util.find_spec("cornet") is not None

# The standard library and the namespaces have no pages.
nitpick_ignore_regex = [(r"(cpp|c):identifier", r"std(::.*)?|u?int\d+_t|size_t|cornet(::(samples|campaign|sim))?")]

PYTHON_REFERENCE = """
## cornet

```{eval-rst}
.. automodule:: cornet
   :members:
   :imported-members:
```

## cornet.convert

```{eval-rst}
.. automodule:: cornet.convert
   :members:
```

## cornet.plot

```{eval-rst}
.. automodule:: cornet.plot
   :members:
```
"""


def toctree(entries, caption=None):
    return "\n\n```{toctree}\n:hidden:\n" + (f":caption: {caption}\n" if caption else "") + "\n" + "\n".join(entries) + "\n```\n"


def links(text):
    """The pages that a text links to, in order, each once."""
    return list(dict.fromkeys(re.findall(r"\]\(((?!\.\./|https?:)[\w/.-]+)\.md\)", text)))


def site_text(docname, text):
    """What the site shows of a page."""
    if docname in WHOLE_FILES:
        text = (ROOT / WHOLE_FILES[docname]).read_text(encoding="utf-8").replace("](docs/", "](")
    for name, path in WHOLE_FILES.items():
        text = text.replace(f"](../{path})", f"]({name}.md)")
    text = re.sub(r"\[([^\]]+)\]\(\.\./(?![a-z_]+\.md)[^)]*\)", r"\1", text) if "/" not in docname else text
    if docname == "index":
        sections = re.split(r"^## (.+)\n", text, flags=re.M)
        text += "".join(toctree(links(body), caption) for caption, body in zip(sections[1::2], sections[2::2]) if links(body))
    if docname == "solvers":
        text += toctree(page for page in links(text) if page.startswith("solvers/"))
    if docname in ("cpp_reference", "c_reference"):
        text += "".join(headers.section(name, declared) for name in re.findall(r"^\| (?:\[)?(\w+\.h)", text, flags=re.M))
    if docname == "python_reference" and not python_package:
        text += "\n*This site was built without the Python package.*\n"
    elif docname == "python_reference":
        text += PYTHON_REFERENCE
    return text


def read_source(app, docname, source):
    source[0] = site_text(docname, source[0])


def read_headers(app, config):
    folder = headers.run_doxygen(pathlib.Path(app.doctreedir).resolve() / "doxygen")
    declared.update(headers.declarations(folder))
    config.breathe_projects = {"cornet": str(folder)}


def docstring_as_written(app, what, name, obj, options, lines):
    """Docstrings are plain text with columns: shown as they are, below their first sentence."""
    head, rest = lines[:1], lines[1:]
    while rest and not rest[0].strip():
        rest = rest[1:]
    for line in head:  # `code` stays code, the rest has nothing to do with reStructuredText
        parts = line.split("`")
        parts[::2] = [re.sub(r"([*|_])", r"\\\1", part) for part in parts[::2]]
        lines[:] = ["``".join(parts)]
    if any(line.strip() for line in rest):
        lines += ["", "::", ""] + ["    " + line for line in rest] + [""]


def setup(app):
    app.connect("config-inited", read_headers, priority=100)
    app.connect("source-read", read_source)
    app.connect("autodoc-process-docstring", docstring_as_written)
