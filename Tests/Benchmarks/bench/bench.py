"""What every group of rows needs to know."""
import os
from dataclasses import dataclass

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
MEDIA = os.path.join(PROJECT, "Tests", "Movies")


@dataclass
class Bench:
    recorder: str  # the program that is measured
    tools: str  # where the C programs of Tests/Benchmarks/ lie, built
    place: str  # a directory that is gone afterwards
    pairs: int
    quick: bool  # shorter movies, shorter recordings: to try the benchmark, not to believe it
    only: str = ""  # a text that a row's name must hold to be measured
    cameras: int = 64  # of the network

    def path(self, *names: str) -> str:
        return os.path.join(self.place, *names)

    def tool(self, name: str) -> str:
        return os.path.join(self.tools, name)

    def wants(self, name: str) -> bool:
        """Whether a row of this name is to be measured."""
        return self.only in name
