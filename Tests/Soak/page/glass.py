"""Lag from the camera to the screen, measured by the clock in the frame, in a headless Chromium."""
import os
import statistics
import time

from .verdict import Verdict, load
from .world import World

SETTLE = 10  # seconds after the first frame that are not counted
EVERY = 7  # one of this many frames is read, so that reading does not cause lag
WRAP = 100 * 3600  # seconds until the clock in the frame wraps


def delay(recorder: str, verdict: Verdict, minutes: float, low_latency: bool, tell=lambda sample: None):
    name = "delay, low latency" if low_latency else "delay"
    with World(recorder) as world:
        world.start("front", *(["--low-latency"] if low_latency else []))
        address = world.serve_openly()
        samples = look(address, minutes * 60 + SETTLE, tell)
        lost = world.stop("front")["video"]["dropped"]
    judge(name, samples, verdict, minutes, 0.35 if low_latency else 0.9)
    verdict.say(name, "dropped by the recording", sum(lost.values()), "", "== 0")


def look(address: str, seconds: float, tell) -> list[dict]:
    """Returns the samples, with `at` (seconds since the first frame) and `delay`."""
    browser = chromium()
    try:
        browser.get(address)
        browser.execute_script("location.hash = '#/recorder/front'")
        wait(lambda: browser.execute_script("return document.querySelector('recorder-view live-player')?.isMoving"), "frame")
        with open(os.path.join(os.path.dirname(__file__), "clock.js")) as file:
            browser.execute_script(file.read())
        browser.execute_script("const p = document.querySelector('live-player'); watchClock(p.video, p, arguments[0])", EVERY)
        began, samples = time.time(), []
        while time.time() < began + seconds:
            time.sleep(1)
            # The machine's clocks may be set meanwhile.
            boot = time.time() - time.clock_gettime(time.CLOCK_MONOTONIC)
            for sample in browser.execute_script("return window.clockSamples.splice(0)"):
                sample["at"] = sample["shown"] - began
                sample["delay"] = None if sample["clock"] is None else (sample["shown"] - boot - sample["clock"]) % WRAP
                samples.append(sample)
                tell(sample)
        return samples
    finally:
        browser.quit()


def judge(name: str, samples: list[dict], verdict: Verdict, minutes: float, limit: float):
    counted = [sample for sample in samples if sample["at"] >= SETTLE]
    read = [sample for sample in counted if sample["delay"] is not None]
    if len(read) < 10:
        raise SystemExit(f"{name}: only {len(read)} of {len(counted)} frames have a readable clock")
    delays = [sample["delay"] for sample in read]
    ordered = sorted(delays)
    verdict.say(name, "glass to glass, median", statistics.median(delays), "s", f"<= {limit}", frames=len(read),
                unreadable=len(counted) - len(read), least=f"{ordered[0]:.3f}", most=f"{ordered[-1]:.3f}", load=load())
    verdict.say(name, "glass to glass, p95", ordered[len(ordered) * 95 // 100], "s")
    apart = [sample["said"] - sample["delay"] for sample in read if sample["said"] is not None]
    verdict.say(name, "difference from the lag that the page shows", abs(statistics.median(apart)), "s", "<= 0.05",
                median=f"{statistics.median(apart):+.3f}", farthest=f"{max(apart, key=abs):+.3f}", of=len(apart))
    minutes_counted = (counted[-1]["at"] - counted[0]["at"]) / 60

    def more(what: str) -> int:
        return counted[-1][what] - counted[0][what]

    verdict.say(name, "stalls", more("stalls") / minutes_counted, "/min", "<= 1")
    verdict.say(name, "frames shown late", more("late") / more("count") * 100, "%",
                left_out_by_the_browser=more("dropped"), of=more("count"))
    faster = sum(sample["rate"] != 1 for sample in counted) / len(counted)
    verdict.say(name, "share of time at another playback rate", faster * 100, "%",
                ahead=f"{statistics.median(sample['ahead'] for sample in counted):.3f} s")
    if minutes >= 3:
        first = statistics.median(sample["delay"] for sample in read if sample["at"] < SETTLE + 60)
        last = statistics.median(sample["delay"] for sample in read if sample["at"] > counted[-1]["at"] - 60)
        # The duration of one frame does not count as a difference.
        verdict.say(name, f"last minute of {minutes:g} minus the first", last - first, "s", "<= 0.034",
                    first=f"{first:.3f}", last=f"{last:.3f}")


def chromium():
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,900", "--disable-dev-shm-usage",
                 "--autoplay-policy=no-user-gesture-required"):
        options.add_argument(word)
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def wait(condition, what: str, seconds: float = 60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"no {what} within {seconds:g} s")
        time.sleep(0.05)
