#!/usr/bin/env python3
"""Runs a program on a terminal of its own, as a person at it would.

  terminal.py STEPS PROGRAM [ARGUMENT...]

STEPS is a JSON array: {"await": TEXT} until that has been shown since the last step, {"type": TEXT}, {"signal": NUMBER},
{"tell": PATH} makes an empty file, so that others hear how far it is.
Prints one JSON object: what was `shown`, `status` (as the shell has it: 128 and the signal), and the step that `failed`,
or null. A program that is not over 20 s after the last step is killed.
"""
import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

steps, words = json.loads(sys.argv[1]), sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.environ["TERM"] = "xterm"
    os.execvp(words[0], words)

shown, seen, failed = b"", 0, None


def read(until):
    """Whether it was shown; None waits for the end."""
    global shown
    deadline = time.monotonic() + 60
    while until is None or until not in shown[seen:]:
        if time.monotonic() > deadline:
            return False
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            part = os.read(terminal, 65536)
        except OSError:  # EIO: the program has closed it
            part = b""
        if not part:
            return until is None
        shown += part
    return True


for step in steps:
    if "await" in step:
        if not read(step["await"].encode()):
            failed = step
            break
        seen = len(shown)
    elif "type" in step:
        os.write(terminal, step["type"].encode())
    elif "tell" in step:
        open(step["tell"], "x").close()
    else:
        os.kill(child, step["signal"])
        if step["signal"] == signal.SIGTSTP:
            os.waitid(os.P_PID, child, os.WSTOPPED)  # or what comes next may come before
if failed or not read(None):
    os.kill(child, signal.SIGKILL)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(json.dumps({"shown": shown.decode(errors="replace"), "status": status if status >= 0 else 128 - status, "failed": failed}))
