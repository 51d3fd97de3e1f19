#!/usr/bin/env python3
"""Uses the page of `recorder web` as a user would, in a headless browser, and prints what was seen as one JSON object.

usage: page.py chromium|firefox ADDRESS NAME… [--mark NAME] [--dead NAME] [--screenshots DIRECTORY]

Keys: videos (for each recorder NAME: width, height, advanced: seconds by which its video advanced, took: seconds that
this lasted, delay: seconds from the camera to the screen, as the page shows it), large (the same of the first NAME, by
itself and with audio, and muted), said (what the page said after a mark was set), recording (of the
first NAME, as it is in the list: the width of its still, and how far it played), keptUp (what the rule makes of a minute that
begins too far behind: changes of the rate, what was left at least, how much was skipped of three seconds too much;
and of an hour of clocks that run apart: changes, and how much later it is in the end), foreign (what was fetched from elsewhere),
rested (whether a page that is hidden closed its connection, and came back when it was visible again),
fitted (of two sizes of a page: how many controls of one recorder were looked at, how high its video is, and which controls are
not wholly seen without scrolling), acknowledged (whether the end of the recorder that died, --dead, was cleared),
nameless (what can be pressed and has no name for a screen reader), wide (what is wider than a phone's screen), weight (bytes
of what the page is made of), errors (of the console and of scripts). With DIRECTORY, what it looks like: wide and as on a phone, light and dark.
Exits 1 when something that was waited for did not come.
"""
import argparse, json, os, sys, time

from browsers import CATCH, FOREIGN, NAMELESS, WEIGHT, WIDE, Late, browser as started, viewport, wait
from page_steps import VIDEOS, looks, mark, playing

# A minute of a video that begins far behind and gets media in pieces of 0.2 s: how often its rate changes, what is left at
# least in the last ten seconds; and what is passed over of three seconds more.
KEEP_UP = """import('/page/watch/keep-up.js').then(({ KeepUp }) => {
    const rule = new KeepUp(), found = { changes: 0, left: 9, skipped: 0 };
    let [ahead, rate] = [0.7, 1];
    for (let step = 0; step < 6000; step++) {
        ahead += (step % 20 ? 0 : 0.2) - 0.01 * rate;
        const next = rule.rule(ahead, step / 100).rate;
        found.changes += next === rate ? 0 : 1;
        rate = next;
        if (step > 5000) found.left = Math.min(found.left, ahead);
    }
    ahead += 3;
    for (let step = 6000; step < 6200; step++) {
        ahead += (step % 20 ? 0 : 0.2) - 0.01;
        const { skip } = rule.rule(ahead, step / 100);
        found.skipped += skip;
        ahead -= skip;
    }
    const hour = new KeepUp(), left = [9, 9];
    [ahead, rate, found.hourChanges] = [0.4, 1, 0];
    for (let step = 0; step < 180000; step++) {
        // The camera's clock is 40 ppm faster than the browser's.
        ahead += (step % 10 ? 0 : 0.2 * 1.00004) - 0.02 * rate;
        const next = hour.rule(ahead, step / 50).rate;
        found.hourChanges += next === rate ? 0 : 1;
        rate = next;
        if (step > 500 && step < 3500) left[0] = Math.min(left[0], ahead);
        if (step > 177000) left[1] = Math.min(left[1], ahead);
    }
    found.later = left[1] - left[0];
    window.keptUp = found;
})"""


def rested(browser, name):
    """The page is made to believe that it is hidden, since a headless browser's tabs are all visible."""
    words = "return document.querySelector('recorder-view .live-words').textContent"
    browser.run("Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });"
                "document.dispatchEvent(new Event('visibilitychange'))")
    wait("a hidden page keeps its connection", 60, lambda: browser.run(words).startswith("reconnecting"))
    browser.run("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
    playing(browser, [name])
    return True


def played(browser, name):
    """The newest recording of one, in the list and played from there."""
    browser.run("location.hash = '#recordings'")
    card = f"[...document.querySelectorAll('recording-card')].find(c => c.querySelector('h2').textContent === {json.dumps(name)})"
    wait("the recording is not listed", 60, lambda: browser.run(f"return Boolean({card}?.querySelector('[data-action=play]'))"))
    still = f"const i = {card}?.querySelector('img'); return i && i.complete && i.naturalWidth"
    width = wait("there is no still", 60, lambda: browser.run(still))
    browser.run(f"{card}.querySelector('[data-action=play]').click()")
    place = wait("it does not play", 60, lambda: browser.run(f"const v = {card}?.querySelector('video'); return v && v.currentTime > 0.5 && v.currentTime"))
    return {"still": width, "playedTo": place}


HIDDEN = """const top = document.querySelector('page-header').getBoundingClientRect().bottom;
    const shown = [...document.querySelectorAll('recorder-view :is(button, .large, level-meter)')].filter(e => e.checkVisibility());
    const hidden = shown.filter(e => { const r = e.getBoundingClientRect(); return r.top < top || r.bottom > innerHeight; });
    return {tried: shown.length, video: Math.round(document.querySelector('.large').getBoundingClientRect().height), scrolled: scrollY,
        hidden: hidden.map(e => (e.dataset.action ?? e.className) + ' ' + Math.round(e.getBoundingClientRect().bottom))}"""


def fitted(browser, directory, kind):
    """What of one recorder's controls is seen without scrolling, on two screens."""
    found = {}
    for width, height in (1440, 857), (1920, 937):
        viewport(browser, width, height)
        browser.run("scrollTo(0, 0)")
        time.sleep(0.5)
        found[f"{width}x{height}"] = browser.run(HIDDEN)
        if directory:
            with open(os.path.join(directory, f"{kind}-large-{width}x{height}.png"), "wb") as file: file.write(browser.screenshot())
    browser.size(1280, 900)
    return found


def acknowledged(browser, name):
    """Clears how a recorder ended that died; its card is among those of stopped ones then."""
    browser.run("location.hash = '#/'")
    card = f"document.querySelector('recorder-card[data-name={json.dumps(name)}]')"
    button = f"{card}?.querySelector('[data-action=acknowledge]')"
    wait("the end of a recorder is not shown", 60, lambda: browser.run(f"return Boolean({button}) && {card}.dataset.state === 'died'"))
    browser.run(f"{button}.click()")
    wait("the end of a recorder is not cleared", 60, lambda: browser.run(
        f"return {card}.dataset.state === 'notRunning' && !{button} && Boolean({card}.closest('.stopped'))"))
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("browser", choices=["chromium", "firefox"])
    parser.add_argument("address")
    parser.add_argument("names", nargs="+")
    parser.add_argument("--mark")
    parser.add_argument("--dead")
    parser.add_argument("--screenshots")
    wanted = parser.parse_args()
    browser, found = started(wanted.browser), {}
    try:
        browser.go(wanted.address)
        browser.run(CATCH)
        found["videos"] = playing(browser, wanted.names)
        if wanted.mark: found["said"] = mark(browser, wanted.mark)
        if wanted.screenshots: looks(browser, wanted.screenshots, wanted.browser, "all")
        found["nameless"] = browser.run(NAMELESS)
        browser.size(500, 900)
        time.sleep(0.5)
        found["wide"] = browser.run(WIDE)
        browser.size(1280, 900)
        browser.run(f"location.hash = '#/recorder/' + encodeURIComponent({json.dumps(wanted.names[0])})")
        wait("it is not shown large", 60, lambda: browser.run("return Boolean(document.querySelector('recorder-view'))"))
        browser.run("document.querySelector('[data-action=audio]').click()")
        found["large"] = playing(browser, wanted.names[:1])[wanted.names[0]]
        if wanted.screenshots: looks(browser, wanted.screenshots, wanted.browser, "large")
        found["fitted"] = fitted(browser, wanted.screenshots, wanted.browser)
        found["rested"] = rested(browser, wanted.names[0])
        found["nameless"] += browser.run(NAMELESS)
        found["recording"] = played(browser, wanted.names[0])
        if wanted.screenshots: looks(browser, wanted.screenshots, wanted.browser, "recordings")
        found["nameless"] += browser.run(NAMELESS)
        found["acknowledged"] = acknowledged(browser, wanted.dead) if wanted.dead else None
        found["foreign"], found["weight"] = browser.run(FOREIGN), browser.run(WEIGHT)
        # Firefox loads it once more for this.
        browser.run(KEEP_UP)
        found["keptUp"] = wait("the rule is not there", 60, lambda: browser.run("return window.keptUp"))
        found["errors"] = browser.errors() + browser.run("return window.caught")
    except Late as late:
        found["late"] = str(late)
        found["errors"] = browser.errors() + (browser.run("return window.caught") or [])
        found["videos"] = dict(browser.run(VIDEOS))
    finally:
        browser.end()
    print(json.dumps(found))
    sys.exit(1 if "late" in found else 0)


main()
