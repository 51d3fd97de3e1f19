#!/usr/bin/env python3
"""Judges a text in Prometheus' format: parses it with Prometheus' own Python client, and looks at the names.

    metrics.py [--openmetrics] FILE

--openmetrics: the text is OpenMetrics.

Prints the samples as a JSON array of [name, labels, value]; what goes against the conventions (prometheus.io, "Metric and
label naming") goes to standard error, a line each, and the exit status is 1 then.
"""
import json
import re
import sys

from prometheus_client.openmetrics import parser as openmetrics
from prometheus_client.parser import text_string_to_metric_families

UNITS = ("seconds", "bytes", "files", "ratio", "info", "state", "depth", "present", "running", "failing", "full", "up",
         "ended", "synchronized", "complete")


def histograms(family):
    """The samples of each histogram of a family: those whose labels are the same but for the bucket."""
    found = {}
    for sample in family.samples:
        labels = tuple(sorted((key, value) for key, value in sample.labels.items() if key != "le"))
        found.setdefault(labels, []).append(sample)
    return found.values()


def adds_up(samples):
    buckets = [sample for sample in samples if sample.name.endswith("_bucket")]
    counts = [sample.value for sample in buckets]
    ends = [float(sample.labels["le"]) for sample in buckets]
    total = next(sample.value for sample in samples if sample.name.endswith("_count"))
    return counts == sorted(counts) and ends == sorted(ends) and ends[-1] == float("inf") and counts[-1] == total


def problems(families):
    seen = set()
    for family in families:
        name = family.name
        if name in seen:
            yield f"{name}: the family is there twice"
        seen.add(name)
        if not re.fullmatch(r"recorder_[a-z_]+", name):
            yield f"{name}: not a name of ours"
        if not family.documentation:
            yield f"{name}: no help"
        if family.type == "unknown":
            yield f"{name}: no type"
        if not family.samples:
            yield f"{name}: no sample"
        # The parser takes _total off a counter's name.
        if family.type == "counter":
            if any(not sample.name.endswith("_total") for sample in family.samples):
                yield f"{name}: a counter's name ends with _total"
        elif not name.endswith(UNITS):
            yield f"{name}: the name has no unit"
        if re.search(r"milli|micro|minutes|kilo|mega|percent|bits", name):
            yield f"{name}: not a base unit"
        labels = [(sample.name, tuple(sorted(sample.labels.items()))) for sample in family.samples]
        if len(labels) != len(set(labels)):
            yield f"{name}: a sample is there twice"
        if family.type == "histogram" and not all(adds_up(series) for series in histograms(family)):
            yield f"{name}: the buckets do not add up"


def main():
    *options, path = sys.argv[1:]
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    is_open = options == ["--openmetrics"]
    read = openmetrics.text_string_to_metric_families if is_open else text_string_to_metric_families
    families = list(read(text))
    found = list(problems(families))
    if not text.endswith("\n"):
        found.append("the last line has no end")
    print(json.dumps([[s.name, s.labels, str(float(s.value))] for family in families for s in family.samples]))
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


sys.exit(main())
