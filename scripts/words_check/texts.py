"""Which files are read, and which texts of them: (kind, place in the file, text)."""

import os
import re
import subprocess

from . import languages
from .languages import Parts, blank

KINDS = ["comments", "documents", "strings", "names"]
# Media, inputs of fuzzers, what scripts write (docs/api, WhatWorks.md), and the text of the licence.
LEFT_OUT = ("Tests/Fuzz/Corpus/", "Tests/Fuzz/Dictionaries/", "Tests/Corpus/", "Tests/Movies/", "docs/api/", "docs/recorder.docc/WhatWorks.md", "LICENSE")
ENDINGS = {
    ".swift": languages.SWIFT, ".py": languages.PYTHON, ".c": languages.C, ".h": languages.C, ".js": languages.JAVASCRIPT, ".css": languages.CSS,
    ".html": languages.HTML, ".svg": languages.HTML}


def language(path, text):
    """The language of a file; None for a document."""
    ending = os.path.splitext(path)[1]
    if ending == ".md":
        return None
    if ending in ENDINGS:
        return ENDINGS[ending]
    return languages.PYTHON if re.match(r"#!.*\bpython", text) else languages.LINES


def without(text, expression):
    """The text with each match as spaces."""
    return re.sub(expression, lambda match: blank(match.group()), text)


def without_code(text):
    """Prose without code blocks, text in back quotes, HTML comments, targets of links and paths of this project."""
    text = without(text, r"(?ms)^[ \t]*(?P<fence>```+|~~~+)[^\n]*\n.*?^[ \t]*(?P=fence)[ \t]*$")
    text = without(text, r"(?s)<!--.*?-->")
    text = without(text, r"(?s)(?<!`)(?P<quotes>`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)(?P=quotes)(?!`)")
    text = without(text, r"\b(?:docs|scripts|Sources|Tests|Examples)/[\w./-]+")
    return without(without(text, r"(?<=\])\([^)\s]*\)"), r"\w+://\S+")


def prose(comments):
    """Comments without their marks, without names of parameters and without code."""
    comments = without(comments, r"(?m)(?<=- Parameter )\w+(?=:)|(?<=- )\w+(?=:)")
    return without_code(without(comments, r"(?m)(?<![:/\w])/{2,}|/\*+|\*/|^[ \t]*\*(?= )|(?:^|(?<=\s))#+(?=\s)"))


def texts(path, text, kinds):
    spoken = language(path, text)
    if spoken is None:
        if "documents" in kinds:
            yield "documents", 0, without_code(text)
        return
    parts = Parts(text, spoken)
    if "comments" in kinds:
        comments = parts.part(parts.comments)
        yield "comments", 0, prose(without(comments, "<!--|-->") if spoken is languages.HTML else comments)
    if "strings" in kinds:
        bare = spoken in (languages.LINES, languages.HTML)
        yield "strings", 0, without_code(parts.code) if bare else parts.part(parts.strings)
    if "names" in kinds:
        for place, words in parts.names():
            yield "names", place, words


def tree(paths):
    """(path, text) of each file below these paths, or of all."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], check=True, capture_output=True, text=True)
    for path in sorted(set(listed.stdout.splitlines())):
        if path.startswith(LEFT_OUT) or not os.path.isfile(path) or os.path.islink(path):
            continue
        if paths and not any(path == one or path.startswith(one + "/") or one == "." for one in paths):
            continue
        with open(path, "rb") as file:
            content = file.read()
        if b"\0" not in content:
            yield path, content.decode(encoding="utf-8", errors="replace")
