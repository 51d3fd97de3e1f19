"""The fragments of a signed recording, as docs/reference/signature.md reads them, and the tree of their samples.

Part of signature.py.
"""

import hashlib
import json
import struct

from cryptography.exceptions import InvalidSignature
from signature_header import digest, plain_atoms, s32, u32, u64

DOMAIN = b"recorder fragment head 1\n"
LARGEST = 32 << 20
MOST_SAMPLES = 1 << 22


class Proof:
    """What is stored before a fragment's samples, or in the movie's metadata: a head and its signature."""

    def __init__(self, data):
        if len(data) < 16 or bytes(data[4:8]) != b"rcsl" or u32(data, 8) != 1:
            raise ValueError
        size, length = u32(data, 0), u32(data, 12)
        if size > len(data) or size > 1 << 20 or size < 16 + length:
            raise ValueError
        self.bytes = bytes(data[16:16 + length])
        self.signature = bytes(data[16 + length:size])
        self.hash = digest(self.bytes)

    @property
    def head(self):
        return json.loads(self.bytes)

    def holds(self, key):
        try:
            key.verify(self.signature, DOMAIN + self.bytes)
            return True
        except InvalidSignature:
            return False


def tree(leaves):
    """RFC 9162, 2.1.1."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    half = 1
    while half * 2 < len(leaves):
        half *= 2
    return hashlib.sha256(b"\x01" + tree(leaves[:half]) + tree(leaves[half:])).digest()


class Run:
    """The samples of a `trun`: [(time, shift, key, size, place)], and where their bytes begin."""

    def __init__(self, place):
        self.place, self.samples, self.span = place, [], 0


class Fragment:
    """The samples of a `moof` as its runs tell them: id, decode time, [Run]. Raises for a `moof` that is laid out in any but the
    one way that docs/reference/signature.md allows."""

    def __init__(self, data, start, end):
        found, reached = plain_atoms(data, start + 8, end)
        if reached != end or len(found) < 2 or end - start > LARGEST:
            raise ValueError
        kind, a, b = found[0]
        if kind != b"mfhd" or b - a != 8 or any(kind != b"traf" for kind, _, _ in found[1:]):
            raise ValueError
        self.left = MOST_SAMPLES
        self.tracks = [self.track(data, start, a, b) for _, a, b in found[1:]]
        self.proof, self.torn = None, False

    def track(self, data, start, a, b):
        parts, reached = plain_atoms(data, a, b)
        kinds = [kind for kind, _, _ in parts]
        if reached != b or len(parts) < 3 or kinds != [b"tfhd", b"tfdt"] + [b"trun"] * (len(parts) - 2):
            raise ValueError
        (_, at, stop), (_, time, time_end) = parts[:2]
        flags = u32(data, at)
        if flags & ~0x38 != 0x020000 or stop - at != 8 + 4 * bin(flags & 0x38).count("1"):
            raise ValueError
        number, at = u32(data, at + 4), at + 8
        defaults = []
        for flag in (0x08, 0x10, 0x20):
            defaults.append(u32(data, at) if flags & flag else 0)
            at += 4 if flags & flag else 0
        if time_end - time != 12 or u32(data, time) != 1 << 24:
            raise ValueError
        self.time = base = u64(data, time + 4)
        return number, base, [self.run(data, start, a, b, *defaults) for _, a, b in parts[2:]]

    def run(self, data, start, a, b, duration, size, sample_flags):
        word, count = u32(data, a), u32(data, a + 4)
        flags, fields = word & 0xFFFFFF, bin(word >> 8 & 15).count("1")
        if word >> 24 != 1 or flags & ~0xF05 or not flags & 1 or flags & 0x404 == 0x404:
            raise ValueError
        place, at = start + s32(data, a + 8), a + 12
        first = None
        if flags & 0x04:
            first, at = u32(data, at), at + 4
        self.left -= count
        if at + count * 4 * fields > b or self.left < 0:
            raise ValueError
        run = Run(place)
        for index in range(count):
            d, s, f, shift = duration, size, sample_flags, 0
            if flags & 0x100:
                d, at = u32(data, at), at + 4
            if flags & 0x200:
                s, at = u32(data, at), at + 4
            if flags & 0x400:
                f, at = u32(data, at), at + 4
            elif index == 0 and first is not None:
                f = first
            if flags & 0x800:
                shift, at = s32(data, at), at + 4
            run.samples.append((self.time, shift, not f & 0x10000, s, place))
            run.span = self.time - run.samples[0][0]
            place += s
            self.time += d
        return run

    def is_plausible(self, start, end):
        """Whether all samples are in the media data, and no more of them than there is room for."""
        left = end - start
        for _, _, runs in self.tracks:
            for run in runs:
                room = end - run.place
                if run.samples and not start <= run.place < end:
                    return False
                for time, _, _, size, _ in run.samples:
                    left, room = left - max(1, size), room - max(1, size)
                    if min(left, room) < 0 or time > 1 << 60:
                        return False
        return self.time <= 1 << 60

    def leaves(self, data, described):
        """(track, time, shift, key, [(place, size, ticks from the time, ticks to the last sample)]) and its hash."""
        for number, base, runs in self.tracks:
            if described[number]["isOneLeaf"]:
                count = sum(len(run.samples) for run in runs)
                pieces, now = [], base
                for run in runs:
                    now = run.samples[0][0] if run.samples else now
                    pieces.append((run.place, sum(s[3] for s in run.samples), now - base, run.span))
                samples = [(base, 0, True, count, pieces)]
            else:
                samples = [(t, c, k, 1, [(p, s, 0, 0)]) for run in runs for t, c, k, s, p in run.samples]
            for time, shift, key, count, pieces in samples:
                body = b"".join(bytes(data[p:p + s]) for p, s, _, _ in pieces)
                front = struct.pack(">BIQiBI", 0, number, time, shift, key, count)
                yield number, time, shift, key, pieces, hashlib.sha256(front + body).digest()


class Refused:
    """A head that is none of a recorder's: what players make of it was not signed."""

    proof, torn, tracks = None, False, []

    def leaves(self, data, described):
        return []


def is_found(data, start, atom):
    """Whether a search takes a place for a fragment's head: what any player could take for one, with a sample."""
    _, head, end = atom
    if head != 8 or not 32 <= end - start <= LARGEST:
        return False
    try:
        found, reached = plain_atoms(data, start + 8, end)
        if end - reached not in (0, 4):
            return False
        counts = [samples_of(data, a, b, end - start) for kind, a, b in found if kind == b"traf"]
        return any(counts)
    except (ValueError, struct.error):
        return False


def samples_of(data, a, b, head):
    """How many samples a `traf` has; raises for one that contradicts itself."""
    parts, reached = plain_atoms(data, a, b)
    if b - reached not in (0, 4):
        raise ValueError
    header = time = None
    count = runs = follows = 0
    for kind, at, stop in parts:
        if kind == b"tfhd":
            flags, place, header = u32(data, at) & 0xFFFFFF, at + 8, {}
            place += (8 if flags & 1 else 0) + (4 if flags & 2 else 0)
            for flag in (0x08, 0x10, 0x20):
                header[flag] = u32(data, place) if flags & flag else 0
                place += 4 if flags & flag else 0
            if place > stop:
                raise ValueError
        elif kind == b"tfdt":
            wide = data[at] == 1
            if stop - at < (12 if wide else 8):
                raise ValueError
            time = u64(data, at + 4) if wide else u32(data, at + 4)
        elif kind == b"trun":
            if header is None:
                raise ValueError
            flags, number, place, runs = u32(data, at) & 0xFFFFFF, u32(data, at + 4), at + 8, runs + 1
            offset = s32(data, place) if flags & 1 else follows
            place += (4 if flags & 1 else 0) + (4 if flags & 4 else 0)
            fields = bin(flags >> 8 & 15).count("1")
            if place > stop or number > ((stop - place) // (4 * fields) if fields else 1_000_000 if flags & 4 else number):
                raise ValueError
            sizes = number * header[0x10]
            if flags & 0x200:
                step, before = 4 * fields, 4 if flags & 0x100 else 0
                sizes = sum(u32(data, place + index * step + before) for index in range(number))
            if number and offset < head:
                raise ValueError
            follows, count = offset + sizes, count + number
    if header is None or time is None or not runs or time > 1 << 60:
        raise ValueError
    return count
