"""The disks: images on the host, and what their checkers say of them after a cut."""

import os
import re
import shutil
import subprocess
import tempfile

MEGABYTES = 128

# What a cut may leave in a file system, and a check puts right: it belongs to no file.
HARMLESS = {
    "ext4": [
        r"^e2fsck ", r"^recovering journal$", r"[Oo]rphan", r"^Pass \d", r"FILE SYSTEM WAS MODIFIED",
        r"^\d+/\d+ files .*blocks$", r"^(Setting free|Free) (inodes|blocks) count",
        # The guest's clock starts as the host's and runs ahead of it.
        r"^Superblock last (mount|write) time is in the future\.$", r"^\(by less than a day, ",
    ],
    "vfat": [
        r"^fsck\.fat ", r"irty bit", r"^There are differences between boot sector", r"^This is mostly harmless",
        r"^65:01/00$", r"^Not automatically fixing this", r"^Reclaimed \d+ unused clusters? ", r"^Free cluster summary wrong",
        r"^Auto-correcting\.$", r"^\d+ files, \d+/\d+ clusters$", r"^\*\*\* Filesystem was changed", r"^Writing changes",
        r"^/\S+$",
    ],
}
# Of a file that was being written FAT may have the new length without the new clusters: they were not synced yet.
UNSYNCED = [r"^File size is \d+ bytes, cluster chain length is >? ?\d+ bytes\.$", r"^Truncating file to \d+ bytes\.$"]


def directory():
    """Where the images are: in memory if they have room there. While the guest waits for its disk virtual time continues, so
    that a sync on the host's disk would last seconds."""
    room = os.statvfs("/dev/shm") if os.path.isdir("/dev/shm") else None
    has_room = room is not None and room.f_bavail * room.f_frsize > 3 << 30
    return tempfile.TemporaryDirectory(prefix="power-cuts.", dir="/dev/shm" if has_room else None)


def make(path, file_system):
    """An empty disk."""
    with open(path, "wb") as file:
        file.truncate(MEGABYTES << 20)
    command = {"ext4": ["mkfs.ext4", "-q"], "vfat": ["mkfs.vfat", "-F", "32"]}[file_system]
    subprocess.run([*command, path], check=True, stdout=subprocess.DEVNULL)


def complaints(path, file_system):
    """What a check has to repair beyond what no file owns.

    A disk with FAT is checked itself, as systemd checks it before it is mounted: the kernel would make all of it read-only
    at the first read behind the last cluster. Of ext4 a copy is checked; the disk is mounted as the cut left it.
    """
    checked = path
    if file_system == "ext4":
        checked = f"{path}.checked"
        shutil.copyfile(path, checked)
    # The first check repairs; a second one finds nothing more to do.
    command = {"ext4": ["e2fsck", "-f", "-p"], "vfat": ["fsck.vfat", "-a"]}[file_system]
    environment = os.environ | {"LC_ALL": "C", "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
    first = subprocess.run([*command, checked], capture_output=True, text=True, env=environment)
    second = subprocess.run([*command, checked], capture_output=True, text=True, env=environment)
    if checked != path:
        os.remove(checked)
    found, file = [], ""
    for line in (first.stdout + first.stderr).splitlines():
        line = line.replace(f"{checked}: ", "").strip()
        if line.startswith("/"):
            file = line
        harmless = HARMLESS[file_system] + (UNSYNCED if ".recording." in file else [])
        if line and not any(re.search(pattern, line) for pattern in harmless):
            found.append(f"{file} {line}".strip())
    if first.returncode not in (0, 1) or second.returncode not in (0, 1):
        found.append(f"the checks ended with {first.returncode} and {second.returncode}")
    return found
