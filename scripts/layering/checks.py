"""The checks of imports, of what is public, and of calls that take a path."""

import re

from .order import FLOORS, KNOWN_PUBLIC, OWNERS, PATH_OWNERS


def height(floors, name):
    return next((place for place, floor in enumerate(floors) if name in floor), None)


class Manifest:
    """What Package.swift says: the modules that are library products, and what each target of ours depends on."""

    def __init__(self):
        with open("Package.swift", encoding="utf-8") as file:
            manifest = file.read()
        self.products = set(re.findall(r"\.library\(name: \"(\w+)\"", manifest))
        self.dependencies = dependencies(manifest)


def dependencies(manifest):
    found = {}
    for match in re.finditer(r"\.(?:executableT|t)arget\(\s*name: \"(\w+)\"", manifest):
        depth, stop = 1, manifest.index("(", match.start()) + 1
        while depth:
            depth += {"(": 1, ")": -1}.get(manifest[stop], 0)
            stop += 1
        listed = re.search(r"dependencies: \[(.*)\]", manifest[match.start():stop], re.DOTALL)
        body = re.sub(r"swiftSettings.*", "", listed.group(1), flags=re.DOTALL) if listed else ""
        found[match.group(1)] = set(re.findall(r"\"(\w+)\"", body))
    return found


def check_imports(files, depends):
    ours = {module for floor in FLOORS for module in floor}
    for file in sorted(files, key=lambda file: file.path):
        mine = height(FLOORS, file.module)
        if mine is None:
            yield f"{file.path}:1: {file.module} has no floor; add it to FLOORS in scripts/layering/order.py"
            continue
        for line, name in file.imports:
            theirs = height(FLOORS, name)
            if name in OWNERS:
                if file.module not in OWNERS[name]:
                    yield f"{file.path}:{line}: {name} is imported by {', '.join(OWNERS[name])} only"
            elif theirs is not None and theirs >= mine and name != file.module:
                yield f"{file.path}:{line}: {file.module} imports {name}, which is not below it"
            if name in ours or name in OWNERS:
                if name not in depends.get(file.module, set()) | {file.module}:
                    yield f"{file.path}:{line}: Package.swift does not list {name} as a dependency of {file.module}"


def check_unused(files, depends):
    for module in sorted(module for floor in FLOORS for module in floor):
        imported = {name for file in files if file.module == module for _, name in file.imports}
        for name in sorted(depends.get(module, set()) - imported):
            if name in OWNERS or height(FLOORS, name) is not None:
                yield f"Package.swift:1: {module} depends on {name}, but never imports it"


def check_paths(files):
    for file in sorted(files, key=lambda file: file.path):
        if file.module in PATH_OWNERS or not file.path_calls:
            continue
        imports = any(name == "FileSystem" for _, name in file.imports)
        for line, is_glibc in file.path_calls:
            if is_glibc or not imports:
                yield f"{file.path}:{line}: pass text paths through FileSystem (import it, without `Glibc.`)"
                break


def check_public(files, products):
    used = set()
    for file in sorted(files, key=lambda file: file.path):
        if file.module in products or not file.first_public:
            continue
        used.add(file.module)
        if file.module not in KNOWN_PUBLIC:
            yield (f"{file.path}:{file.first_public}: `public` is for products, and {file.module} is not a product; "
                   "use `package`")
    for module in KNOWN_PUBLIC.keys() - used:
        yield f"scripts/layering/order.py:1: KNOWN_PUBLIC lists {module}, which is fixed; remove it"
