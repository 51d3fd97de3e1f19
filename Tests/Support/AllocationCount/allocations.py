"""Says what a recorder does for each frame: allocations and system calls by thread, and who allocates.

    scripts/allocations [--recorder PROGRAM] [--stacks] [--calls] [OPTION-OF-RECORDER-RUN…]

Records from the test camera and the test microphone, 20 s, and prints what happened between the 10th second and the 20th,
divided by 300 frames. With --stacks also the call stacks that allocated, with --calls also the system calls (strace).
"""

import argparse
import collections
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

PROJECT = pathlib.Path(__file__).resolve().parents[3]
SLOT = struct.Struct("<QQQQQ24s")
STACK = struct.Struct("<QQ16s28Q")  # struct stack
FRAMES = 300


def build_library(place):
    library = place / "allocationcount.so"
    source = pathlib.Path(__file__).with_name("allocationcount.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, source], check=True)
    return library


def read_table(path):
    """{thread: (name, allocations, bytes, locks)}"""
    table = {}
    for thread, allocations, size, _frees, locks, name in SLOT.iter_unpack(path.read_bytes()):
        if thread:
            table[thread] = (name.split(b"\0")[0].decode(errors="replace"), allocations, size, locks)
    return table


def names_of(process):
    names = {}
    for task in pathlib.Path(f"/proc/{process}/task").iterdir():
        try:
            names[int(task.name)] = (task / "comm").read_text().strip()
        except OSError:
            pass  # it has ended
    return names


def command(arguments, place):
    return [
        arguments.recorder, "run", f"count-{os.getpid()}", "--camera", "test", "--microphone", "test",
        "--duration", "23s", "--output", str(place / "count.mov"), *arguments.options,
    ]  # fmt: skip


def group(name):
    """A thread pool's threads under one name."""
    return re.sub(r"[-#:]?\d+$", "*", name)


def count_allocations(arguments, place):
    counts = place / "counts"
    environment = dict(
        os.environ, LD_PRELOAD=str(build_library(place)), ALLOCATIONCOUNT_FILE=str(counts),
        XDG_RUNTIME_DIR=str(place), HOME=str(place),
    )  # fmt: skip
    stacks = place / "stacks"
    if arguments.locks:
        environment["ALLOCATIONCOUNT_LOCKS"] = "1"
    if arguments.stacks or arguments.locks:
        environment |= {"ALLOCATIONCOUNT_STACKS": str(stacks), "ALLOCATIONCOUNT_AFTER": "10", "ALLOCATIONCOUNT_FOR": "10"}
    recorder = subprocess.Popen(command(arguments, place), env=environment, stdout=subprocess.DEVNULL)
    begin = time.monotonic()
    time.sleep(10)
    before = read_table(counts)
    time.sleep(begin + 20 - time.monotonic())
    after = read_table(counts)
    names = names_of(recorder.pid)
    if recorder.wait() != 0:
        sys.exit("the recorder failed")
    totals = collections.Counter()
    sizes = collections.Counter()
    locks = collections.Counter()
    for thread, (name, allocations, size, taken) in after.items():
        _, old, old_size, old_taken = before.get(thread, ("", 0, 0, 0))
        locks[group(names.get(thread, name))] += taken - old_taken
        totals[group(names.get(thread, name))] += allocations - old
        sizes[group(names.get(thread, name))] += size - old_size
    print("allocations a frame, bytes a frame, locks a frame, thread")
    for name, count in totals.most_common():
        if count or locks[name]:
            print(f"{count / FRAMES:8.2f} {sizes[name] / FRAMES:10.0f} {locks[name] / FRAMES:8.2f}  {name}")
    print(
        f"{sum(totals.values()) / FRAMES:8.2f} {sum(sizes.values()) / FRAMES:10.0f}"
        f" {sum(locks.values()) / FRAMES:8.2f}  in all"
    )
    if arguments.stacks or arguments.locks:
        print_stacks(stacks, names, arguments)


def modules(path):
    """[(begin, end, offset of begin in the file, file)]"""
    result = []
    for line in path.read_text().splitlines():
        match = re.match(r"([0-9a-f]+)-([0-9a-f]+) \S+ ([0-9a-f]+) \S+ \d+\s+(/.*)", line)
        if match:
            begin, end, offset = (int(text, 16) for text in match.groups()[:3])
            result.append((begin, end, offset, match[4]))
    return result


def symbolize(addresses, maps):
    """{address: name}"""
    by_file = collections.defaultdict(list)
    base = {}
    for begin, _, offset, file in maps:
        if offset == 0:
            base.setdefault(file, begin)
    for address in addresses:
        for begin, end, _, file in maps:
            if begin <= address < end:
                by_file[file].append(address)
                break
    names = {}
    for file, found in by_file.items():
        # A return address is after its call.
        text = "\n".join(hex(address - base.get(file, 0) - 1) for address in found)
        symbolizer = shutil.which("llvm-symbolizer") or "llvm-symbolizer"
        output = subprocess.run(
            [symbolizer, "--obj=" + file, "--no-inlines" if "lib" in file else "--inlines", "--functions", "--basenames"],
            input=text, capture_output=True, text=True, check=False).stdout  # fmt: skip
        for address, block in zip(found, output.strip("\n").split("\n\n"), strict=False):
            lines = block.split("\n")
            names[address] = [
                (function, place.rsplit(":", 1)[0]) for function, place in zip(lines[::2], lines[1::2], strict=False)
            ] + [pathlib.Path(file).name]
    mangled = sorted({frame[0] for frames in names.values() for frame in frames if isinstance(frame, tuple)})
    plain = subprocess.run(
        ["swift", "demangle", "--simplified", "--compact"], input="\n".join(mangled), capture_output=True, text=True,
        check=False).stdout.split("\n")  # fmt: skip
    translation = dict(zip(mangled, plain, strict=False))
    result = {}
    for address, frames in names.items():
        file = frames.pop()
        result[address] = [
            (translation.get(function, function)[:130], file if place.startswith("?") else place)
            for function, place in frames
        ]
    return result


def print_stacks(path, names, arguments):
    maps = modules(pathlib.Path(str(path) + ".maps"))
    stacks = collections.Counter()
    sizes = collections.Counter()
    with path.open("rb") as file:
        while record := file.read(STACK.size):
            thread, size, name, *addresses = STACK.unpack(record)
            if not thread:
                break
            name = names.get(thread, name.split(b"\0")[0].decode())
            key = (group(name), tuple(address for address in addresses if address))
            stacks[key] += 1
            sizes[key] += size
    known = symbolize({address for _, chain in stacks for address in chain}, maps)
    skipped = re.compile(r"^(malloc|calloc|realloc|memalign|aligned_alloc|posix_memalign|took.*|note_stack|swift_slowAlloc.*|swift_allocObject|av_malloc|av_mallocz|.*_allocateUninit.*|.*_ContiguousArrayBuffer.*)$")
    what = "locks" if arguments.locks else "allocations"
    print(f"\n{what} a frame, bytes each, thread, who < who called it, our lines only")
    merged = collections.Counter()
    bytes_of = collections.Counter()
    for (name, chain), count in stacks.items():
        frames = []
        for address in chain:
            frames += known.get(address, [(hex(address), "?")])
        frames = [frame for frame in frames if not skipped.match(frame[0])]
        ours = [place for _, place in frames if re.search(r"\.swift:[1-9]", place)]
        key = name, " < ".join([frames[0][0] if frames else "?", *ours[: arguments.depth]])
        merged[key] += count
        bytes_of[key] += sizes[name, chain]
    for key, count in merged.most_common(arguments.top):
        print(f"{count / FRAMES:8.2f} {bytes_of[key] / count:8.0f}  {key[0]:16} {key[1]}")


def count_calls(arguments, place):
    log = place / "calls"
    environment = dict(os.environ, XDG_RUNTIME_DIR=str(place), HOME=str(place))
    recorder = subprocess.Popen(
        ["strace", "-f", "-Y", "-ttt", "-s", "0", "-o", str(log), *command(arguments, place), "--overwrite"], env=environment,
        stdout=subprocess.DEVNULL)  # fmt: skip
    if recorder.wait() != 0:
        sys.exit("the recorder failed")
    calls = collections.Counter()
    begin = None
    names = {}
    line_form = re.compile(r"(\d+)(?:<(.*?)>)? +(\d+\.\d+) (\w+)\(")
    with log.open(errors="replace") as file:
        for line in file:
            match = line_form.match(line)
            if not match:
                continue
            moment = float(match[3])
            begin = begin or moment
            names[match[1]] = match[2] or ""
            if 10 <= moment - begin < 20:
                detail = re.search(r"\(0x[0-9a-f]+, (FUTEX_\w+?)(_PRIVATE)?[,)|]", line) if match[4] == "futex" else None
                calls[match[1], match[4] + (" " + detail[1] if detail else "")] += 1
    totals = collections.Counter()
    by_name = collections.defaultdict(collections.Counter)
    for (thread, call), count in calls.items():
        name = group(names[thread])
        totals[name] += count
        by_name[name][call] += count
    print("system calls a frame, thread and call")
    for name, count in totals.most_common():
        print(f"{count / FRAMES:8.2f}  {name}")
        for call, number in by_name[name].most_common(12):
            print(f"{number / FRAMES:18.2f}  {call}")
    print(f"{sum(totals.values()) / FRAMES:8.2f}  in all")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recorder", default=str(PROJECT / ".build/release/recorder"))
    parser.add_argument("--stacks", action="store_true")
    parser.add_argument("--locks", action="store_true")
    parser.add_argument("--calls", action="store_true")
    parser.add_argument("--depth", type=int, default=5)
    parser.add_argument("--top", type=int, default=100)
    arguments, arguments.options = parser.parse_known_args()
    with tempfile.TemporaryDirectory(prefix="allocations-") as name:
        count_allocations(arguments, pathlib.Path(name))
        if arguments.calls:
            count_calls(arguments, pathlib.Path(name))


main()
