#!/usr/bin/env python3
"""A second verifier of signed recordings, written from docs/reference/signature.md alone and sharing nothing with the first.

  signature.py KEY.pub FILE…

Prints one JSON object for each file: {"file", "verdict": "genuine" | "altered" | "unsigned" | "otherKey", "end": whether it
is signed, "problems": [[from, to, what] …]}, with times in seconds, to null for "to the end". Exit status 65 when a file is
not genuine.
"""

import base64
import bisect
import json
import math
import struct
import sys

from cryptography.hazmat.primitives.serialization import load_pem_public_key

sys.dont_write_bytecode = True
from signature_cut import FILE_TYPES, Cut  # noqa: E402
from signature_fragments import Fragment, Proof, Refused, is_found, tree  # noqa: E402
from signature_header import Header, digest, s32, u32, u64  # noqa: E402

TOLERANCE = 0.001
FILLERS = {b"wide", b"free", b"skip"}
UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, struct.error, IndexError)


def is_printable(kind):
    """A type that is not printable is damage: no player knows it."""
    return all(0x20 <= byte <= 0x7E for byte in kind)


class File:
    def __init__(self, data, key):
        self.data, self.key = data, key
        self.problems, self.described, self.signed = [], {}, {}
        self.number, self.last, self.reached, self.misses = 0, None, 0.0, None
        self.first = None
        self.headers, self.leading, self.finished = [], set(), False
        self.foreign, self.end, self.short, self.torn = 0, None, None, False

    def problem(self, start, end, what):
        self.problems.append([max(0, start), end, what])

    def atom(self, at):
        """(type, length of the header, end) of the atom at a place; None where there is no whole one."""
        data = self.data
        if len(data) - at < 8:
            return None
        size, kind, head = u32(data, at), bytes(data[at + 4:at + 8]), 8
        if size == 1:
            if len(data) - at < 16:
                return None
            size, head = u64(data, at + 8), 16
        return (kind, head, at + size) if head <= size <= len(data) - at else None

    def fragments(self):
        """Walks from atom to atom, into media data, and searches for a fragment behind what is none."""
        at = 0
        while len(self.data) - at >= 8:
            atom = self.atom(at)
            fragment = self.fragment(at, atom) if atom and atom[0] == b"moof" else None
            if fragment:
                yield fragment
                at = fragment.end
            elif atom and atom[0] == b"moof":
                # Players may make something of it.
                yield Refused()
                at = self.search(at + 1)
            elif atom is None or not is_printable(atom[0]):
                at = self.search(at + 1)
            elif atom[0] == b"mdat":
                self.finished = True
                at += atom[1]
            else:
                if atom[0] == b"moov":
                    self.headers.append((at, atom[2]))
                at = atom[2]

    def look_from_outside(self):
        """Players find atoms one after the other, and do not look into media data."""
        finished = self.finished
        if self.headers:
            try:
                finished = not Header(self.data, self.headers[0][0] + 8, self.headers[0][1]).is_leading
            except UNREADABLE:
                pass
        at, before, plain, met, fillers = 0, None, True, [], False
        while atom := self.atom(at):
            kind, _, end = atom
            if kind == b"moov":
                met.append((at, end))
            elif kind == b"moof":
                plain = plain and not finished and bool(met)
            elif kind == b"mdat":
                plain = plain and (finished or before == b"moof")
            elif kind == b"ftyp":
                plain = plain and at == 0 and bytes(self.data[:end]) in FILE_TYPES
            else:
                plain = plain and (kind in FILLERS or not finished and not is_printable(kind))
            plain = plain and (at > 0 or kind == b"ftyp")
            fillers = fillers or kind in FILLERS and end - at > 8
            at, before = end, kind
        if plain and (at < len(self.data) or not met):
            kind = bytes(self.data[at + 4:at + 8])
            if finished:
                plain = not met and not fillers and (len(kind) < 4 or kind == b"mdat")
            else:
                plain = self.is_plain_tail(at, met)
        if self.headers and met and self.headers[0][1] not in [end for _, end in met] or self.headers and not met:
            self.problem(0, None, "players find no header, or another one")
        self.headers += [header for header in met if header not in self.headers]
        if not plain:
            self.problem(0, None, "atoms that no recorder puts there")

    def is_plain_tail(self, at, met):
        left = len(self.data) - at
        if left < 8:
            return True
        size, kind = u32(self.data, at), bytes(self.data[at + 4:at + 8])
        if kind == b"mdat":
            return True
        if kind == b"moof":
            return self.is_plain_head(at, left) if size > max(1, left) else size >= 2
        if kind == b"moov":
            return size > 1 and bool(met)
        return kind in FILLERS or not is_printable(kind)

    def is_plain_head(self, start, left):
        """Whether the beginning of a fragment's head is one whose samples are not in the file."""
        def parts(at, end):
            while end - at >= 8:
                size = u32(self.data, at)
                if size < 8:
                    raise ValueError
                yield bytes(self.data[at + 4:at + 8]), at + 8, min(at + size, end)
                at += size

        try:
            if left > 32 << 20:
                return False
            for kind, a, b in parts(start + 8, len(self.data)):
                if kind == b"mfhd":
                    continue
                for inner, c, d in parts(a, b):
                    if kind != b"traf" or inner not in (b"tfhd", b"tfdt", b"trun"):
                        return False
                    if inner == b"trun" and d - c >= 12 and not (u32(self.data, c) & 1 and s32(self.data, c + 8) >= left):
                        return False
                if kind != b"traf":
                    return False
            return True
        except ValueError:
            return False

    def fragment(self, at, atom):
        """The one whose head is at a place; None for what is none."""
        try:
            _, head, media = atom
            fragment = Fragment(self.data, at, media) if head == 8 else None
            if not fragment or bytes(self.data[media + 4:media + 8]) != b"mdat":
                return None
            header, length = 8, u32(self.data, media)
            if length == 1:
                header, length = 16, u64(self.data, media + 8)
            if length < header:
                return None
        except UNREADABLE:
            return None
        fragment.torn = media + length > len(self.data)
        fragment.end = min(media + length, len(self.data))
        if not fragment.torn and not fragment.is_plausible(media, fragment.end):
            return None
        if fragment.torn and any(run.place < media for _, _, runs in fragment.tracks for run in runs):
            return None
        try:
            fragment.proof = Proof(self.data[media + header:fragment.end])
        except UNREADABLE:
            pass
        return fragment

    def search(self, at):
        while True:
            hit = self.data.find(b"moof", at + 4)
            if hit < 0:
                return len(self.data)
            start = hit - 4
            atom = self.atom(start)
            if atom and is_found(self.data, start, atom):
                # One in a copy has its length before it.
                if start < 12 or u32(self.data, start - 4) - (atom[2] - start) not in (8, 16):
                    return start
            at = start + 1

    def time(self, leaf):
        facts = self.described[leaf[0]]
        return (leaf[1] + leaf[2] - facts["start"]) / facts["timeScale"]

    def take(self, fragment):
        if self.short:
            self.problems.append(self.short)
        self.short = None
        proof = fragment.proof
        foreign = proof is not None and not proof.holds(self.key)
        if proof is None or foreign or "end" in proof.head:
            self.foreign += foreign
            self.torn = self.torn or fragment.torn
            if not fragment.torn:
                self.misses = self.reached if self.misses is None else self.misses
            self.keep(fragment, False)
            return
        head = proof.head
        for track in head["tracks"]:
            if "description" in track:
                self.described.setdefault(track["id"], track["description"])
        known = all(number in self.described for number, _, _ in fragment.tracks)
        leaves = list(fragment.leaves(self.data, self.described)) if known else []
        times = [self.time(leaf) for leaf in leaves]
        start, stop = (min(times), max(times)) if times else (self.reached, None)
        if head["number"] != self.number + 1:
            what = "missing" if head["number"] > self.number else "another place"
            self.problem(self.reached if self.misses is None else self.misses, start, what)
        elif self.last is not None and head.get("previous") != self.last:
            self.problem(self.reached, stop, "of another file")
        elif self.misses is not None:
            self.problem(self.misses, start, "not signed")
        self.misses = None
        self.first = self.first or head.get("file")
        self.leading.add(head.get("header"))
        proven = (
            [t["id"] for t in head["tracks"]] == [t[0] for t in fragment.tracks]
            and known and len(leaves) == head["leaves"] and tree([leaf[5] for leaf in leaves]).hex() == head["tree"])
        self.torn = self.torn or not proven and fragment.torn
        if not proven and not fragment.torn:
            self.problem(start, stop, "altered")
            # Nothing is wrong with the last one of a repaired recording.
            if len(leaves) < head["leaves"]:
                self.short = self.problems.pop()
        self.keep(fragment, proven)
        if stop is not None and not fragment.torn:
            self.reached = max(self.reached, stop)
        self.number = max(self.number, head["number"])
        self.last = proof.hash

    def keep(self, fragment, proven):
        """(place, size, ticks since the movie's beginning, ticks to the last, key, proven) of each piece, by track."""
        if not all(number in self.described for number, _, _ in fragment.tracks):
            return
        for number, time, shift, key, pieces, _ in fragment.leaves(self.data, self.described):
            ticks = time + shift - self.described[number]["start"]
            for place, size, begun, span in pieces:
                self.signed.setdefault(number, []).append((place, size, ticks + begun, span, key, proven))

    def verdict(self):
        cut = Cut.find(self.data, self.key, self.problem)
        if cut:
            verdict = cut.verdict(self.look_at_cut) or ("altered" if self.problems else "genuine")
            self.end = None
            return verdict
        for fragment in self.fragments():
            self.take(fragment)
        if self.last is None:
            return "otherKey" if self.foreign else "unsigned"
        self.look_from_outside()
        if self.misses is not None:
            self.problem(self.misses, None, "not signed")
        if not self.headers and not self.finished:
            self.problem(0, None, "no header")
        if len(self.headers) > 1:
            self.problem(0, None, "more than one header")
        if self.headers:
            self.look_at_header(*self.headers[0])
        if self.short and self.end is not None:
            self.problems.append(self.short)
        if self.torn and self.end is not None:
            self.problem(self.reached, None, "altered")
        return "altered" if self.problems else "genuine"

    def look_at_header(self, start, end):
        try:
            if end - start > 32 << 20 or u32(self.data, start) != end - start:
                raise ValueError
            header = Header(self.data, start + 8, end)
        except UNREADABLE:
            return self.problem(0, None, "the header cannot be read")
        self.look_at_end(header)
        if header.is_leading:
            if digest(self.data[:end]) not in self.leading:
                self.problem(0, None, "the header is another one")
            return
        if self.first is not None and header.movie() != self.first["movie"]:
            self.problem(0, None, "the movie is to be shown otherwise")
        try:
            tracks = header.tracks(lambda number: self.described.get(number, {}).get("isOneLeaf", False))
        except UNREADABLE:
            return self.problem(0, None, "the header contradicts itself")
        for number in tracks:
            if number not in self.described:
                self.problem(0, None, f"track {number} was added")
        for number, facts in self.described.items():
            self.look_at_track(number, facts, tracks.get(number), header.scale)

    def look_at_cut(self, number, facts, signed, track, end, movie_scale):
        self.signed[number] = signed
        self.end = {"movieEnd": {"value": end, "timeScale": 1}}
        self.look_at_track(number, facts, track, movie_scale)

    def look_at_end(self, header):
        texts = header.metadata("recorder.signature")
        if not texts:
            return
        try:
            proof = Proof(base64.b64decode(texts[0], validate=True))
            if len(texts) > 1 or not proof.holds(self.key) or "end" not in proof.head:
                raise ValueError
        except UNREADABLE:
            return self.problem(self.reached, None, "the end is not signed with this key")
        self.end = proof.head["end"]
        if self.end["fragments"] > self.number:
            self.problem(self.reached, None, "the last fragments are missing")
        elif self.end["fragments"] < self.number or proof.head.get("previous") != self.last:
            self.problem(self.reached, None, "the end is that of another file")
        for name, value in self.end["metadata"].items():
            own = header.metadata(name)
            if len(own) != 1 or own[0] is None or digest(own[0].encode()) != value:
                self.problem(0, None, name)

    def is_due(self, number):
        """Whether a track's sample of a time in seconds belongs into the movie."""
        end = self.end or {}
        ends = [end.get("movieEnd"), end.get("trackEnds", {}).get(str(number))]
        limit = min([e["value"] / e["timeScale"] for e in ends if e], default=float("inf"))
        return lambda time: -TOLERANCE / 2 < time < limit - TOLERANCE

    def look_at_track(self, number, facts, track, movie_scale):
        due, scale, signed = self.is_due(number), facts["timeScale"], self.signed.get(number, [])
        if track is None:
            if any(due(sample[2] / scale) for sample in signed):
                self.problem(0, None, f"track {number} is missing")
            return
        if track.description() != (facts["form"], facts["timeScale"]):
            return self.problem(0, None, f"track {number} is described otherwise")

        def left_out(sample):
            if sample[5] and due(sample[2] / scale):
                self.problem(sample[2] / scale, sample[2] / scale, f"track {number} is left out")

        line, found, following = ShownTimes(track.edits, scale, movie_scale), [], 0
        for offset, size, shown, key, span in track.samples:
            # They come as they were signed.
            while following < len(signed) and signed[following][0] < offset:
                left_out(signed[following])
                following += 1
            if following == len(signed) or signed[following][:2] != (offset, size):
                self.problem(0, None, f"track {number} shows what was not signed")
                continue
            _, _, ticks, own_span, own_key, _ = signed[following]
            following += 1
            found.append((shown, ticks, own_span))
            if own_key != key:
                self.problem(ticks / scale, ticks / scale, f"keyframes of track {number}")
            right = line.is_right(shown, ticks)
            if right is False or span not in (None, own_span):
                self.problem(ticks / scale, ticks / scale, f"track {number} is shown at another time")
            elif right is None and due(ticks / scale):
                self.problem(ticks / scale, ticks / scale, f"track {number} is hidden")
        for sample in signed[following:]:
            left_out(sample)
        if line.is_stray(sorted(found)):
            self.problem(0, None, f"track {number} shows what belongs to another time")


class ShownTimes:
    """When a track's samples are shown, by its edits."""

    def __init__(self, edits, scale, movie_scale):
        self.scale, self.ratio = scale, scale / movie_scale
        self.edits = [(begun * scale, length * scale, media) for begun, length, media in edits]
        self.unit = scale / math.gcd(scale, movie_scale)

    def fits(self, shown, ticks, edit):
        """Whether an edit shows a sample when it was signed to be: an edit that begins later does so on a tick of the movie."""
        begun, _, media = edit
        return abs(shown - media + begun - ticks) <= (2 * self.ratio + 0.5 if begun else 0)

    def is_right(self, shown, ticks):
        """None for what is not shown."""
        edit = next((e for e in self.edits if -0.0005 * self.scale < shown - e[2] < e[1]), None)
        return self.fits(shown, ticks, edit) if edit else None

    def is_stray(self, samples):
        """Whether an edit shows anything that is not due. It may continue what is shown already."""
        places = [shown for shown, _, _ in samples]
        for edit in self.edits:
            begun, length, media = edit
            following = bisect.bisect_right(places, media)
            if following:
                shown, ticks, span = samples[following - 1]
                rounding = 2 * self.ratio + 0.5 if begun else 0
                if media - shown <= span:
                    if not self.fits(shown, ticks, edit):
                        return True
                elif ticks > begun + rounding or any(s[1] < begun - rounding for s in samples[following:following + 1]):
                    return True
            for shown, ticks, _ in samples[following:]:
                if shown - media >= length - 2 * self.ratio - self.unit:
                    break
                if not self.fits(shown, ticks, edit):
                    return True
        return False


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    with open(arguments[0], "rb") as file:
        key = load_pem_public_key(file.read())
    genuine = True
    for path in arguments[1:]:
        with open(path, "rb") as file:
            movie = File(file.read(), key)
        verdict = movie.verdict()
        genuine = genuine and verdict == "genuine"
        print(json.dumps({"file": path, "verdict": verdict, "end": movie.end is not None, "problems": movie.problems}))
    return 0 if genuine else 65


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
