"""Reads Swift as far as the checks need it: what a file imports, declares and names."""

import os
import re

DECLARATION = re.compile(
    r"(?:^|[;{}\s])(struct|class|enum|actor|protocol|typealias|extension)\s+([A-Z][\w.]*)")
IMPORT = re.compile(
    r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|typealias|func|var|let)\s+)?(\w+)", re.MULTILINE)
NAME = re.compile(r"[A-Z]\w*")
MEMBER_TYPE = re.compile(r"\.([A-Z]\w*)")
# What makes an extension more than a place for types.
MEMBER = re.compile(r"\b(?:func|var|let|init|subscript|case)\b")
PUBLIC = re.compile(r"\bpublic\s+(?!import\b)|\bopen\s+(?:class|func|var)\b")
# Calls that take a path. Those of bytes (`$0`) and of fixed places, as Capture's device nodes, are the C library's own.
PATH_CALL = re.compile(
    r"(?<![\w.])(Glibc\.)?(?:opendir|[lf]?stat(?:at|vfs)?|open|access|rename|(?:un)?link(?:at)?|mkdir|rmdir|chmod|"
    r"lchown|realpath|readlink|inotify_add_watch|strdup|clinux_rename_exclusive)\((?=[^)\s$])(?P<words>.*)")


def code_of(text):
    """The text with comments and the words of literals blanked, line by line; what a literal interpolates stays."""
    out = list(text)
    end = len(text)

    def blank(start, stop):
        for place in range(start, min(stop, end)):
            if out[place] != "\n":
                out[place] = " "

    def literal(start):
        """Blanks a literal that begins at `start`; returns the place behind it."""
        place = start
        while text[place] == "#":
            place += 1
        marks = "#" * (place - start)
        quote = '"""' if text.startswith('"""', place) else '"'
        closing, escape = quote + marks, "\\" + marks
        place += len(quote)
        began = start
        while place < end and not text.startswith(closing, place):
            if text.startswith(escape + "(", place):
                blank(began, place + len(escape) + 1)
                place = code(place + len(escape) + 1, inside=True)
                began = place - 1
            elif text.startswith(escape, place):
                place += len(escape) + 1
            else:
                place += 1
        place += len(closing)
        blank(began, place)
        return place

    def code(place, inside=False):
        """Walks code to the end, or over the parenthesis that closes an interpolation."""
        depth = 0
        while place < end:
            if text.startswith("//", place):
                stop = text.find("\n", place)
                stop = end if stop < 0 else stop
                blank(place, stop)
                place = stop
            elif text.startswith("/*", place):
                start, level = place, 0
                while place < end:
                    if text.startswith("/*", place):
                        level, place = level + 1, place + 2
                    elif text.startswith("*/", place):
                        level, place = level - 1, place + 2
                    else:
                        place += 1
                    if level == 0:
                        break
                blank(start, place)
            elif text[place] == '"' or re.compile(r'#+"').match(text, place):
                place = literal(place)
            else:
                if inside and text[place] == "(":
                    depth += 1
                elif inside and text[place] == ")":
                    if depth == 0:
                        return place + 1
                    depth -= 1
                place += 1
        return place

    code(0)
    return "".join(out)


class File:
    """A Swift file: where it is, what it imports, declares and names.

    `declared` has the types at the top level, and as `Outer.Inner` those that an extension nests in another type.
    """

    def __init__(self, path, text):
        self.path = path
        self.module = path.split("/")[2]
        # Empty for a file directly in its module.
        self.folder = "/".join(path.split("/")[3:-1])
        code = code_of(text)
        self.imports = [(line_of(code, match.start(1)), match.group(1)) for match in IMPORT.finditer(code)]
        public = PUBLIC.search(code)
        self.first_public = line_of(code, public.start()) if public else None
        self.path_calls = [
            (line_of(code, match.start()), bool(match.group(1))) for match in PATH_CALL.finditer(code)
            if not re.search(r"\b(?:func|case)\s+$", code[:match.start()][-20:]) and is_path_call(match)]
        self.read_declarations(code)
        self.read_uses(code)

    def read_declarations(self, code):
        self.declared, self.nested = set(), set()
        # Where the names of extensions begin that only nest types.
        self.namespaces = set()
        depth, position, extended = 0, 0, None
        for match in DECLARATION.finditer(code):
            kind, name = match.groups()
            depth += code.count("{", position, match.start(1)) - code.count("}", position, match.start(1))
            position = match.start(1)
            if kind == "extension":
                extended = name
                if nests_only(code, match.end()):
                    self.namespaces.add(match.start(2))
                continue
            if not depth:
                extended = None
            is_private = re.search(r"\b(?:file)?private\s+(?:\w+\s+)*$", code[:match.start(1)].split("\n")[-1])
            (self.nested if depth or is_private else self.declared).add(name)
            if depth == 1 and extended and not is_private:
                self.declared.add(f"{extended}.{name}")

    def read_uses(self, code):
        """Each use of a type: its line, its name, and the name of a type in it that is meant, or nothing."""
        self.uses = []
        for match in NAME.finditer(code):
            before = code[match.start() - 1] if match.start() else " "
            if before.isalnum() or before == "_" or match.start() in self.namespaces:
                continue
            # A member's name is its owner's, unless its owner is the module.
            if before == "." and not re.search(rf"\b{self.module}\.$", code[:match.start()][-60:]):
                continue
            if match.group() not in self.nested:
                member = MEMBER_TYPE.match(code, match.end())
                self.uses.append((line_of(code, match.start()), match.group(), member.group(1) if member else ""))


def nests_only(code, place):
    """Whether an extension, whose name ends at a place, adds types and nothing else, and no conformance."""
    start = code.index("{", place)
    if ":" in code[place:start]:
        return False
    depth, outer = 0, []
    for character in code[start:]:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if not depth:
            break
        if depth == 1:
            outer.append(character)
    return not MEMBER.search("".join(outer)) and bool(DECLARATION.search("".join(outer)))


def is_path_call(match):
    name, words = match.group().split("(")[0].split(".")[-1], match.group("words")
    # Bytes, handed to a closure, behind the directory's descriptor.
    if re.match(r"[\w.]+, \$0", words):
        return False
    if name == "open":
        return bool(re.search(r"\bO_[A-Z]+|\bflags\b", words))
    if name == "access":
        return bool(re.search(r"\b[FRWX]_OK\b", words))
    if name in ("stat", "lstat", "fstatat", "statvfs"):
        return bool(re.search(r"&\w+", words)) and "$0" not in words.split(",")[0]
    if name in ("link", "rename"):
        return words.split(")")[0].count(",") == 1 and not re.search(r"\bto:", words)
    return name != "fstat"


def line_of(text, place):
    return text.count("\n", 0, place) + 1


def read_tree():
    files = []
    for directory, _, names in os.walk("Sources"):
        for name in names:
            if name.endswith(".swift"):
                path = os.path.join(directory, name)
                with open(path, encoding="utf-8") as file:
                    files.append(File(path, file.read()))
    return files
