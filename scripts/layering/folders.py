"""The checks of the folders inside modules: all are known, they use only what is below them, and none in a circle."""

import collections

from .checks import height
from .order import FOLDERS

ORDER = "scripts/layering/order.py"


def uses(files, module):
    """Each use of one folder's type in another folder of a module: (file, line, name, folder that declares it)."""
    mine = sorted((file for file in files if file.module == module), key=lambda file: file.path)
    homes = collections.defaultdict(set)
    for file in mine:
        for name in file.declared:
            homes[name].add(file.folder)
    for file in mine:
        for line, outer, inner in file.uses:
            # A type that an extension nests in another type belongs to the extension's folder.
            name = f"{outer}.{inner}" if f"{outer}.{inner}" in homes else outer
            for home in sorted(homes.get(name, ())):
                if home != file.folder and file.folder not in homes[name]:
                    yield file, line, name, home


def check(files):
    modules = sorted({file.module for file in files if file.folder} | set(FOLDERS))
    for module in modules:
        found = list(uses(files, module))
        yield from check_names(files, module)
        yield from check_order(found, module)
        yield from check_circles(found, module)


def check_names(files, module):
    folders = {file.folder: file.path for file in sorted(files, key=lambda file: file.path, reverse=True)
               if file.module == module and file.folder}
    named = [folder for floor in FOLDERS.get(module, []) for folder in floor]
    for folder in sorted(folders.keys() - set(named)):
        yield f"{folders[folder]}:1: {module} has a folder {folder}, which FOLDERS in {ORDER} does not name"
    for folder in sorted(set(named) - folders.keys()):
        yield f"{ORDER}:1: {module} has no folder {folder}; FOLDERS names it"


def points_up(use, module):
    # The empty name is that of the files directly in the module.
    floors = [[""], *FOLDERS.get(module, [])]
    file, _, _, home = use
    here, there = height(floors, file.folder), height(floors, home)
    return here is not None and there is not None and there >= here


def check_order(found, module):
    for use in found:
        if points_up(use, module):
            file, line, name, home = use
            yield f"{file.path}:{line}: {words(file.folder)} uses {name} of {words(home)}, which is not below it"


def check_circles(found, module):
    """For each use that points up, the shortest way back. Every circle of folders that FOLDERS names contains one."""
    names = collections.defaultdict(lambda: collections.defaultdict(set))
    for file, _, name, home in found:
        names[file.folder][home].add(name)
    seen = set()
    for use in found:
        circle = points_up(use, module) and circle_of(names, use[0].folder, use[3])
        if not circle or frozenset(circle) in seen:
            continue
        seen.add(frozenset(circle))
        steps = [f"{words(home)} ({', '.join(sorted(names[user][home]))})"
                 for user, home in zip(circle, [*circle[1:], circle[0]])]
        way = " -> ".join([words(circle[0]), *steps])
        place = "/".join(use[0].path.split("/")[:3])
        yield f"{place}:1: folders use each other in a circle: {way}"


def circle_of(names, first, second):
    """The shortest circle of folders that begins with these two; empty if there is none."""
    waiting, seen = collections.deque([[first, second]]), {second}
    while waiting:
        path = waiting.popleft()
        for home in sorted(names.get(path[-1], ())):
            if home == first:
                return path
            if home not in seen:
                seen.add(home)
                waiting.append([*path, home])
    return []


def words(folder):
    return folder or "a file in no folder"
