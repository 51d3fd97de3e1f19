#!/usr/bin/env python3
"""Watches a recorder on the page of `recorder web` whose camera delivers HEVC, in a headless browser, and prints what was seen as one
JSON object.

usage: page_codecs.py chromium|firefox ADDRESS NAME --user NAME --password WORD

The recorder NAME records, and has one finished file. Looks at its live video, and then plays the finished file from its card.

Keys: supported (whether the browser says that it plays HEVC), live and file (of each: words, the text over the video; still, the width
of the still in its place, or 0; plays, whether the video moves), streams (those that the page requests for the live video), caught
(errors of the page's scripts). Exits 1 when something that was waited for did not come.
"""
import argparse, json, sys

from browsers import CATCH, Late, browser as started, wait
from page_steps import log_in

SUPPORTED = """return Boolean(window.MediaSource) && MediaSource.isTypeSupported('video/mp4; codecs="hvc1.1.6.L93.B0"')"""
SEEN = """const player = document.querySelector('live-player');
    if (!player) return null;
    const still = player.querySelector('.still');
    return {words: player.querySelector('.video-words').textContent, still: still.hidden ? 0 : still.naturalWidth, plays: player.isMoving}"""
STREAMS = "return document.querySelector('live-player').streams"
FINISHED = """window.page = null; fetch('/api/recordings?recorder=' + encodeURIComponent({name})).then(r => r.json())
    .then(answer => {{ window.page = answer.recordings.filter(one => !one.isGrowing && one.hasPicture) }})"""
CARD = "[...document.querySelectorAll('recording-card')].find(c => c.querySelector('[download]').download === {file})"
PLAYED = """const card = {card}, video = card.querySelector('video'), still = card.querySelector('.still');
    return {{words: [...card.querySelectorAll('.video-words')].map(p => p.textContent).join(''), still: still?.naturalWidth ?? 0,
        plays: video?.currentTime > 0.2}}"""


def is_settled(sight):
    # Before its first frame, a player shows neither video nor a still, and says that it waits.
    return sight and (sight["still"] if sight["words"] else sight["plays"]) and sight


def of_the_file(browser, name):
    def finished():
        browser.run(FINISHED.format(name=json.dumps(name)))
        page = wait("there is no list", 60, lambda: browser.run("return window.page"))
        return page and page[0]["file"]
    card = CARD.format(file=json.dumps(wait("there is no finished file", 60, finished)))
    browser.run("location.hash = '#recordings'")
    wait("there is no card", 60, lambda: browser.run(f"return Boolean({card}?.querySelector('[data-action=play]'))"))
    browser.run(f"{card}.querySelector('[data-action=play]').click()")
    return wait("the file neither plays nor is there a reason", 60, lambda: is_settled(browser.run(PLAYED.format(card=card))))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("browser", choices=["chromium", "firefox"])
    parser.add_argument("address")
    parser.add_argument("name")
    parser.add_argument("--user", required=True)
    parser.add_argument("--password", required=True)
    wanted = parser.parse_args()
    browser, found = started(wanted.browser), {}
    try:
        browser.go(wanted.address)
        browser.run(CATCH)
        log_in(browser, wanted.user, wanted.password)
        found["supported"] = browser.run(SUPPORTED)
        found["live"] = wait("the video neither moves nor is there a still", 60, lambda: is_settled(browser.run(SEEN)))
        found["streams"] = browser.run(STREAMS)
        found["file"] = of_the_file(browser, wanted.name)
        found["caught"] = browser.run("return window.caught")
    except Late as late:
        found["late"] = f"{late}: {browser.run(SEEN)}"
    finally:
        browser.end()
    print(json.dumps(found))
    sys.exit(1 if "late" in found else 0)


main()
