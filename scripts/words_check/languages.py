"""Takes files of each language apart into comments, strings and code."""

import dataclasses
import re
import typing


class Literal(typing.NamedTuple):
    """How a string ends, what escapes in it, and what begins and brackets an interpolation."""

    closing: str
    escape: str
    insertion: str = ""
    brackets: str = "()"


@dataclasses.dataclass(frozen=True)
class Language:
    """What begins a comment or a string; `literal` gets the mark that opens a string."""

    line: str
    block: tuple[str, str]
    quote: str
    literal: typing.Callable[[str], Literal]
    nested: bool = False
    # Neither a comment nor a string, but with their marks in it.
    skipped: str = r"(?!)"
    # A string that counts as a comment.
    documentation: str = r"(?!)"
    # Each name of the code by default; the groups of a match are alternatives.
    names: str = r"([A-Za-z_$][\w$]*)"

    @property
    def marks(self):
        block = re.escape(self.block[0]) if self.block else r"(?!)"
        return re.compile(f"(?P<line>{self.line})|(?P<block>{block})|(?P<skipped>{self.skipped})|(?P<quote>{self.quote})|[()]|[{{}}]",
                          re.MULTILINE)


def swift_literal(mark):
    hashes = mark.rstrip('"')
    return Literal(mark[len(hashes):] + hashes, "\\" + hashes, "\\" + hashes + "(", "()")


def python_literal(mark):
    prefix = mark.rstrip("'\"")
    return Literal(mark[len(prefix):], "\\", "{" if "f" in prefix.lower() else "", "{}")


def script_literal(mark):
    return Literal(mark, "\\", "${" if mark == "`" else "", "{}")


SWIFT = Language("//", ("/*", "*/"), r'#*"""|#+"|"', swift_literal, nested=True, names=(
    r"\b(?:func|var|let|case|struct|class|enum|actor|protocol|typealias|associatedtype)\s+`?([A-Za-z_]\w*)"
    r"|[(,]\s*(?:\w+\s+)?(\w+):\s*[\w\[(@]"))
PYTHON = Language("#", (), r"""\b[rRbBfFuU]{0,2}(?:\"\"\"|'''|"|')|\"\"\"|'''|"|'""", python_literal,
                  documentation=r"^[ \t]*[rRfF]?(?:\"\"\"|''')\Z")
C = Language("//", ("/*", "*/"), '"', lambda mark: Literal(mark, "\\"), skipped=r"'(?:\\.|[^'\\\n])+'|#include[^\n]*")
JAVASCRIPT = Language("//", ("/*", "*/"), "[\"'`]", script_literal,
                      skipped=r"(?<=[(,=:!&|?;])\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/")
CSS = Language(r"(?!)", ("/*", "*/"), "[\"']", lambda mark: Literal(mark, "\\"))
HTML = Language(r"(?!)", ("<!--", "-->"), r"(?!)", script_literal)
# Shell, YAML, units of systemd, rules of udev, Makefiles, fields of Debian: what is no comment is both strings and names.
LINES = Language(r"(?:^|(?<=\s))#(?!!)", (), r"(?!)", script_literal, names=r"(\w+_\w+)")


class Parts:
    """A file, taken apart: its comments, its strings and its code, each at its place with spaces for the rest."""

    def __init__(self, text, language):
        self.text, self.end = text, len(text)
        self.language, self.marks = language, language.marks
        self.comments, self.strings = [], []
        self.walk(0)

    def part(self, spans):
        out, at = [], 0
        for start, stop in sorted(spans):
            out += [blank(self.text[at:start]), self.text[start:stop]]
            at = stop
        return "".join(out) + blank(self.text[at:])

    @property
    def code(self):
        out, at = [], 0
        for start, stop in sorted(self.comments + self.strings):
            out += [self.text[at:start], blank(self.text[start:stop])]
            at = stop
        return "".join(out) + self.text[at:]

    def names(self):
        """Each name as lower-case words, with its place."""
        for match in re.compile(self.language.names).finditer(self.code):
            name = match.group(match.lastindex)
            yield match.start(match.lastindex), CAPITALS.sub(" ", name).lower()

    def walk(self, place, brackets=""):
        """Walks code to the end, or past the bracket that closes an interpolation."""
        depth = 0
        while mark := self.marks.search(self.text, place):
            place = mark.end()
            if mark.lastgroup == "line":
                place = self.text.find("\n", place) if "\n" in self.text[place:] else self.end
                self.comments.append((mark.start(), place))
            elif mark.lastgroup == "block":
                place = self.block(place)
                self.comments.append((mark.start(), place))
            elif mark.lastgroup == "quote":
                place = self.string(mark)
            elif brackets and mark.group() == brackets[0]:
                depth += 1
            elif brackets and mark.group() == brackets[1]:
                if depth == 0:
                    return place
                depth -= 1
        return self.end

    def block(self, place):
        opening, closing = self.language.block
        level = 1
        for mark in re.compile(f"{re.escape(opening)}|{re.escape(closing)}").finditer(self.text, place):
            if mark.group() == closing:
                level -= 1
            elif self.language.nested:
                level += 1
            if level == 0:
                return mark.end()
        return self.end

    def string(self, mark):
        text, place = self.text, mark.end()
        literal = self.language.literal(mark.group())
        line = text[text.rfind("\n", 0, mark.start()) + 1:place]
        spans = self.comments if re.match(self.language.documentation, line) else self.strings
        began = place
        stops = re.compile("|".join(re.escape(stop) for stop in (literal.insertion, literal.escape, literal.closing) if stop))
        while stop := stops.search(text, place):
            place = stop.end()
            if literal.insertion and stop.group() == literal.insertion:
                if literal.insertion == "{" and text.startswith("{", place):
                    place += 1
                    continue
                spans.append((began, stop.start()))
                place = began = self.walk(place, literal.brackets)
            elif stop.group() == literal.escape:
                place += 1
            else:
                spans.append((began, stop.start()))
                return place
        spans.append((began, self.end))
        return self.end


CAPITALS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_")


def blank(text):
    """As many spaces; line breaks stay."""
    return re.sub(r"[^\n]", " ", text)
