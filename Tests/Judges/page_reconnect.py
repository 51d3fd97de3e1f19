#!/usr/bin/env python3
"""Watches recorders on the page of `recorder web` in a headless browser while programs are killed, and prints what was seen as one
JSON object.

usage: page_reconnect.py chromium|firefox ADDRESS NAME --user USER --password WORD --server PID --recorder PID --gone FILE --away FILE

Kills the server and then the recorder NAME, with SIGKILL; the caller starts each again, the server at the same address when
the file of --gone is there, the recorder when that of --away is there: each is made when the page has said that it is away.

Keys: server and recorder (said: the words beside the video while it was away; seconds: from the kill until videos moved
again), isLoggedIn (after the server came back), timeline (whether the time line shows what was recorded before and after), errors
(of scripts). Exits 1 when something that was waited for did not come.
"""
import argparse, json, os, signal, sys, time

from browsers import CATCH, Late, browser as started, wait
from page_steps import log_in, playing

WORDS = """const card = document.querySelector('recorder-card');
    return [card?.dataset.state, card?.querySelector('.live-words').textContent ?? '']"""


def killed(browser, name, process, isAway, file):
    os.kill(process, signal.SIGKILL)
    began = time.monotonic()
    said = wait("nothing is said", 60, lambda: isAway(*browser.run(WORDS)) and browser.run(WORDS))
    open(file, "w").close()
    playing(browser, [name])
    return {"said": said[0] if said[0] in ("died", "notRunning", "unreachable") else said[1], "seconds": time.monotonic() - began}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("browser", choices=["chromium", "firefox"])
    parser.add_argument("address")
    parser.add_argument("name")
    parser.add_argument("--user", required=True)
    parser.add_argument("--password", required=True)
    parser.add_argument("--server", type=int, required=True)
    parser.add_argument("--recorder", type=int, required=True)
    parser.add_argument("--gone", required=True)
    parser.add_argument("--away", required=True)
    wanted = parser.parse_args()
    browser, found = started(wanted.browser), {}
    try:
        browser.go(wanted.address)
        browser.run(CATCH)
        log_in(browser, wanted.user, wanted.password)
        playing(browser, [wanted.name])
        found["server"] = killed(browser, wanted.name, wanted.server, lambda state, words: words.startswith("reconnecting"), wanted.gone)
        found["isLoggedIn"] = browser.run("return Boolean(document.querySelector('[data-action=log-out]'))")
        found["recorder"] = killed(browser, wanted.name, wanted.recorder, lambda state, words: state in ("died", "notRunning", "unreachable"), wanted.away)
        browser.run("location.hash = '#timeline'")
        found["timeline"] = wait("the time line does not show it", 60, lambda: browser.run(
            f"return document.querySelector('line-track')?.data?.row({json.dumps(wanted.name)}).spans.length >= 2"))
        found["errors"] = browser.run("return window.caught")
    except Late as late:
        found["late"], found["errors"] = str(late), browser.run("return window.caught")
        found["words"] = browser.run(WORDS)
    finally:
        browser.end()
    print(json.dumps(found))
    sys.exit(1 if "late" in found else 0)


main()
