#!/usr/bin/env python3
"""Keeps recordings on the page of `recorder web`, as users would, in two headless browsers, and prints what was seen as one JSON object.

usage: page_keep.py chromium|firefox ADDRESS NAME --directory DIRECTORY --user NAME --viewer NAME --password WORD

The recorder NAME records into DIRECTORY, and has one finished file. The user is an operator, the viewer is not; each has a browser. The
operator keeps the finished file with the button on its card and lets it go again while it plays, keeps the file that is being recorded
with the key k and with the button of the large view, and keeps the finished file with K on the timeline and lets it go again.

Keys: finished, growing (the names of the two files), kept (of each step the names of the files that are kept, by the files on the disk),
words (of each step the text of the button), focused (whether the button of the card had the focus after it was clicked), plays (whether
the card's video was still there after its button was clicked), seen (of each step what the viewer's page shows: the names of the files
that are kept), repeated (the files that are kept after K was held down), viewer (the number of keep buttons that the viewer has, and
the status of the viewer's request to keep), errors (as page.py, of the operator's page). Exits 1 when something that was waited for
did not come.
"""
import argparse, json, os, sys, time

from browsers import CATCH, Late, browser as started, wait
from page_steps import log_in

LIST = "window.page = null; fetch('/api/recordings?recorder=' + {name}).then(r => r.json()).then(p => {{ window.page = p.recordings }})"
CARDS = """return [...document.querySelectorAll('recording-card')].filter(c => c.querySelector('.kept')?.checkVisibility())
    .map(c => c.querySelector('[download]').download)"""
PLAYER = "document.querySelector('recording-player')"


def kept(directory):
    """The names of the files with a sidecar, which is that of the finished file."""
    return sorted(name.removesuffix(".keep") for _, _, files in os.walk(directory) for name in files if name.endswith(".keep"))


def final(name): return name.replace(".recording.", ".")


class Steps:
    def __init__(self, operator, viewer, wanted):
        self.operator, self.viewer, self.wanted = operator, viewer, wanted
        self.found = {"kept": {}, "words": {}, "seen": {}}

    def disk(self, step, names):
        wait(f"{step}: not {names} are kept, but {kept(self.wanted.directory)}", 60, lambda: kept(self.wanted.directory) == sorted(names))
        self.found["kept"][step] = kept(self.wanted.directory)

    def word(self, step, button, text):
        """The text of a button, once it is this."""
        self.found["words"][step] = wait(f"{step}: the button does not become {text}", 60, lambda: self.operator.run(
            f"const text = {button}?.textContent; return text === {json.dumps(text)} && text"))

    def sight(self, step, script, names):
        def seen():
            shown = sorted(final(name) for name in self.viewer.run(script))
            return shown == sorted(names) and [shown]
        self.found["seen"][step] = wait(f"{step}: the viewer sees {self.viewer.run(script)}", 60, seen)[0]

    def card(self, file):
        """What finds the card of a file."""
        return f"[...document.querySelectorAll('recording-card')].find(c => c.querySelector('[download]').download === {json.dumps(file)})"

    def run(self):
        name, operator, viewer, found = json.dumps(self.wanted.name), self.operator, self.viewer, self.found
        def both():
            operator.run(LIST.format(name=name))
            page = wait("there is no list", 60, lambda: operator.run("return window.page"))
            return len(page) == 2 and page[0]["isGrowing"] and not page[1]["isGrowing"] and page[1]["hasPicture"] and page
        growing, finished = wait("there are not two recordings", 60, both)
        found["growing"], found["finished"] = final(growing["file"]), finished["file"]
        for browser in operator, viewer: browser.run("location.hash = '#recordings'")
        self.on_the_card(finished["file"])
        self.in_the_large_view(final(growing["file"]))
        self.on_the_timeline(finished, [final(growing["file"])])
        self.as_a_viewer(finished)

    def on_the_card(self, file):
        card = self.card(file)
        keep = f"{card}?.querySelector('[data-action=keep]')"
        wait("there is no card", 60, lambda: self.operator.run(f"return Boolean({keep})"))
        self.operator.run(f"{keep}.focus(); {keep}.click()")
        self.disk("card", [file])
        self.word("card", keep, "Stop keeping")
        self.found["focused"] = self.operator.run(f"return document.activeElement === {keep}")
        self.sight("card", CARDS, [file])
        self.operator.run(f"{card}.querySelector('[data-action=play]').click()")
        video = f"{card}.querySelector('video')"
        wait("it does not play", 60, lambda: self.operator.run(f"return {video}?.currentTime > 0.2"))
        self.operator.run(f"{keep}.click()")
        self.disk("playing", [])
        self.word("playing", keep, "Keep")
        self.found["plays"] = self.operator.run(f"return Boolean({video})")
        self.sight("playing", CARDS, [])

    def in_the_large_view(self, file):
        self.operator.run(f"location.hash = '#/recorder/' + encodeURIComponent({json.dumps(self.wanted.name)})")
        button = "document.querySelector('recorder-view [data-action=keep]')"
        wait("there is no button", 60, lambda: self.operator.run(f"return {button}?.checkVisibility()"))
        self.operator.type("k")
        self.disk("key", [file])
        self.sight("key", CARDS, [file])
        self.operator.run(f"window.before = document.querySelectorAll('.message').length; {button}.click()")
        wait("the button says nothing", 60, lambda: self.operator.run("return document.querySelectorAll('.message').length > window.before"))
        self.disk("button", [file])

    def on_the_timeline(self, finished, others):
        place = f"#timeline?at={(finished['begin'] + finished['end']) / 2}&recorders={self.wanted.name}"
        held = f"{PLAYER}?.held?.id === {json.dumps(finished['id'])}"
        for browser in self.operator, self.viewer:
            browser.run(f"location.hash = {json.dumps(place)}")
            wait("the recording is not at its time", 60, lambda: browser.run(f"return {held}"))
        keep = f"{PLAYER}?.querySelector('[data-action=keep]')"
        shown = f"const held = {PLAYER}?.held; return held?.isKept ? [held.file] : []"
        self.operator.type("K")
        self.disk("timeline", [finished["file"]] + others)
        self.word("timeline", keep, "Stop keeping")
        self.sight("timeline", shown, [finished["file"]])
        self.operator.run("for (let n = 0; n < 3; n++) document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'K', repeat: true, bubbles: true}))")
        time.sleep(1)
        self.found["repeated"] = kept(self.wanted.directory)
        self.operator.type("K")
        self.disk("released", others)
        self.word("released", keep, "Keep")
        self.sight("released", shown, [])

    def as_a_viewer(self, finished):
        buttons = "return [...document.querySelectorAll('[data-action=keep]')].filter(b => b.checkVisibility()).length"
        count = self.viewer.run(buttons)
        self.viewer.type("K")
        for place, element in ("#recordings", "recording-card"), (f"#/recorder/{self.wanted.name}", "recorder-view live-player"):
            self.viewer.run(f"location.hash = {json.dumps(place)}")
            wait(f"there is no {element}", 60, lambda: self.viewer.run(f"return Boolean(document.querySelector('{element}'))"))
            count += self.viewer.run(buttons)
        self.viewer.type("k")
        self.viewer.run(f"""window.refused = null; fetch('/api/recordings/' + encodeURIComponent({json.dumps(finished["id"])}) + '/keep', {{
            method: 'POST', headers: {{'Content-Type': 'application/json'}}, body: JSON.stringify({{file: {json.dumps(finished["file"])}}})
        }}).then(answer => {{ window.refused = answer.status }})""")
        status = wait("the request is not answered", 60, lambda: self.viewer.run("return window.refused"))
        self.found["viewer"] = {"buttons": count, "status": status}
        self.disk("viewer", [self.found["growing"]])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("browser", choices=["chromium", "firefox"])
    parser.add_argument("address")
    parser.add_argument("name")
    parser.add_argument("--directory", required=True)
    parser.add_argument("--user", required=True)
    parser.add_argument("--viewer", required=True)
    parser.add_argument("--password", required=True)
    wanted = parser.parse_args()
    operator = started(wanted.browser)
    try: viewer = started(wanted.browser)
    except BaseException:
        operator.end()
        raise
    steps = Steps(operator, viewer, wanted)
    found = steps.found
    try:
        for browser, user in (operator, wanted.user), (viewer, wanted.viewer):
            browser.go(wanted.address)
            browser.run(CATCH)
            log_in(browser, user, wanted.password)
        steps.run()
        found["errors"] = operator.errors() + operator.run("return window.caught")
    except Late as late:
        found["late"], found["errors"] = str(late), operator.errors() + (operator.run("return window.caught") or [])
    finally:
        operator.end()
        viewer.end()
    print(json.dumps(found))
    sys.exit(1 if "late" in found else 0)


main()
