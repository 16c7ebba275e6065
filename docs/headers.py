"""The public headers for the site: Doxygen reads them, and each header becomes a section with its opening comment and one Breathe
directive for every name that it declares, in the order of the header."""
import pathlib
import re
import subprocess
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include" / "cornet"

DOXYFILE = """
PROJECT_NAME = cornet
INPUT = {include}
OUTPUT_DIRECTORY = {output}
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
QUIET = YES
WARN_IF_UNDOCUMENTED = NO
WARN_AS_ERROR = FAIL_ON_WARNINGS
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = CORNET_API=
EXTRACT_ALL = YES
AUTOLINK_SUPPORT = NO
"""
MEMBERS = {"function": "doxygenfunction", "enum": "doxygenenum", "typedef": "doxygentypedef", "variable": "doxygenvariable"}


def run_doxygen(output):
    """The folder of the XML files. The line "#include <…>" of every class would refer to pages of files, which the site does not have."""
    output.mkdir(parents=True, exist_ok=True)
    subprocess.run(["doxygen", "-"], input=DOXYFILE.format(include=INCLUDE, output=output), encoding="utf-8", check=True)
    for page in (output / "xml").glob("*.xml"):
        page.write_text(re.sub(r"<includes .*?</includes>", "", page.read_text(encoding="utf-8")), encoding="utf-8")
    return output / "xml"


def declarations(folder):
    """Header → (line, directive, name) of everything that stands in a namespace or, in C, at the top."""
    found = {}

    def add(place, directive, name):
        found.setdefault(pathlib.Path(place.get("file")).name, set()).add((int(place.get("line")), directive, name))

    for page in folder.glob("*.xml"):
        for compound in xml.parse(page).getroot().iter("compounddef"):
            kind, name = compound.get("kind"), compound.findtext("compoundname")
            if kind in ("struct", "class"):
                outer = name.rpartition("::")[0]
                if not (folder / f"struct{escaped(outer)}.xml").exists() and not (folder / f"class{escaped(outer)}.xml").exists():
                    add(compound.find("location"), f"doxygen{kind}", name)
            if kind in ("namespace", "file"):
                for member in compound.iter("memberdef"):
                    if member.get("kind") in MEMBERS and member.get("static") != "yes":
                        full = member.findtext("name") if kind == "file" else f"{name}::{member.findtext('name')}"
                        if member.get("kind") == "function":
                            full += re.sub(r"\s*=\s*[^,()]+(\(\)|\{\})?(?=[,)])", "", member.findtext("argsstring"))
                        add(member.find("location"), MEMBERS[member.get("kind")], full)
    return found


def escaped(name):
    return name.replace("_", "__").replace("::", "_1_1")


def opening_comment(name):
    lines = []
    for line in (INCLUDE / name).read_text(encoding="utf-8").splitlines():
        if not line.startswith(("//", "/*", " *")):
            break
        lines.append(re.sub(r"^(//|/\*| \*) ?|\s*\*/$", "", line))
    return lines


def section(name, declared):
    text = f"\n## {name}\n\n" + "".join(f"    {line}\n" for line in opening_comment(name))
    for _, directive, full in sorted(declared.get(name, ())):
        members = ":members:\n:undoc-members:\n" if directive in ("doxygenstruct", "doxygenclass") else ""
        text += f"\n```{{{directive}}} {full}\n{members}```\n"
    return text
