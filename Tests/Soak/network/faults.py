"""The faults of a camera and its network, drawn from a seed."""
import random
from dataclasses import dataclass

# Of datagrams. `jitter` stays below the 200 ms for which the recorder waits for a missing packet.
DATAGRAMS = ["loss", "burst", "jitter", "reorder", "duplicate", "all", "reboot"]
# Of a connection that carries packets.
CONNECTION = ["reset", "half-packet", "pause", "silence", "garbage", "half-answer", "silent-answer", "refusal", "nonsense", "reboot"]
# These end the connection.
ENDING = {"reset", "half-packet", "silence", "garbage", "half-answer", "silent-answer", "refusal", "nonsense", "reboot"}
# What the camera does with the next connections.
ANSWERS = {"half-answer", "silent-answer", "refusal", "nonsense"}


@dataclass
class Fault:
    start: float  # seconds since the camera sent its first frame
    kind: str
    seconds: float
    strength: float  # 0 to 1


def reboots(seed, transport, minutes):
    """The camera reboots once a minute, and nothing else happens."""
    chance = random.Random(f"{seed} {transport}")
    return [Fault(at, "reboot", chance.uniform(1, 6), 0.0) for at in range(30, int(minutes * 60) - 8, 60)]


def schedule(seed, transport, minutes):
    """One fault after the other, with time between them in which the recorder must recover."""
    chance = random.Random(f"{seed} {transport}")
    kinds = DATAGRAMS if transport == "udp" else CONNECTION
    faults, at, drawn = [], 6.0, []
    while at < minutes * 60 - 8:
        if not drawn:
            drawn = chance.sample(kinds, len(kinds))
        kind = drawn.pop()
        seconds = {"silence": 13.0, "reboot": chance.uniform(1, 6), "half-answer": 3.0, "silent-answer": 3.0}.get(kind, chance.uniform(0.5, 4))
        faults.append(Fault(at, kind, seconds, chance.random()))
        at += seconds + chance.uniform(4, 9)
    return faults
