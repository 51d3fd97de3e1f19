"""Which cut comes when: decided by the seed alone, so that a run can be made again. Pure values."""

import random
from dataclasses import dataclass

# What the recorder is doing when the power goes. Each comes once in every round, in a random order.
RECORDING = "recording"  # in the middle
SPLITTING = "splitting"  # a new file was asked for a moment ago
STOPPING = "stopping"  # the end was asked for a moment ago
STOPPED = "stopped"  # the recorder has said that the file is whole
REPAIRING = "repairing"  # it has just started, and finishes what the cut before left
KINDS = (RECORDING, SPLITTING, STOPPING, STOPPED, REPAIRING)


@dataclass(frozen=True)
class Cut:
    number: int
    kind: str
    # Seconds of the guest's time, from the first sample in a file to what `kind` names.
    moment: float
    # Seconds of the host's time from there to the end of the power.
    delay: float


def plan(seed, count):
    """The cuts of a run. A shorter run is the beginning of a longer one."""
    lots = random.Random(seed)
    cuts, kinds = [], []
    for number in range(count):
        if not kinds:
            kinds = list(KINDS)
            lots.shuffle(kinds)
        kind = kinds.pop()
        moment = lots.uniform(0.2, 7)
        # Splitting and finishing take some tens of milliseconds. A repair begins when the program has been loaded.
        longest = {RECORDING: 0.2, STOPPED: 0.01, REPAIRING: 0.6}.get(kind, 0.08)
        cuts.append(Cut(number, kind, round(moment, 3), round(lots.uniform(0, longest), 4)))
    return cuts
