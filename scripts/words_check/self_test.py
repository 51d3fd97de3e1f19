"""Plants words in every language and kind of text: each is found once, and nothing else is."""

import sys

from .check import Allowance, check, findings, openings
from .vocabulary import ALLOWED, MOST_ALLOWED, PATTERNS

PLANTED = {
    "film": "the film ends", "picture": "each picture's time", "sound": "the sound is silent", "key frame": "a key\n/// frame",
    "group of pictures": "a group of pictures", "anew": "Begins anew.", "whoever": "whoever asks", "somebody": "if someone asks",
    "nobody": "Nobody asks", "goes on": "it went on", "made whole": "makes the file whole", "in front of": "in front of it",
    "lets go of": "lets go of it", "to be had": "is to be had", "way out": "the way out", "told": "is told", "stretch": "a stretch of time",
    "so much": "so many bytes", "stands": "it stands in the header", "lies": "it lies there"}

FINE = [
    "a picture parameter set, picture timing, picture-in-picture and a decoded picture\n/// buffer", "the sound card, a sound sample description, it sounds like",
    "`film` and ``Film``, `key\n/// frame`", "see [it](docs/film.md) and https://example.org/picture", "it stands for a frame", "goes on the disk",
    "filmstrip, soundly, stretched", "reports, continues, is stored in", "- Parameter picture: An image.\n///   - sound: Its audio.",
    "docs/design/decisions/pictures.md, an IDR picture, tells them apart, stretches to the size"]

# A file, its text, and what is planted in each kind of text.
LANGUAGES = [
    ("Sources/A/A.swift", 'func filmLength(of keyFrame: Int) { a("no sound \\(picture("stretch")) // film") }\nlet picture = 1 // film\n',
     {"strings": ["film", "sound", "stretch"], "names": ["film", "key frame", "picture"], "comments": ["film"]}),
    ("a.py", 'def film_length(sound): # a picture\n    """Begins anew."""\n    return f"{film} someone {keyFrame(\'film\')}" + \'# whoever\'\n',
     {"comments": ["anew", "picture"], "strings": ["film", "somebody", "whoever"], "names": ["film", "film", "key frame", "sound"]}),
    ("scripts/a", "#!/usr/bin/env python3\nfilm = 'sound' # anew\n", {"comments": ["anew"], "strings": ["sound"], "names": ["film"]}),
    ("scripts/b", "#!/bin/bash\n# The film.\nsay \"the sound #1\" ${#a} # a picture\nshort_film=1\n",
     {"comments": ["film", "picture"], "strings": ["sound"], "names": ["film"]}),
    ("a.c", "/* A film. */ int sound_level = '\"'; // a picture\nchar *a = \"anew // whoever\";\n",
     {"comments": ["film", "picture"], "strings": ["anew", "whoever"], "names": ["sound"]}),
    ("a.js", "// A film.\nconst sound = `anew ${picture(\"film\")} whoever`.replace(/[\"'/]/g, 'someone'); /* nobody */\n",
     {"comments": ["film", "nobody"], "strings": ["anew", "film", "somebody", "whoever"], "names": ["picture", "sound"]}),
    ("a.css", "/* A film. */ .sound-level { content: \"anew\"; }\n", {"comments": ["film"], "strings": ["anew"], "names": ["sound"]}),
    ("a.html", "<!-- A film. -->\n<p class=\"a\">whoever</p>\n", {"comments": ["film"], "strings": ["whoever"], "names": ["whoever"]}),
    ("a.yaml", "# A film.\na:\n  description: The sound, in `film`.\n", {"comments": ["film"], "strings": ["sound"], "names": []}),
    ("systemd/a.service", "# A film.\n[Unit]\nDescription=The sound\n", {"comments": ["film"], "strings": ["sound"], "names": []})]


def found(path, text, kinds):
    return [word for _, _, word, _ in findings(path, text, kinds, Allowance(ALLOWED))]


def of_words():
    """Each word in a comment and in a document, not in code."""
    for word, *_ in PATTERNS:
        if word not in PLANTED:
            yield f"nothing is planted for: {word}"
            continue
        text = PLANTED[word]
        for comment in [f"/// {text}\nlet a = 1\n", f"let a = \"//\" // {text}\n", f"/* {text.replace('/// ', '')} */\n"]:
            if found("Sources/A/A.swift", comment, {"comments"}) != [word]:
                yield f"not found once: {word} in {comment!r}: {found('Sources/A/A.swift', comment, {'comments'})}"
        document = text.replace("/// ", "")
        if found("docs/a.md", f"# A\n\n{document}\n", {"documents"}) != [word]:
            yield f"not found once: {word} in a document"
        for code in [f"```\n{document}\n```\n", f"`{document}`\n", f"<!-- {document} -->\n", f"``{document}``\n"]:
            if found("docs/a.md", code, {"documents"}):
                yield f"found in code: {code!r}"
        if found("Sources/A/A.swift", f"/// ```\n/// {text}\n/// ```\nlet a = 1\n", {"comments"}):
            yield f"found in a comment's code: {word}"
        if found("Sources/A/A.swift", f'let a = "{document}"\n'.replace("\n", " "), {"comments"}):
            yield f"a string is taken for a comment: {word}"
        if found("docs/design/glossary.md", document, {"documents"}):
            yield f"found where it is allowed: {word}"
    for text in FINE:
        if found("Sources/A/A.swift", f"/// {text}\n", {"comments"}):
            yield f"found what is right: {text!r}: {found('Sources/A/A.swift', f'/// {text}', {'comments'})}"


def of_languages():
    for path, text, planted in LANGUAGES:
        for kind, expected in planted.items():
            if sorted(found(path, text, {kind})) != expected:
                yield f"{path}: {kind}: {sorted(found(path, text, {kind}))} instead of {expected}"


def of_the_rest():
    lines = check([("docs/a.md", "a\nb film\n")], {"documents"}, Allowance(ALLOWED), whole=False)[0]
    if lines != ["docs/a.md:2: film: movie or file; recording for one take"]:
        yield f"the line is {lines}"
    allowance = Allowance([("docs/b*", "anew", "a reason"), ("*", "whole film stock", "a reason")])
    for path, text, expected in [("docs/b.md", "anew", 0), ("docs/c.md", "anew", 1), ("docs/c.md", "the whole\nfilm stock", 0)]:
        if len(findings(path, text, {"documents"}, allowance)) != expected:
            yield f"allowed or not: {path}: {text!r}"
    begun = ("/// What it is.\n/// Where it is.\nlet a = 1\n\n    /// The first.\n    /// - Parameter a: Of it.\n    /// - Returns: The sum.\n"
             "/// In-memory storage.\n/// Whether it is.\n//// Of no matter\n// On it\nlet b = \"\"\"\n    /// Of a string\n    \"\"\"\n")
    if [bad for _, bad, _ in openings("Sources/A/A.swift", begun)] != [True, False, True, False]:
        yield f"openings: {list(openings('Sources/A/A.swift', begun))}"
    if len(ALLOWED) > MOST_ALLOWED or any(len(line) != 3 or not all(part.strip() for part in line) for line in ALLOWED):
        yield f"ALLOWED has more than {MOST_ALLOWED} lines, or one without a reason"


def self_test():
    wrong = [*of_words(), *of_languages(), *of_the_rest()]
    for text in wrong:
        print(f"words: {text}", file=sys.stderr)
    return 1 if wrong else 0
