"""Lines with a measurement, its limit, and whether it was met."""
import operator
import os
from dataclasses import dataclass, field

COMPARISONS = {"<=": operator.le, "<": operator.lt, "==": operator.eq}


@dataclass
class Verdict:
    """The results of one run of the soak."""

    lines: list[dict] = field(default_factory=list)

    def say(self, scenario: str, what: str, value: float, unit: str = "", must: str = "", **notes):
        """Adds a line. `must` is a limit such as "<= 0.9", or empty for information only."""
        is_met = None
        if must:
            comparison, limit = must.split()
            is_met = COMPARISONS[comparison](value, float(limit))
        self.lines.append({"scenario": scenario, "what": what, "value": value, "unit": unit, "must": must, "met": is_met, **notes})
        word = {None: "", True: "met", False: "MISSED"}[is_met]
        beside = ", ".join(f"{key.replace('_', ' ')} {note}" for key, note in notes.items())
        print(f"{scenario:22} {what:46} {value:9.4g} {unit:8} {must:>8} {word:6} {beside}".rstrip(), flush=True)

    @property
    def missed(self) -> list[str]:
        return [f"{line['scenario']}: {line['what']}" for line in self.lines if line["met"] is False]


def load() -> str:
    """Returns the machine's load: runnable processes over one, five and fifteen minutes."""
    return " ".join(f"{value:.2f}" for value in os.getloadavg())
