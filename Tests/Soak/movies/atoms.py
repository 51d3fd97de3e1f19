"""Edits the atoms of small QuickTime and MP4 files: edit lists and sample tables that no program at hand writes."""
import struct


def fields(data, start, end):
    while start + 8 <= end:
        size, kind = struct.unpack(">I4s", data[start:start + 8])
        head = 8
        if size == 1:
            size, head = struct.unpack(">Q", data[start + 8:start + 16])[0], 16
        elif size == 0:
            size = end - start
        yield kind, start, start + head, start + size
        start += size


def find(data, path, start=0, end=None):
    """The chain of atoms with these types, outermost first: (start, payload, end); None if one is missing."""
    end = len(data) if end is None else end
    chain = []
    for wanted in path:
        for kind, begin, payload, stop in fields(data, start, end):
            if kind == wanted:
                chain.append((begin, payload, stop))
                start, end = payload, stop
                break
        else:
            return None
    return chain


def tracks(data):
    """The track atoms of a movie, by handler."""
    moov = find(data, [b"moov"])[0]
    for kind, begin, payload, stop in fields(data, moov[1], moov[2]):
        if kind == b"trak":
            handler = find(data, [b"mdia", b"hdlr"], payload, stop)[-1][1]
            yield data[handler + 8:handler + 12], begin, payload, stop


def resize(data, chain, position, removed, inserted):
    """Replaces bytes inside the innermost atom of a chain, and corrects sizes and chunk offsets."""
    delta = len(inserted) - removed
    moov = find(data, [b"moov"])[0]
    mdat = find(data, [b"mdat"])[0]
    if mdat[0] > moov[0] and delta:
        for _, _, payload, stop in list(tracks(data)):
            table = find(data, [b"mdia", b"minf", b"stbl", b"stco"], payload, stop)
            if table:
                at = table[-1][1]
                count = struct.unpack(">I", data[at + 4:at + 8])[0]
                for index in range(count):
                    place = at + 8 + 4 * index
                    value = struct.unpack(">I", data[place:place + 4])[0] + delta
                    data[place:place + 4] = struct.pack(">I", value)
    for begin, _, _ in [moov] + chain:
        size = struct.unpack(">I", data[begin:begin + 4])[0]
        data[begin:begin + 4] = struct.pack(">I", size + delta)
    data[position:position + removed] = inserted


def scales(data, payload, stop):
    """Ticks per second of the movie and of a track's media."""
    def scale(at):
        return struct.unpack(">I", data[at + (20 if data[at] == 1 else 12):][:4])[0]
    return (scale(find(data, [b"moov", b"mvhd"])[-1][1]), scale(find(data, [b"mdia", b"mdhd"], payload, stop)[-1][1]))


def edits(data, handler):
    """The edit list of the first track of a kind: (seconds, media second or None); nothing without one."""
    kind, begin, payload, stop = next(track for track in tracks(data) if track[0] == handler)
    movie, media = scales(data, payload, stop)
    found = find(data, [b"edts", b"elst"], payload, stop)
    if not found:
        return []
    at = found[-1][1]
    version, count = data[at], struct.unpack(">I", data[at + 4:at + 8])[0]
    form = ">qqI" if version == 1 else ">iiI"
    size = struct.calcsize(form)
    entries = [struct.unpack(form, data[at + 8 + size * n:at + 8 + size * (n + 1)]) for n in range(count)]
    return [(length / movie, None if start < 0 else start / media) for length, start, _ in entries]


def set_edits(data, handler, edits):
    """Gives the first track of a kind an edit list: (seconds, media second or None)."""
    kind, begin, payload, stop = next(track for track in tracks(data) if track[0] == handler)
    movie, media = scales(data, payload, stop)
    entries = b"".join(
        struct.pack(">iiI", round(length * movie), -1 if start is None else round(start * media), 65536)
        for length, start in edits)
    elst = struct.pack(">I4sII", 16 + len(entries), b"elst", 0, len(edits)) + entries
    edts = struct.pack(">I4s", 8 + len(elst), b"edts") + elst
    old = find(data, [b"edts"], payload, stop)
    if old:
        resize(data, [(begin, payload, stop)], old[0][0], old[0][2] - old[0][0], edts)
    else:
        header = find(data, [b"tkhd"], payload, stop)[0]
        resize(data, [(begin, payload, stop)], header[2], 0, edts)
    kind, begin, payload, stop = next(track for track in tracks(data) if track[0] == handler)
    header = find(data, [b"tkhd"], payload, stop)[0][1]
    total = sum(round(length * movie) for length, _ in edits)
    data[header + 20:header + 24] = struct.pack(">I", total)
    return total


def media_start(data, handler):
    """The media second at which the first edit begins, 0 without one."""
    _, _, payload, stop = next(track for track in tracks(data) if track[0] == handler)
    _, media = scales(data, payload, stop)
    table = find(data, [b"edts", b"elst"], payload, stop)
    if not table:
        return 0
    at = table[-1][1]
    return max(0, struct.unpack(">i", data[at + 12:at + 16])[0]) / media


def set_duration(data, total):
    at = find(data, [b"moov", b"mvhd"])[-1][1]
    data[at + 16:at + 20] = struct.pack(">I", total)


def drop(data, handler, name):
    """Renames an atom of a track's sample table, or its edit list, so that no program finds it."""
    _, _, payload, stop = next(track for track in tracks(data) if track[0] == handler)
    path = [name] if name == b"edts" else [b"mdia", b"minf", b"stbl", name]
    chain = find(data, path, payload, stop)
    if chain:
        begin = chain[-1][0]
        data[begin + 4:begin + 8] = b"free"


def atom(kind, *parts):
    body = b"".join(parts)
    return struct.pack(">I4s", len(body) + 8, kind) + body


def numbers(*values):
    return struct.pack(f">{len(values)}I", *values)


def joined(first, second):
    """A QuickTime file with the video of two MP4 files without B-frames in one track, each with its sample description."""
    parts = []
    for data in (first, second):
        _, _, payload, stop = next(track for track in tracks(data) if track[0] == b"vide")
        table = {kind: data[begin:end] for kind, begin, _, end in fields(
            data, *find(data, [b"mdia", b"minf", b"stbl"], payload, stop)[-1][1:])}
        count = struct.unpack(">I", table[b"stsz"][16:20])[0]
        keys = table.get(b"stss")
        _, media, end = find(data, [b"mdat"])[0]
        parts.append({
            "entry": bytes(table[b"stsd"][16:]), "sizes": struct.unpack(f">{count}I", table[b"stsz"][20:20 + 4 * count]),
            "keys": struct.unpack(f">{len(keys[16:]) // 4}I", keys[16:]) if keys else range(1, count + 1),
            "ticks": struct.unpack(">I", table[b"stts"][20:24])[0], "media": bytes(data[media:end]),
            "scale": scales(data, payload, stop)[1]})
    one, two = parts
    counts = [len(part["sizes"]) for part in parts]
    total = sum(counts)
    media = [part["media"][-sum(part["sizes"]):] for part in parts]
    head = atom(b"ftyp", b"qt  ", numbers(0x200), b"qt  ")
    place = len(head) + 8
    stbl = atom(
        b"stbl", atom(b"stsd", numbers(0, 2), one["entry"], two["entry"]),
        atom(b"stts", numbers(0, 2, counts[0], one["ticks"], counts[1], two["ticks"])),
        atom(b"stss", numbers(0, len(one["keys"]) + len(two["keys"]), *one["keys"], *(counts[0] + key for key in two["keys"]))),
        atom(b"stsc", numbers(0, 2, 1, counts[0], 1, 2, counts[1], 2)),
        atom(b"stsz", numbers(0, 0, total, *one["sizes"], *two["sizes"])),
        atom(b"stco", numbers(0, 2, place, place + len(media[0]))))
    duration = counts[0] * one["ticks"] + counts[1] * two["ticks"]
    width, height = struct.unpack(">HH", one["entry"][32:36])
    matrix = struct.pack(">9i", 65536, 0, 0, 0, 65536, 0, 0, 0, 1 << 30)
    mvhd = atom(
        b"mvhd", numbers(0, 0, 0, one["scale"], duration, 0x10000), struct.pack(">H10x", 0x100), matrix, bytes(24), numbers(2))
    tkhd = atom(
        b"tkhd", numbers(7, 0, 0, 1, 0, duration, 0, 0), struct.pack(">4H", 0, 0, 0, 0), matrix, numbers(width << 16, height << 16))
    mdhd = atom(b"mdhd", numbers(0, 0, 0, one["scale"], duration, 0))
    hdlr = atom(b"hdlr", numbers(0), b"mhlrvide", bytes(13))
    minf = atom(
        b"minf", atom(b"vmhd", numbers(1), bytes(8)), atom(b"dinf", atom(b"dref", numbers(0, 1), atom(b"url ", numbers(1)))), stbl)
    trak = atom(b"trak", tkhd, atom(b"mdia", mdhd, hdlr, minf))
    return head + atom(b"mdat", *media) + atom(b"moov", mvhd, trak)
