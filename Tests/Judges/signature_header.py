"""The header of a finished movie, as docs/reference/signature.md reads it: strictly. What players could take for something else raises.

Part of signature.py.
"""

import hashlib
import struct

CONTAINERS = {b"moov", b"trak", b"edts", b"mdia", b"minf", b"stbl", b"mvex", b"moof", b"traf"}
LEFT_OUT = {b"edts", b"tref", b"udta", b"meta", b"stts", b"ctts", b"stss", b"stsc", b"stsz", b"stco", b"co64"}
# What may be in each atom, in its order: types, at least and at most.
LAYOUT = {
    b"moov": [("mvhd", 1, 1), ("trak", 1, 1 << 16), ("udta", 0, 1), ("meta", 0, 1)],
    b"trak": [("tkhd", 1, 1), ("edts", 1, 1), ("tref", 0, 1), ("mdia", 1, 1), ("udta", 0, 1), ("meta", 0, 1)],
    b"edts": [("elst", 1, 1)],
    b"mdia": [("mdhd", 1, 1), ("hdlr", 1, 1), ("elng", 0, 1), ("minf", 1, 1)],
    b"minf": [("vmhd smhd sthd nmhd gmhd", 1, 1), ("hdlr", 0, 1), ("dinf", 1, 1), ("stbl", 1, 1)],
    b"stbl": [("stsd", 1, 1), ("stts", 1, 1), ("ctts", 0, 1), ("stss", 0, 1), ("stsc", 1, 1), ("stsz", 1, 1),
              ("stco co64", 1, 1)],
}
# References between tracks, and the handler of those that they lead to.
REFERENCES = {b"chap": b"text", b"tmcd": b"tmcd"}
CODES = set(
    b"trkn disk cprt desc ldes aART tvsh tven tvsn tves tvnn tmpo cpil pgap stik purd sonm soar soal soco sosn keyw catg ----".split())
# Types of values (QTFF, "Well-Known Types").
IMAGES_AND_NUMBERS = {13, 14, 21, 23, 24, 65, 66, 67, 74}


def u32(data, at):
    return struct.unpack_from(">I", data, at)[0]


def u64(data, at):
    return struct.unpack_from(">Q", data, at)[0]


def s32(data, at):
    return struct.unpack_from(">i", data, at)[0]


def digest(data):
    return hashlib.sha256(data).hexdigest()


def plain_atoms(data, start, end):
    """(type, body start, end) of each atom there with a length of 32 bits; stops at what is no atom. And where it stops."""
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


def filled(data, start, end):
    """The atoms that fill a range of bytes; raises where they do not."""
    found, reached = plain_atoms(data, start, end)
    if reached != end:
        raise ValueError
    return found


def check_texts(parent):
    """Titles are texts and numbers, and nothing that a player takes for more."""
    for udta in parent.all(b"udta"):
        for kind, a, b in filled(parent.data, udta.start, udta.end):
            if kind == b"meta":
                check_list(parent.data, a, b)
            elif kind[0] != 0xA9:
                raise ValueError
    for meta in parent.all(b"meta"):
        check_list(parent.data, meta.start, meta.end)


def check_list(data, start, end):
    if bytes(data[start + 4:start + 8]) != b"hdlr" or end - start < 8:
        if end - start < 8 or u32(data, start):
            raise ValueError
        start += 4
    parts = filled(data, start, end)
    kinds = [kind for kind, _, _ in parts]
    _, a, b = parts[0]
    if b - a < 12 or data[a:a + 8] != bytes(8):
        raise ValueError
    handler, count = bytes(data[a + 8:a + 12]), None
    if handler == b"mdta" and kinds == [b"hdlr", b"keys", b"ilst"]:
        _, a, b = parts[1]
        if b - a < 8 or u32(data, a):
            raise ValueError
        names = filled(data, a + 8, b)
        count = u32(data, a + 4)
        if not 0 < count == len(names) or any(
                kind != b"mdta" or bytes(data[c:d]) == b"com.apple.quicktime.artwork" for kind, c, d in names):
            raise ValueError
    elif handler != b"mdir" or kinds != [b"hdlr", b"ilst"]:
        raise ValueError
    for kind, a, b in filled(data, *parts[-1][1:]):
        if not (1 <= u32(kind, 0) <= count if count else kind[0] == 0xA9 or kind in CODES):
            raise ValueError
        for part, c, d in filled(data, a, b):
            if part not in (b"data", b"mean", b"name") or part == b"name" and b"iTunSMPB" in bytes(data[c:d]):
                raise ValueError


class Track:
    """A `trak`: its edits, and its samples as (place, size, time shown on the tables' line, key, ticks to the last of a chunk
    or None where that is one sample). `decoded` has the same number of (time of decoding, offset, how many samples)."""

    def __init__(self, trak, movie_scale, file_size, one):
        self.trak, self.movie_scale = trak, movie_scale
        self.tables = trak.find(b"mdia", b"minf", b"stbl")
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
        body = self.trak.find(b"edts", b"elst").body
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
        moov = self.moov
        if self.size(moov) != moov.end - moov.start + 8:
            raise ValueError
        self.check_layout(moov)
        ids, handlers, lengths = [], {}, []
        for trak in moov.all(b"trak"):
            tkhd, mdhd = trak.find(b"tkhd").body, trak.find(b"mdia", b"mdhd").body
            if (len(tkhd) != 96 or tkhd[0] != 1 or any(tkhd[24:28]) or len(mdhd) != 36 or mdhd[:4] != bytes([1, 0, 0, 0])
                    or s32(mdhd, 20) < 1 or any(mdhd[34:])):
                raise ValueError
            ids.append(u32(tkhd, 20))
            handlers[ids[-1]] = trak.find(b"mdia", b"hdlr").body[8:12]
            lengths.append(u64(tkhd, 28))
            body = trak.find(b"mdia", b"minf", b"stbl", b"stts").body
            runs = [struct.unpack_from(">II", body, at) for at in range(8, len(body) - 7, 8)]
            elst = trak.find(b"edts", b"elst").body
            width = 20 if elst[0] == 1 else 12
            edits = [
                (u64 if elst[0] == 1 else u32)(elst, 8 + width * i)
                for i in range(min(u32(elst, 4), len(elst) // 12))]
            if u64(mdhd, 24) != sum(a * b for a, b in runs) % (1 << 64) or lengths[-1] != sum(edits) % (1 << 64):
                raise ValueError
            check_texts(trak)
        mvhd = moov.find(b"mvhd").body
        if (ids != sorted(set(ids)) or len(mvhd) != 112 or mvhd[:4] != bytes([1, 0, 0, 0])
                or s32(mvhd, 20) < 1 or u64(mvhd, 24) != max(lengths)):
            raise ValueError
        for tref in [tref for trak in moov.all(b"trak") for tref in trak.all(b"tref")]:
            found = filled(self.data, tref.start, tref.end)
            if len({kind for kind, _, _ in found}) < len(found):
                raise ValueError
            for kind, a, b in found:
                targets = [u32(self.data, at) for at in range(a, b - 3, 4)]
                if (b - a) % 4 or not targets or any(
                        kind not in REFERENCES or handlers.get(target) != REFERENCES[kind] for target in targets):
                    raise ValueError
        check_texts(moov)
        self.scale = s32(mvhd, 20)
        return {
            number: Track(atom, self.scale, len(self.data), is_one(number))
            for number, atom in zip(ids, moov.all(b"trak"))}

    def size(self, atom):
        return 8 + (sum(map(self.size, atom.children)) if atom.kind in CONTAINERS else atom.end - atom.start)

    def check_layout(self, atom):
        if atom.kind not in LAYOUT:
            return
        rest = [child.kind for child in atom.children]
        for kinds, least, most in LAYOUT[atom.kind]:
            count = 0
            while rest[count:] and rest[count] in kinds.encode().split():
                count += 1
            if not least <= count <= most:
                raise ValueError
            rest = rest[count:]
        if rest:
            raise ValueError
        for child in atom.children:
            self.check_layout(child)

    def movie(self):
        """The time scale of `mvhd` and what follows its duration."""
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
                elif kind in IMAGES_AND_NUMBERS:
                    yield None
