"""What a change of a list means: whether it breaks a user's program, and whether CHANGELOG.md says so."""
import re

HEADING = re.compile(r"^## (\d+\.\d+\.\d+)", re.M)


def covers(line, other):
    """Whether one promise keeps another: several names where one was."""
    return line == other + "…"


def breaks(before, now, is_same=lambda one, other: one == other):
    """Lines that went, and new ones that ask for more."""
    gone = [
        line for line in before
        if line not in now and not any(is_same(line, other) or covers(other, line) for other in now)
    ]
    asked = [line for line in now if " needs " in line and line not in before and route(line) in map(route, before)]
    return sorted(gone + asked)


def additions(before, now, is_same=lambda one, other: one == other):
    return sorted(line for line in now if line not in before and not any(is_same(line, other) for other in before))


def route(line):
    """The request or the command that a line is about: what is needed by a new one breaks no program."""
    return line.split(" needs ")[0].split(" takes ")[0]


def announced(changelog):
    """What is in back quotes below "Breaking" of the newest version."""
    newest = HEADING.split(changelog)[2] if HEADING.search(changelog) else ""
    section = re.search(r"^### Breaking\n(.*?)(?=^#|\Z)", newest, flags=re.M | re.S)
    return re.findall(r"`([^`]+)`", section.group(1)) if section else []


def unannounced(broken, changelog):
    """A line is announced by itself or by its beginning, as `AssetWriter` or `recorder start --size`."""
    words = announced(changelog)
    return [
        line for line in broken
        if not any(line == word or (line.startswith(word) and not re.match(r"[\w-]", line[len(word):])) for word in words)
    ]


def version(text):
    return tuple(int(part) for part in text.split("."))


def newest(changelog):
    found = HEADING.search(changelog)
    return found.group(1) if found else None


def is_large_enough(old, new, has_breaks):
    """Before 1.0 a break takes a new minor version, from then on a new major one."""
    (old, new) = (version(old), version(new))
    if not has_breaks:
        return new > old
    return new[:1] > old[:1] if old[0] > 0 else new[:2] > old[:2]


def self_test():
    log = "# Changes\n\n## 0.2.0, soon\n\n### Breaking\n\n- `Old.Type` is gone, and `x start --size`.\n\n## 0.1.0\n\n### Breaking\n\n- `More`\n"
    assert announced(log) == ["Old.Type", "x start --size"]
    assert newest(log) == "0.2.0"
    assert breaks({"a", "b"}, {"b", "c"}) == ["a"] and additions({"a", "b"}, {"b", "c"}) == ["c"]
    assert breaks({"x start <name>", "y <name>"}, {"x start <name>…"}) == ["y <name>"]
    assert breaks({"x start"}, {"x start", "x start needs <file>", "y needs <file>"}) == ["x start needs <file>"]
    assert unannounced(["Old.Type: var x", "Old.Types", "x start --size VALUE", "x start --sizes"], log) == [
        "Old.Types", "x start --sizes"]
    assert is_large_enough("0.1.0", "0.1.1", False) and not is_large_enough("0.1.0", "0.1.0", False)
    assert is_large_enough("0.1.0", "0.2.0", True) and not is_large_enough("0.1.0", "0.1.1", True)
    assert is_large_enough("1.4.0", "2.0.0", True) and not is_large_enough("1.4.0", "1.5.0", True)
