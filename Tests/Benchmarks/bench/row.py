"""One line of the table."""
import operator
import statistics
from dataclasses import dataclass, field

COMPARISONS = {"<=": operator.le, "<": operator.lt, ">=": operator.ge}


@dataclass
class Row:
    """What was measured, for us and for another program, and what it must come to.

    With `theirs` the result is a ratio for each pair, ours by theirs, or theirs by ours where it says how many times as fast we
    are (`speed`). Without, it is what was measured of ours.
    """

    group: str
    name: str
    what: str  # "CPU s per recorded minute", "speed", "peak memory MiB" …
    ours: list[float]
    theirs: list[float] = field(default_factory=list)
    against: str = "FFmpeg"
    speed: bool = False
    target: str = ""  # "<= 0.9", for the median; nothing where a row is there to be known only
    floor: str = ""  # ">= 1.0", for every pair
    notes: dict = field(default_factory=dict)  # what belongs beside: the limit, frames, drops …

    @property
    def results(self) -> list[float]:
        if not self.theirs:
            return self.ours
        # Something against nothing is more than as much, however little it is.
        return [(b / a if self.speed else a / b) if a and b else max(0.0, a - b and a - b + 1)
                for a, b in zip(self.ours, self.theirs)]

    @property
    def median(self) -> float:
        return statistics.median(self.results)

    @property
    def met(self) -> bool | None:
        if not self.target and not self.floor:
            return None
        return all(holds(value, rule) for value, rule in
                   [(self.median, self.target), *((result, self.floor) for result in self.results)] if rule)

    def json(self) -> dict:
        return {
            "group": self.group, "name": self.name, "what": self.what, "against": self.against if self.theirs else None,
            "ours": self.ours, "theirs": self.theirs, "results": self.results, "median": self.median,
            "lowest": min(self.results), "highest": max(self.results), "target": self.target, "floor": self.floor,
            "met": self.met, "notes": self.notes,
        }

    def text(self) -> str:
        values = f"{statistics.median(self.ours):9.4g}"
        values += f" : {statistics.median(self.theirs):<9.4g}" if self.theirs else " " * 12
        word = {None: "", True: "met", False: "MISSED"}[self.met]
        rules = " and ".join(rule for rule in (self.target, self.floor and f"each {self.floor}") if rule)
        notes = ", ".join([f"against {self.against}"] * (bool(self.theirs) and self.against != "FFmpeg") +
                          [f"{key} {value}" for key, value in self.notes.items()])
        return (f"{self.group:9} {self.name:34} {self.what:26} {values} {self.median:7.3f} "
                f"({min(self.results):.3f}–{max(self.results):.3f}) {rules:>18} {word:6} {notes}").rstrip()


def holds(value: float, rule: str) -> bool:
    comparison, limit = rule.split()
    return COMPARISONS[comparison](value, float(limit))
