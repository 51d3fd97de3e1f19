"""Cuts out of signed recordings, as docs/reference/signature.md reads them.

Part of signature.py.
"""

import base64
import hashlib
import json
import struct

from signature_fragments import Proof, tree
from signature_header import Header, u32, u64

UUID = bytes.fromhex("9cd655bafdf04355a0f9da93f16a310b")
# The first atom of .mov, .mp4, .m4v and .m4a.
FILE_TYPES = [
    struct.pack(">I", 16 + len(brands) - 4) + b"ftyp" + brands[:4] + struct.pack(">I", version) + brands[4:]
    for version, brands in (
        (0x200, b"qt  qt  "), (1, b"mp42mp42mp41isomiso5iso6"), (1, b"M4V M4V M4A mp42isomiso5iso6"),
        (0, b"M4A M4A mp42isomiso5iso6"))]
KNOWN = {b"wide", b"free", b"skip", b"mdat", b"moov"}
LARGEST = 256 << 20
PLAIN = bytes([0, 1, 0, 0, 1, 0]) + bytes(10) + struct.pack(">9I", 65536, 0, 0, 0, 65536, 0, 0, 0, 1 << 30) + bytes(24)
UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, struct.error, IndexError, RecursionError)


def atoms(data):
    """(type, start, body, end) from atom to atom; then where that stops."""
    found, at = [], 0
    while len(data) - at >= 8:
        size, head = u32(data, at), 8
        if size == 1:
            if len(data) - at < 16:
                break
            size, head = u64(data, at + 8), 16
        if not head <= size <= len(data) - at:
            break
        found.append((bytes(data[at + 4:at + 8]), at, at + head, at + size))
        at += size
    return found, at



def root(leaves, hashes):
    """RFC 9162, 2.1.1, of a tree in which a missing range has one hash."""
    if all(leaf is None for leaf in leaves):
        return hashes.pop(0)
    if len(leaves) == 1:
        return leaves[0]
    half = 1
    while half * 2 < len(leaves):
        half *= 2
    left = root(leaves[:half], hashes)
    return hashlib.sha256(b"\x01" + left + root(leaves[half:], hashes)).digest()


class Track:
    def __init__(self, claim, facts, stored):
        for name in ("id", "source", "zero", "decodeTime", "compositionOffset", "before", "after"):
            if type(claim[name]) is not int:
                raise ValueError
        self.id, self.facts, self.stored, self.claim = claim["id"], facts, stored, claim
        self.count = sum(count for _, _, count in stored.decoded)
        self.next, self.begun, self.ended = claim["before"], False, False
        self.proven = [False] * len(stored.samples)
        if not 0 <= self.next <= self.count or claim["after"] < 0:
            raise ValueError

    def leaf(self, time, offset, key, count, body):
        front = struct.pack(
            ">BIQiBI", 0, self.claim["source"], (time + self.claim["decodeTime"]) % (1 << 64),
            offset, key, count)
        return hashlib.sha256(front + body).digest()

    def sample(self, data):
        place, size, _, key, _ = self.stored.samples[self.next]
        time, offset, _ = self.stored.decoded[self.next]
        self.proven[self.next] = True
        self.next += 1
        return self.leaf(time, offset + self.claim["compositionOffset"], key, 1, bytes(data[place:place + size]))

    def frames(self, data, count, lead, rest):
        """The leaf of the next frames, with the rest of it around them."""
        body, first, begun, left, size = b"", 0, None, count, 0
        for index, (sample, (time, _, own)) in enumerate(zip(self.stored.samples, self.stored.decoded)):
            if left and self.next < first + own:
                skipped = self.next - first
                part, size = min(left, own - skipped), sample[1] // own
                begun = time + skipped if begun is None else begun
                # The others follow the first one at once.
                if (time + skipped - begun != count - left or sample[2] != time or (sample[4] or 0) != own - 1
                        or not sample[3]):
                    raise ValueError
                body += bytes(data[sample[0] + skipped * size:sample[0] + (skipped + part) * size])
                self.proven[index] = True
                self.next, left = self.next + part, left - part
            first += own
        if left or not size or len(lead) % size or len(rest) % size:
            raise ValueError
        count += (len(lead) + len(rest)) // size
        return self.leaf(begun - len(lead) // size, 0, True, count, lead + body + rest)

    def times(self):
        """As the signed samples of a recording: (place, size, ticks since the movie's beginning, ticks to the last, key, proven)."""
        later = self.claim["decodeTime"] + self.claim["compositionOffset"] - self.facts["start"] - self.claim["zero"]
        return [
            (place, size, shown + later, span or 0, key, proven)
            for (place, size, shown, key, span), proven in zip(self.stored.samples, self.proven)]


class Cut:
    """A movie with a statement. `problem` is called for all that is not as it was signed."""

    def __init__(self, data, key, statement, parts, reached, problem):
        self.data, self.key, self.problem = data, key, problem
        self.statement = statement
        headers = [(start, end) for kind, start, _, end in parts if kind == b"moov"]
        others = [body for kind, _, body, _ in parts if kind == b"uuid"]
        self.is_plain = (
            reached == len(data) and parts[0][0] == b"ftyp" and len(headers) == 1 and len(others) == 1
            and all(
                kind in KNOWN or kind == b"uuid" or kind == b"ftyp" and start == 0 and bytes(data[:end]) in FILE_TYPES
                for kind, start, _, end in parts))
        self.header = headers[0] if headers else None

    @staticmethod
    def find(data, key, problem):
        """None for a movie without a statement."""
        parts, reached = atoms(data)
        for index, (kind, _, body, end) in enumerate(parts):
            if kind == b"moof":
                return None
        for kind, _, body, end in parts:
            if kind == b"uuid" and bytes(data[body:body + 16]) == UUID:
                return Cut(data, key, bytes(data[body + 16:end]), parts, reached, problem)
        return None

    def proof(self, text):
        """None for one that the key did not make."""
        try:
            proof = Proof(base64.b64decode(text, validate=True))
            return proof if proof.holds(self.key) and "end" not in proof.head else None
        except UNREADABLE:
            return None

    def verdict(self, look_at_track):
        """None where the problems say it."""
        try:
            if len(self.statement) > LARGEST:
                raise ValueError
            statement = json.loads(self.statement)
            fragments = statement["fragments"]
            kept = [fragment["kept"] for fragment in fragments]
            left = [fragment["left"] for fragment in fragments]
            rests = [self.rests(fragment.get("rest") or []) for fragment in fragments]
            if type(statement["version"]) is not int or statement["version"] != 1 or not all(
                        type(number) is int for part in kept for three in part for number in three):
                raise ValueError
            if statement["from"]["timeScale"] < 1 or abs(statement["from"]["value"] / statement["from"]["timeScale"]) >= 3.2e9:
                raise ValueError
            described = [self.proof(text) for text in statement["described"]]
            heads = [self.proof(fragment["proof"]) for fragment in fragments]
            origin = statement["from"]["value"] / max(1, statement["from"]["timeScale"])
            claims = statement["tracks"]
        except UNREADABLE:
            self.problem(0, None, "the statement cannot be read")
            return "altered"
        if not any(described + heads):
            return "otherKey"
        self.facts, self.tracks = {}, {}
        self.follow(described + heads)
        try:
            self.begin(claims, origin)
        except UNREADABLE:
            self.problem(0, None, "the header cannot be read")
            return None
        before = None
        for head, part, hashes, rest in zip(heads, kept, left, rests):
            if head:
                number = head.head["number"]
                if before and (number != before[0] + 1 or head.head.get("previous") != before[1]):
                    self.problem(0, None, "a fragment is missing")
                before = number, head.hash
                self.take(head.head, part, hashes, rest)
        self.conclude(look_at_track)
        return None

    def follow(self, heads):
        newest = None
        for proof in heads:
            if proof is None:
                self.problem(0, None, "a head is not signed with this key")
                continue
            head = proof.head
            if head.get("describedBy") != newest or (newest is None) != (head["number"] == 1):
                self.problem(0, None, "heads of several recordings")
            described = [track for track in head["tracks"] if "description" in track]
            if described or "file" in head:
                newest = proof.hash
            for track in described:
                self.facts.setdefault(track["id"], track["description"])

    def begin(self, claims, origin):
        if not self.is_plain:
            raise ValueError
        start, end = self.header
        if end - start > 32 << 20 or u32(self.data, start) != end - start:
            raise ValueError
        header = Header(self.data, start + 8, end)
        if header.is_leading:
            raise ValueError
        sources = {claim["id"]: claim["source"] for claim in reversed(claims)}
        stored = header.tracks(lambda number: self.facts.get(sources.get(number), {}).get("isOneLeaf", False))
        self.scale = header.scale
        self.stored = stored
        mvhd = header.moov.find(b"mvhd").body
        if (mvhd[32:-4] if mvhd[:1] == b"\1" else mvhd[20:-4]) != PLAIN:
            self.problem(0, None, "the movie is to be shown otherwise")
        for claim in claims:
            try:
                if claim["source"] in self.tracks or claim["id"] in [track.id for track in self.tracks.values()]:
                    raise ValueError
                facts = self.facts[claim["source"]]
                track = Track(claim, facts, stored[claim["id"]])
            except UNREADABLE:
                self.problem(0, None, "a track is none of the recording's")
                continue
            scale = facts["timeScale"]
            if abs(claim["zero"] / scale - origin) > 2 / scale + 1e-9:
                self.problem(0, None, f"track {track.id} is shown at another time")
            self.tracks[claim["source"]] = track

    @staticmethod
    def rests(listed):
        """The bytes before and after what is here of leaves, by the tracks' ids in the recording."""
        rests = {}
        for rest in listed:
            if type(rest["id"]) is not int or rest["id"] in rests:
                raise ValueError
            rests[rest["id"]] = [base64.b64decode(rest[key], validate=True) for key in ("before", "after")]
        return rests

    def check_ends(self, track):
        """A player shows all samples of such a track: each must be proven."""
        if track.stored.is_shown() and (track.claim["before"] or track.claim["after"]):
            self.problem(0, None, f"track {track.id} begins or ends with what nothing proves")

    def take(self, head, kept, hashes, rests):
        leaves = []
        try:
            parts = head["tracks"]
            if len(parts) != len(kept) or any(len(three) != 3 or min(three) < 0 for three in kept):
                raise ValueError
            total = 0
            if not rests.keys() <= {part["id"] for part in parts}:
                raise ValueError
            for part, (before, here, after) in zip(parts, kept):
                track = self.tracks.get(part["id"])
                total += before + after + (min(1, here) if track and track.facts["isOneLeaf"] else here)
            if total != head["leaves"]:
                raise ValueError
            for part, three in zip(parts, kept):
                leaves += self.keep(self.tracks.get(part["id"]), *three, rests.get(part["id"]))
            left = base64.b64decode(hashes, validate=True)
            rest = [left[i:i + 32] for i in range(0, len(left), 32)]
            if (tree(leaves) if None not in leaves else root(leaves, rest)).hex() != head["tree"] or rest:
                raise ValueError
        except UNREADABLE:
            self.problem(0, None, "not what was signed")

    def keep(self, track, before, here, after, parts):
        if parts and (track is None or not track.facts["isOneLeaf"] or not here):
            raise ValueError
        lead, rest = parts or (b"", b"")
        if track is None:
            if here:
                raise ValueError
            return [None] * (before + after)
        if here:
            if track.ended or track.begun and (before or lead):
                self.problem(0, None, f"samples of track {track.id} are missing")
            track.begun = True
        if track.begun and (after or rest or not here and before):
            track.ended = True
        if track.next + here > track.count:
            raise ValueError
        if track.facts["isOneLeaf"]:
            own = [track.frames(self.data, here, lead, rest)] if here else []
        else:
            own = [track.sample(self.data) for _ in range(here)]
        return [None] * before + own + [None] * after

    def conclude(self, look_at_track):
        """Hands each track on: its number, what was signed of it, its samples, where it is, and the movie's end in seconds."""
        covered = [track.id for track in self.tracks.values()]
        # Cutting makes another timecode, and other titles of chapters.
        left = [facts["form"] for source, facts in self.facts.items() if source not in self.tracks]
        for number, track in self.stored.items():
            form = track.description()[0]
            if number in covered:
                continue
            if not track.is_shown() and form in left:
                left.remove(form)
            else:
                self.problem(0, None, f"track {number} is not one of the recording's")
        ends = [0]
        for track in self.tracks.values():
            scale = track.facts["timeScale"]
            proven = [time for time in track.times() if time[5]]
            if track.stored.edits:
                begun, length, _ = track.stored.edits[-1]
                ends.append(begun + length)
            else:
                ends += [(time[2] + time[3]) / scale for time in proven]
        for track in self.tracks.values():
            self.check_ends(track)
        for track in self.tracks.values():
            if track.count - track.next != track.claim["after"]:
                self.problem(0, None, f"track {track.id} has samples that were not signed")
            look_at_track(track.id, track.facts, track.times(), track.stored, max(ends), self.scale)
