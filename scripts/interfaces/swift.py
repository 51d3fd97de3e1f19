"""The public declarations of the library products, from the symbol graphs of the modules that were built last.

What is `package` is not listed, nor what the compiler makes of conformances.
"""
import glob
import json
import os
import re
import subprocess
import tempfile

from . import fail

# Conformances that the compiler writes down for everything.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype"}
# The layout of a value in memory, which a program that is built from source never sees.
LAYOUT = re.compile(r"^indirect ")


def products():
    """The library products that declare something: those that only give another one a second name do not."""
    with open("Package.swift", encoding="utf-8") as file:
        names = sorted(re.findall(r"\.library\(name: \"(\w+)\"", file.read()))
    return [name for name in names if os.listdir(glob.glob(f"Sources/*/{name}")[0]) != [f"{name}.swift"]]


def symbol_graphs(module, build, directory):
    """The module's own symbols, and those it adds to types of others."""
    if not os.path.exists(f"{build}/Modules/{module}.swiftmodule"):
        fail(69, f"{module} is not built; run swift build")
    command = [
        "swift-symbolgraph-extract", "-module-name", module, "-minimum-access-level", "public", "-skip-inherited-docs",
        "-I", f"{build}/Modules", "-target", os.path.basename(os.path.dirname(os.path.realpath(build))),
        "-output-dir", directory,
    ]
    for module_map in glob.glob("Sources/C/*/module.modulemap"):
        command += ["-I", os.path.dirname(module_map)]
    try:
        run = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        fail(69, "swift-symbolgraph-extract not found; it is part of the Swift toolchain")
    if run.returncode != 0:
        fail(1, f"cannot read {module}:\n{run.stderr}")
    for path in sorted(glob.glob(f"{directory}/{module}*.symbols.json")):
        with open(path, encoding="utf-8") as file:
            yield json.load(file)


def declarations(module, build):
    lines = set()
    with tempfile.TemporaryDirectory() as directory:
        for graph in symbol_graphs(module, build, directory):
            names = {}
            for symbol in graph["symbols"]:
                identifier = symbol["identifier"]["precise"]
                if "::SYNTHESIZED::" in identifier:
                    continue
                path = symbol["pathComponents"]
                words = "".join(part["spelling"] for part in symbol["declarationFragments"])
                words = LAYOUT.sub("", re.sub(r"\s+", " ", words).strip())
                names[identifier] = ".".join(path)
                lines.add(": ".join(filter(None, [".".join(path[:-1]), words])))
            for relation in graph["relationships"]:
                name = relation.get("targetFallback", names.get(relation["target"], "")).split(".")[-1]
                if relation["kind"] == "conformsTo" and relation["source"] in names and name not in IMPLIED | {""}:
                    lines.add(f"{names[relation['source']]} is {name}")
    return lines
