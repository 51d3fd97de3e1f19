"""Finds the words of the vocabulary, and doc comments that do not begin with a noun or a verb."""

import collections
import fnmatch
import re

from . import languages
from .texts import KINDS, texts
from .vocabulary import ALL, ALLOWED, LIMIT, OPENINGS, PATTERNS

GAP = r"(?:[ \t]+\n?[ \t]*|\n[ \t]*)"


def pattern(expression):
    """An expression whose spaces are any white space, one line break at most."""
    for dash in ("[ -]", "[- ]"):
        expression = expression.replace(dash, "(?:-| )")
    return re.compile(expression.replace(" ", GAP), re.IGNORECASE)


WORDS = [(word, pattern(expression), kinds, instead, [pattern(term) for term in terms])
         for word, expression, kinds, instead, terms in PATTERNS]
# Most names have no word of all these.
ANY = re.compile("|".join(expression.pattern for _, expression, *_ in WORDS), re.IGNORECASE)


def surrounds(text, phrase, start, stop):
    """Whether an occurrence of a phrase contains these characters."""
    found = phrase.search(text, max(0, start - 60))
    while found and found.start() <= start:
        if found.end() >= stop:
            return True
        found = phrase.search(text, found.start() + 1)
    return False


class Allowance:
    """ALLOWED, and which of its lines were needed."""

    def __init__(self, lines):
        self.lines = [(path, word, pattern(re.escape(word).replace(r"\ ", " "))) for path, word, _ in lines]
        self.used = set()

    def covers(self, path, word, text, start, stop):
        for line in self.lines:
            if line[0] != "*" and not fnmatch.fnmatch(path, line[0]):
                continue
            if line[1] in ("*", word) or surrounds(text, line[2], start, stop):
                self.used.add(line[:2])
                return True
        return False


def findings(path, text, kinds, allowance):
    """(kind, line, word, what to write instead) of each replaced word in a file."""
    found = []
    for kind, place, words in texts(path, text, kinds):
        if not ANY.search(words):
            continue
        for word, expression, where, instead, terms in WORDS:
            if kind not in where:
                continue
            for match in expression.finditer(words):
                inside = any(surrounds(words, term, match.start(), match.end()) for term in terms)
                if not inside and not allowance.covers(path, word, words, match.start(), match.end()):
                    start = place if kind == "names" else match.start()
                    found.append((kind, text.count("\n", 0, start) + 1, word, instead))
    return found


FIELD = re.compile(r"\s*- (?:Parameter \w+|Returns|Throws|Note|Important|Warning|Precondition|Postcondition|Complexity|\w+):\s+(.*)")
OPENING = re.compile(r"(?:%s)\b(?!-)" % "|".join(OPENINGS))


def openings(path, text):
    """(line, whether it begins badly, the text) of each doc comment of Sources, and of each text behind a field's name."""
    if not (path.startswith("Sources/") and path.endswith(".swift") and "///" in text):
        return
    before = False
    parts = languages.Parts(text, languages.SWIFT)
    for number, line in enumerate(parts.part(parts.comments).split("\n"), 1):
        match = re.match(r"\s*///(?!/)(.*)", line)
        words = match.group(1).strip() if match else ""
        field = FIELD.match(match.group(1)) if match else None
        if field:
            yield number, bool(OPENING.match(field.group(1))), words
        elif match and not before and words:
            yield number, bool(OPENING.match(words)), words
        before = bool(match)


def check(files, kinds, allowance, whole=True):
    """The findings, and how many doc comments there are and begin badly."""
    lines, all_openings, bad_openings = [], 0, 0
    for path, text in files:
        found = {one[1:] for one in findings(path, text, kinds, allowance)}
        lines += [f"{path}:{line}: {word}: {instead}" for line, word, instead in sorted(found)]
        if "comments" in kinds:
            begun = [bad for _, bad, _ in openings(path, text)]
            all_openings, bad_openings = all_openings + len(begun), bad_openings + sum(begun)
    if whole and kinds == ALL:
        lines += [f"scripts/words_check/vocabulary.py:1: ALLOWED has {word} in {path}, which is no longer there"
                  for path, word, _ in ALLOWED if (path, word) not in allowance.used]
    return lines, all_openings, bad_openings


def count(files):
    """Prints how often each word occurs in each kind of text."""
    counts = collections.Counter()
    begun = []
    for path, text in files:
        counts.update((word, kind) for kind, _, word, _ in findings(path, text, ALL, Allowance(ALLOWED)))
        begun += [bad for _, bad, _ in openings(path, text)]
    print(f"{'':18}" + "".join(f"{kind:>11}" for kind in KINDS))
    for word, _, where, *_ in PATTERNS:
        print(f"{word:18}" + "".join(f"{counts[word, kind] if kind in where else '':>11}" for kind in KINDS))
    print(f"{'all':18}" + "".join(f"{sum(counts[word, kind] for word, *_ in PATTERNS):>11}" for kind in KINDS))
    print(share(sum(begun), len(begun)))


def share(bad, total):
    return f"{bad} of {total} doc comments begin with a preposition or a relative clause: {100 * bad / max(1, total):.1f} % (limit {LIMIT:g} %)"
