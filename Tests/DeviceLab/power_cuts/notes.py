"""What one guest notes for the next, on the host: the disks are what is tried, so nothing of this is on them."""

import json
import os
import threading
import time


class Notes:
    def __init__(self, directory):
        self.directory = directory

    def read(self, name, default):
        try:
            with open(f"{self.directory}/{name}.json", encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return default

    def write(self, name, value):
        partial = f"{self.directory}/.{name}.partial"
        with open(partial, "w", encoding="utf-8") as file:
            json.dump(value, file)
        os.rename(partial, f"{self.directory}/{name}.json")


def seconds_of_the_day():
    return time.time() % 86_400


class Clock:
    """Notes the guest's time of the day every 20 ms: the last note is the moment at which the power went."""

    INTERVAL = 0.02

    def __init__(self, notes):
        self.file = os.open(f"{notes.directory}/clock", os.O_RDWR | os.O_CREAT, 0o644)
        self.note()
        threading.Thread(target=self._run, daemon=True).start()

    def note(self):
        os.pwrite(self.file, b"%16.6f" % seconds_of_the_day(), 0)

    def _run(self):
        while True:
            time.sleep(self.INTERVAL)
            self.note()


def last_time(notes):
    try:
        with open(f"{notes.directory}/clock", encoding="ascii") as file:
            return float(file.read())
    except FileNotFoundError:
        return None
