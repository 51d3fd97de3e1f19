"""What others build on, as lists of lines: one module for each kind of interface, and what a change of them means.

A line is one promise, as `AssetWriter: func startWriting()` or `recorder start --camera <name>`. A line that goes is a break,
and so is a new one that asks for more (` needs `). scripts/api writes and checks the lists.
"""
import sys


class Failure(Exception):
    """What ends the script, with its exit status."""

    def __init__(self, status, words):
        super().__init__(words)
        self.status = status


def fail(status, words):
    raise Failure(status, words)


def warn(words):
    print(f"api: {words}", file=sys.stderr)
