"""Takes the screenshot of the timeline that the README shows, in a headless Chromium (scripts/screenshot)."""
import os
import sys
import time

from browsers import Chromium, viewport, wait

from .world import World

NAMES = ["bench", "door"]
SIZE = (1280, 800)
PAGE = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../../Sources/Service/WebPage"))

READY = """const players = [...document.querySelectorAll('recording-player')];
    return players.length === 2 && players.every(p => p.status === 'ready')"""
# The test pattern is white for a frame each second, when it claps.
COLORED = """return [...document.querySelectorAll('recording-player')].every(player => {
    const canvas = Object.assign(document.createElement('canvas'), {width: 16, height: 16}), drawn = canvas.getContext('2d');
    return [...player.querySelectorAll('video')].some(video => {
        drawn.drawImage(video, 0, 0, 16, 16);
        const [red, , blue] = drawn.getImageData(2, 8, 1, 1).data;
        return red - blue > 60;
    });
})"""


def record(world: World):
    """Records for half a minute: two files of each recorder, with marks and a pause."""
    for name in NAMES:
        world.start(name, sources=["--camera", "test", "--microphone", "test", "--size", "1280x720"])
    steps = [(6, "mark", "bench", "Power on"), (5, "pause", "door"), (4, "resume", "door"), (3, "split", *NAMES),
             (5, "mark", "door", "Parcel"), (9, "mark", "bench", "First light")]
    for seconds, *words in steps:
        time.sleep(seconds)
        world.run(world.recorder, *words)


def watch(browser: Chromium, address: str) -> bytes:
    """Plays both recorders at the live edge, and returns the page as PNG."""
    browser.go(address)
    viewport(browser, *SIZE)
    browser.run("Object.assign(document.documentElement.style, {scrollbarWidth: 'none', scrollbarGutter: 'auto'})")
    browser.run(f"document.documentElement.dataset.theme = 'light'; location.hash = '#timeline?recorders={','.join(NAMES)}'")
    wait("the timeline has no rows", 60, lambda: browser.run("return document.querySelectorAll('.time-row').length === 2"))
    browser.run("document.querySelector('[data-action=all]').click()")
    time.sleep(2)
    browser.run("document.querySelector('[data-action=edge]').click()")
    wait("the recorders do not play", 60, lambda: browser.run(READY))
    browser.run("document.querySelector('[data-action=play]').click()")
    time.sleep(4)
    while True:
        wait("the recorders show no colors", 60, lambda: browser.run(COLORED))
        shown = browser.screenshot()
        if browser.run(COLORED):
            return shown


def main(recorder: str, path: str):
    with World(recorder) as world:
        record(world)
        browser = Chromium()
        try:
            shown = watch(browser, world.serve_openly("--page", PAGE))
            errors = browser.errors()
        finally:
            browser.end()
    if errors:
        sys.exit("the page reported errors:\n" + "\n".join(errors))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(shown)
    print(path)


main(*sys.argv[1:])
