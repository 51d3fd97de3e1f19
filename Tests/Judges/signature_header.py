"""The header of a finished movie, as docs/signature.md reads it: strictly. What players could take for something else raises.

Part of signature.py.
"""

import hashlib
import struct

CONTAINERS = {b"moov", b"trak", b"edts", b"mdia", b"minf", b"stbl", b"mvex", b"moof", b"traf"}
LEFT_OUT = {b"edts", b"tref", b"udta", b"meta", b"stts", b"ctts", b"stss", b"stsc", b"stsz", b"stco", b"co64"}
# What belongs into a header in its own place, and nowhere else.
OWN = CONTAINERS | {
    b"mvhd", b"tkhd", b"elst", b"mdhd", b"vmhd", b"smhd", b"stsd", b"stts", b"ctts", b"stss", b"stps", b"stsc", b"stsz", b"stz2",
    b"stco", b"co64", b"sbgp", b"sgpd", b"cslg", b"trex", b"mehd", b"mfhd", b"tfhd", b"tfdt", b"trun", b"sidx", b"mdat",
    b"rmra", b"cmov"}
DEEPEST = 10
# Types of values (QTFF, "Well-Known Types").
PICTURES_AND_NUMBERS = {13, 14, 21, 23, 24, 65, 66, 67, 74}


def u32(data, at):
    return struct.unpack_from(">I", data, at)[0]


def u64(data, at):
    return struct.unpack_from(">Q", data, at)[0]


def s32(data, at):
    return struct.unpack_from(">i", data, at)[0]


def digest(data):
    return hashlib.sha256(data).hexdigest()


def plain_atoms(data, start, end):
    """(type, body start, end) of what stands there with lengths of 32 bits; stops at what is no atom. And where it stops."""
    found = []
    while end - start >= 8 and 8 <= u32(data, start) <= end - start:
        size = u32(data, start)
        found.append((bytes(data[start + 4:start + 8]), start + 8, start + size))
        start += size
    return found, start


class Atom:
    """An atom of the header with what it holds; raises where lengths contradict each other."""

    def __init__(self, data, kind, start, end, depth=0, room=None):
        self.data, self.kind, self.start, self.end, self.children = data, kind, start, end, []
        room = room if room is not None else [(1 << 16) - 1]
        if kind in CONTAINERS:
            found, reached = plain_atoms(data, start, end)
            room[0] -= len(found)
            if end - reached not in (0, 4) or depth >= 7 or room[0] < 0:
                raise ValueError
            self.children = [Atom(data, k, a, b, depth + 1, room) for k, a, b in found]

    @property
    def body(self):
        return bytes(self.data[self.start:self.end])

    def all(self, kind):
        return [atom for atom in self.children if atom.kind == kind]

    def find(self, *path):
        atom = self
        for kind in path:
            atom = next((a for a in atom.children if a.kind == kind), None) if atom else None
        return atom

    def form(self):
        """The atom without what finishing makes of it."""
        if self.kind in LEFT_OUT:
            return b""
        body = self.body
        if self.kind in CONTAINERS:
            body = b"".join(child.form() for child in self.children)
        elif self.kind == b"tkhd":
            body = body[1:4] + body[36 if body[:1] == b"\1" else 24:]
        elif self.kind == b"mdhd":
            body = body[20:24] if body[:1] == b"\1" else body[12:16]
        return struct.pack(">I", len(body) + 8) + self.kind + body


def holds_own(data, start, end, depth, room):
    """Whether bytes, taken for atoms as far as they can be, hold one of a header."""
    if depth >= DEEPEST or room[0] <= 0:
        return True
    for skipped in (0, 4):
        for kind, a, b in plain_atoms(data, start + skipped, end)[0]:
            room[0] -= 1
            if kind in OWN or b - a >= 8 and holds_own(data, a, b, depth + 1, room):
                return True
    return False


class Track:
    """A `trak`: its edits, and its samples as (place, size, time shown on the tables' line, key, ticks to the last of a chunk
    or None where that is one sample). `decoded` has the same number of (time of decoding, offset, how many samples)."""

    def __init__(self, trak, movie_scale, file_size, one):
        self.trak, self.movie_scale = trak, movie_scale
        self.tables = trak.find(b"mdia", b"minf", b"stbl")
        kinds = [atom.kind for atom in self.tables.children]
        if len(set(kinds)) < len(kinds) or b"stco" in kinds and b"co64" in kinds:
            raise ValueError
        self.edits = self.read_edits()
        self.samples = self.read_samples(file_size, one)

    def description(self):
        mdhd = self.trak.find(b"mdia", b"mdhd")
        body = mdhd.body if mdhd else b""
        scale = body[20:24] if body[:1] == b"\1" else body[12:16]
        return digest(self.trak.form()), int.from_bytes(scale, "big")

    def is_shown(self):
        hdlr = self.trak.find(b"mdia", b"hdlr")
        return hdlr is not None and hdlr.body[8:12] in (b"vide", b"soun")

    def read_edits(self):
        """(start and length in seconds, place on the tables' line), of what is shown."""
        lists = self.trak.all(b"edts")
        if not lists:
            return []
        if len(lists) > 1 or [atom.kind for atom in lists[0].children] != [b"elst"]:
            raise ValueError
        body = lists[0].children[0].body
        wide, count = body[0], u32(body, 4)
        if wide > 1 or body[1:4] != b"\0\0\0" or len(body) != 8 + count * (20 if wide else 12):
            raise ValueError
        entries = [struct.unpack_from(">QqI" if wide else ">IiI", body, 8 + i * (20 if wide else 12)) for i in range(count)]
        if wide != any(length >> 32 or not -1 << 31 <= media < 1 << 31 for length, media, _ in entries):
            raise ValueError
        result, time = [], 0
        for length, media, rate in entries:
            if rate != 0x10000 or media < -1:
                raise ValueError
            if media >= 0:
                result.append((time / self.movie_scale, length / self.movie_scale, media))
            time += length
        if not result or time >> 64:
            raise ValueError
        return result

    def table(self, name, fields, width=4):
        """None where there is none."""
        atom = self.tables.find(name)
        if atom is None:
            return None
        body = atom.body
        version, count = u32(body, 0), u32(body, 4)
        if version not in ((0, 1 << 24) if name == b"ctts" else (0,)) or len(body) != 8 + count * fields * width:
            raise ValueError
        form = f">{fields}{'Q' if width == 8 else 'I'}"
        return [struct.unpack_from(form, body, 8 + fields * width * i) for i in range(count)]

    def sizes(self, file_size):
        body = self.tables.find(b"stsz").body
        version, same, count = u32(body, 0), u32(body, 4), u32(body, 8)
        if version or (same * count > file_size or len(body) != 12 if same else len(body) != 12 + 4 * count):
            raise ValueError
        return [same] * count if same else list(struct.unpack_from(f">{count}I", body, 12))

    @staticmethod
    def runs(entries, count):
        """What a table says of each sample, in (number, value): no run is empty, and none is too long."""
        values = []
        for number, value in entries:
            if not 0 < number <= count - len(values):
                raise ValueError
            values += [value] * number
        if len(values) != count:
            raise ValueError
        return values

    def keys(self, count):
        entries = self.table(b"stss", 1)
        if entries is None:
            return None
        keys = [key for key, in entries]
        if any(not a < b for a, b in zip([0] + keys, keys + [count + 1])):
            raise ValueError
        return set(keys)

    def chunks(self, count):
        """(place, number of samples) of each chunk."""
        if self.tables.find(b"stco") is not None:
            places = self.table(b"stco", 1)
        else:
            places = self.table(b"co64", 1, 8)
        per, last = {}, 0
        for first, number, kind in self.table(b"stsc", 3) or []:
            if not last < first <= len(places) or number == 0 or kind != 1:
                raise ValueError
            per[first], last = number, first
        number, left = 0, count
        for index, (place,) in enumerate(places, 1):
            number = per.get(index, number)
            if not 0 < number <= left:
                raise ValueError
            left -= number
            yield place, number
        if left:
            raise ValueError

    def read_samples(self, file_size, one):
        sizes = self.sizes(file_size)
        count = len(sizes)
        shifts = self.table(b"ctts", 2)
        moves = [0] * count if shifts is None else self.runs(shifts, count)
        times, now = [], 0
        for ticks, move in zip(self.runs(self.table(b"stts", 2) or [], count), moves):
            times.append((now, now + (move - (1 << 32) if move >> 31 else move)))
            now += ticks
        keys, result, index = self.keys(count), [], 0
        self.decoded = []
        for place, number in self.chunks(count):
            for position in range(number):
                if one and position:
                    start, size, time, key = result[-1][:4]
                    result[-1] = start, size + sizes[index], time, key, times[index][0] - time
                    self.decoded[-1][2] += 1
                else:
                    self.decoded.append([times[index][0], times[index][1] - times[index][0], 1])
                    result.append((place, sizes[index], times[index][1], keys is None or index + 1 in keys, None))
                place += sizes[index]
                index += 1
        return result


class Header:
    """The `moov` of a movie."""

    def __init__(self, data, start, end):
        self.moov = Atom(data, b"moov", start, end)
        self.data, self.is_leading = data, self.moov.find(b"mvex") is not None

    def tracks(self, is_one):
        """By their ids."""
        ids, room = [], [1 << 16]
        if any(len(self.moov.all(kind)) > 1 for kind in (b"mvhd", b"udta", b"meta")):
            raise ValueError
        mvhd = self.moov.find(b"mvhd").body
        scale = s32(mvhd, 20 if mvhd[0] == 1 else 12)
        for atom in self.moov.children:
            if atom.kind == b"trak":
                self.refuse_hidden(atom, room)
                tkhd = atom.find(b"tkhd").body
                ids.append(u32(tkhd, 20 if tkhd[0] == 1 else 12))
            elif atom.kind != b"mvhd":
                self.refuse(atom, room)
        if len(set(ids)) < len(ids):
            raise ValueError
        self.scale = scale if scale > 0 else 1000
        return {
            number: Track(atom, self.scale, len(self.data), is_one(number))
            for number, atom in zip(ids, self.moov.all(b"trak"))}

    def refuse_hidden(self, parent, room):
        for atom in parent.children:
            if atom.kind in (b"trak", b"mdia", b"minf", b"stbl"):
                self.refuse_hidden(atom, room)
            elif atom.kind in (b"udta", b"meta", b"tref"):
                self.refuse(atom, room)

    def refuse(self, atom, room):
        if atom.kind in OWN or holds_own(self.data, atom.start, atom.end, 0, room):
            raise ValueError

    def movie(self):
        """Of `mvhd` the time scale and what stands behind the duration."""
        mvhd = self.moov.find(b"mvhd")
        body = mvhd.body if mvhd else b""
        return digest(body[20:24] + body[32:] if body[:1] == b"\1" else body[12:16] + body[20:])

    def metadata(self, key):
        """All values of a key, in the movie's metadata and in its user data; None for one that is no text."""
        places = [self.moov.find(b"meta")]
        metas = [(meta.start, meta.end) for meta in places if meta]
        udta = self.moov.find(b"udta")
        if udta:
            metas += [(a, b) for kind, a, b in plain_atoms(self.data, udta.start, udta.end)[0] if kind == b"meta"]
        return [value for meta in metas for value in self.items(meta, key)]

    def items(self, meta, key):
        start, end = meta
        if bytes(self.data[start + 4:start + 8]) != b"hdlr":
            start += 4
        names, lists = [], []
        for kind, a, b in plain_atoms(self.data, start, end)[0]:
            if kind == b"keys":
                names += [bytes(self.data[c:d]) for _, c, d in plain_atoms(self.data, a + 8, b)[0]]
            elif kind == b"ilst":
                lists += plain_atoms(self.data, a, b)[0]
        for index, name in enumerate(names, 1):
            for kind, a, b in lists if name == key.encode() else []:
                if u32(kind, 0) == index:
                    yield from self.values(a, b)

    def values(self, start, end):
        for kind, a, b in plain_atoms(self.data, start, end)[0]:
            if kind == b"data" and b - a >= 8:
                kind = u32(self.data, a)
                if kind == 1:
                    yield bytes(self.data[a + 8:b]).decode("utf-8", "replace")
                elif kind in PICTURES_AND_NUMBERS:
                    yield None
