#!/usr/bin/env python3
"""Finds and takes away on the page of `recorder web`, as a user would, in a headless browser, and prints what was seen as one
JSON object.

usage: page_timeline.py chromium|firefox ADDRESS FIRST SECOND --user NAME --password WORD --cut FILE [--screenshots DIRECTORY]

FIRST and SECOND are recorders that record, in files of a few seconds each. Logs in, and out, and in again; marks a moment of FIRST;
begins a new file of both; looks for the mark in the time line, scrubs there, plays both from the last seconds of a file into the
one that is being recorded, and stores the media around that border as FILE.

Keys: rules (tried, broken: of page_rules.js), rows (of each recorder, how many spans, how many of them grow, its marks, and whether
its row is drawn), still (how wide the image is that scrubbing shows, and the text that a screen reader says), played (what was
seen of both while they played: for each look the moments that they showed, seconds since 1970, and which recordings), looked (when
each look was), border (where
the file began that was played into), cut (from, to, duration and bytes as the page says), address (of a moment), scrolled (of two sizes
of a page, with more rows than there is room for: what is seen while the last row is pointed at), foreign, nameless,
wide, weight, errors (as page.py). Exits 1 when something that was waited for did not come.
"""
import argparse, base64, json, os, sys, time

from browsers import CATCH, FOREIGN, NAMELESS, WEIGHT, WIDE, Late, browser as started, viewport, wait
from page_steps import log_in, log_out, looks, mark, split, stored

# Seconds that are cut before the border of two files, and behind it.
BEFORE, BEHIND = 2, 3

ROWS = """const track = document.querySelector('line-track');
    return Object.fromEntries((track?.data?.line?.recorders ?? []).map(row => {
        const canvas = track.querySelector(`canvas[data-name="${row.name}"]`), span = row.spans.at(-1);
        const at = (Math.max(span.begin, track.scale.from) + Math.min(span.end, track.scale.to)) / 2;
        const ratio = canvas ? canvas.width / track.scale.width : 0;
        const pixel = x => [...canvas.getContext('2d').getImageData(Math.round(x * ratio), canvas.height >> 1, 1, 1).data].join();
        return [row.name, {spans: row.spans.length, growing: row.spans.filter(s => s.isGrowing).length, marks: row.marks.map(m => m.title),
            isDrawn: Boolean(canvas) && track.scale.has(at) && pixel(track.scale.place(at)) !== pixel(track.scale.place(track.data.line.now + track.scale.length * 0.02))}];
    }))"""
PLAYERS = """return [...document.querySelectorAll('recording-player')].map(p => ({name: p.name, status: p.status, moment: p.wall,
    recording: p.recording?.id ?? null, isGrowing: Boolean(p.recording?.isGrowing)}))"""


def rules(browser):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "page_rules.js")) as file: script = file.read()
    browser.run(f"window.rules = null; (async () => {{ {script} }})().then(found => window.rules = found, error => window.rules = {{tried: 0, broken: [String(error)]}})")
    return wait("the rules were not tried", 60, lambda: browser.run("return window.rules"))


def rows(browser, names):
    browser.run("location.hash = '#timeline'")
    def seen():
        found = browser.run(ROWS)
        return all(name in found and found[name]["spans"] >= 4 and found[name]["growing"] and found[name]["isDrawn"] for name in names) and "Seen" in found[names[0]]["marks"] and found
    return wait("the time line does not show them", 240, seen)


def scrubbed(browser):
    """Drags the cursor along the axis of all that was recorded."""
    browser.run("document.querySelector('[data-action=all]').click()")
    x, y, width = browser.run("const r = document.querySelector('line-track .axis').getBoundingClientRect(); return [r.left, r.top + r.height / 2, r.width]")
    still = "const i = document.querySelector('recording-player .still'); return !i.hidden && i.complete && i.naturalWidth"
    # Within the files that are finished: the last one grows meanwhile.
    browser.press(int(x + width * 0.2), int(y))
    browser.move(int(x + width * 0.25), int(y))
    browser.move(int(x + width * 0.3), int(y))
    wide = wait("scrubbing shows no still", 60, lambda: browser.run(still))
    browser.release()
    wait("what was scrubbed to does not come", 60, lambda: all(player["status"] == "ready" for player in browser.run(PLAYERS)))
    return {"width": wide, "spoken": browser.run("return document.querySelector('line-track').getAttribute('aria-valuetext')")}


def opened(browser, names):
    """Opens an address of the time line at the moment at which the page stores its own, before the browser has reported the change."""
    address = browser.run(f"""const own = window.setTimeout, line = document.querySelector('line-track');
        let store = null;
        window.setTimeout = (body, time, ...rest) => {{ if (time === 300) store = body; return own(body, time, ...rest); }};
        line.dispatchEvent(new CustomEvent('go', {{detail: line.data.line.first + 1}}));
        window.setTimeout = own;
        if (!store) return "nothing was to be stored";
        location.hash = '#timeline?at=' + (line.data.line.first + 2) + '&recorders={names[1]}';
        store();
        return location.hash""")
    if f"recorders={names[1]}" not in address: raise Late(f"the page replaced the address that was opened: {address}")
    wait("what was opened does not come", 60, lambda: [player["name"] for player in browser.run(PLAYERS)] == [names[1]])


def played(browser, names):
    """From two seconds before the file that is being recorded into it."""
    begin = """return fetch('/api/recordings?limit=1&recorder=' + arguments_).then(r => r.json()).then(p => { window.newest = p.recordings[0] })"""
    def border():
        browser.run("window.newest = null; " + begin.replace("arguments_", json.dumps(names[0])).replace("return ", "", 1))
        newest = wait("there is no recording", 60, lambda: browser.run("return window.newest"))
        # Old enough that there is something to play; it grows as long as the browser is here.
        return newest["isGrowing"] and newest["end"] - newest["begin"] > 1 and newest["begin"]
    at = wait("no file begins", 60, border)
    browser.run(f"location.hash = '#timeline?at={at - BEFORE}&recorders=' + {json.dumps(','.join(names))}")
    def ready():
        found = browser.run(PLAYERS)
        return [player["name"] for player in found] == names and all(player["status"] == "ready" for player in found)
    wait("both do not come", 60, ready)
    browser.run("document.querySelector('[data-action=play]').click()")
    looks, times = [], []
    def beyond():
        """Into the file that is being recorded, however slowly this machine plays."""
        looks.append(browser.run(PLAYERS))
        times.append(time.monotonic())
        time.sleep(0.1)
        return len(looks) > 12 and all((player["moment"] or 0) > at + 1.5 for player in looks[-1])
    wait("it is not played into what is being recorded", 60, beyond)
    browser.run("document.querySelector('[data-action=play]').click()")
    return at, looks, times


def cut(browser, border, path):
    """By the keyboard: goes there, sets A and B, and cuts; then has the file, as a browser would store it."""
    browser.run(f"location.hash = '#timeline?at={border - BEFORE}&recorders=' + document.querySelector('recording-player').name")
    wait("it does not come", 60, lambda: [player["status"] for player in browser.run(PLAYERS)] == ["ready"])
    browser.run("document.querySelector('line-track').focus()")
    browser.type("a")
    for _ in range(BEFORE + BEHIND): browser.type("\ue014")
    browser.type("b")
    ends = browser.run("const p = document.querySelector('cut-panel'); return [p.a, p.b]")
    # What is recorded this moment can be cut when it is there.
    wait("it is not recorded", 60, lambda: browser.run(f"return document.querySelector('line-track').data.line.last > {ends[1] + 1}"))
    browser.type("c")
    state = "return document.querySelector('.jobs li')?.dataset.state"
    wait("it is not cut", 60, lambda: browser.run(state) in ("done", "failed"))
    if browser.run(state) == "failed": raise Late("the cut failed: " + browser.run("return document.querySelector('.job-words').textContent"))
    browser.run("""window.taken = null; fetch(document.querySelector('.jobs a').href).then(r => r.blob()).then(b => {
        const reader = new FileReader(); reader.onload = () => { window.taken = reader.result.split(',')[1] }; reader.readAsDataURL(b) })""")
    taken = base64.b64decode(wait("it cannot be downloaded", 60, lambda: browser.run("return window.taken")))
    with open(path, "wb") as file: file.write(taken)
    return {"from": ends[0], "to": ends[1], "bytes": len(taken), "said": browser.run("return document.querySelector('.job-state').textContent")}


def rows_more(browser, count):
    """Adds this many rows to those of the recorders, for as long as this is the line; 0: none any more."""
    browser.run(f"""const track = document.querySelector('line-track'), more = Array.from({{length: {count}}}, (_, n) => 'z-more-' + n);
        const own = [...track.querySelectorAll('.time-row')].map(row => row.dataset.name).filter(name => !name.startsWith('z-more-'));
        delete track.names;
        const set = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(track), 'names').set;
        if (more.length) Object.defineProperty(track, 'names', {{configurable: true, set: names => set.call(track, [...names, ...more])}});
        track.names = own;""")


def scrolled(browser, directory, kind):
    """The last of many rows is scrolled to, and pointed at: what is seen then."""
    rows_more(browser, 16)
    found = {}
    for width, height in (1440, 857), (500, 900):
        viewport(browser, width, height)
        browser.run("scrollTo(0, 0)")
        x, y = wait("there is no last row", 60, lambda: browser.run("""const row = [...document.querySelectorAll('.time-row')].at(-1);
            row.scrollIntoView({block: 'end'}); const r = row.getBoundingClientRect();
            return scrollY > 300 && [Math.round(r.left + r.width / 3), Math.round(r.top + r.height * 0.8)]"""))
        browser.move(x, y - 1)
        browser.move(x, y)
        wait("pointing shows no time", 60, lambda: browser.run("return !document.querySelector('.bubble').hidden"))
        found[f"{width}x{height}"] = browser.run("""const row = [...document.querySelectorAll('.time-row')].at(-1), r = row.getBoundingClientRect();
            const inside = e => { const r = e.getBoundingClientRect(); const over = document.elementFromPoint(r.left + r.width / 2, r.top + 2);
                return r.height > 0 && r.top >= 0 && r.bottom <= innerHeight + 1 && (e.contains(over) || e.classList.contains('bubble')); };
            const seen = Object.fromEntries(['recording-player .place', 'transport-bar', '.bubble'].map(s => [s, inside(document.querySelector(s))]));
            seen.row = inside(row);
            seen.apart = document.querySelector('transport-bar').getBoundingClientRect().bottom <= r.top;
            return seen""")
        if directory:
            with open(os.path.join(directory, f"{kind}-rows-{width}x{height}.png"), "wb") as file: file.write(browser.screenshot())
    rows_more(browser, 0)
    browser.size(1280, 900)
    browser.run("scrollTo(0, 0)")
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("browser", choices=["chromium", "firefox"])
    parser.add_argument("address")
    parser.add_argument("names", nargs=2)
    parser.add_argument("--user", required=True)
    parser.add_argument("--password", required=True)
    parser.add_argument("--cut", required=True)
    parser.add_argument("--screenshots")
    wanted = parser.parse_args()
    browser, found = started(wanted.browser), {}
    try:
        browser.go(wanted.address)
        browser.run(CATCH)
        log_in(browser, wanted.user, wanted.password)
        log_out(browser)
        log_in(browser, wanted.user, wanted.password)
        mark(browser, wanted.names[0])
        # The time line has the marks of a file when that is finished. The mark must be in the file that the split ends.
        stored(browser, wanted.names[0])
        for name in wanted.names: split(browser, name)
        found["rows"] = rows(browser, wanted.names)
        # The rules' own imports may be fetched once more.
        found["weight"] = browser.run(WEIGHT)
        found["rules"] = rules(browser)
        found["still"] = scrubbed(browser)
        opened(browser, wanted.names)
        found["border"], found["played"], found["looked"] = played(browser, wanted.names)
        found["nameless"] = browser.run(NAMELESS)
        if wanted.screenshots: looks(browser, wanted.screenshots, wanted.browser, "timeline")
        found["scrolled"] = scrolled(browser, wanted.screenshots, wanted.browser)
        browser.size(500, 900)
        time.sleep(0.5)
        found["wide"] = browser.run(WIDE)
        browser.size(1280, 900)
        found["cut"] = cut(browser, found["border"], wanted.cut)
        if wanted.screenshots: looks(browser, wanted.screenshots, wanted.browser, "cut")
        found["nameless"] += browser.run(NAMELESS)
        found["address"] = wait("the address is not that of the moment", 60, lambda: "at=" in browser.run("return location.hash") and browser.run("return location.hash"))
        found["foreign"] = browser.run(FOREIGN)
        # A file that just gets its final name cannot be had for a moment, and is asked for again.
        found["errors"] = [error for error in browser.errors() if "/file?inline=yes" not in error or "404" not in error] + browser.run("return window.caught")
    except Late as late:
        found["late"] = str(late)
        found["errors"] = browser.errors() + (browser.run("return window.caught") or [])
        found["players"] = browser.run(PLAYERS)
        found["shown"] = browser.run(ROWS)
    finally:
        browser.end()
    print(json.dumps(found))
    sys.exit(1 if "late" in found else 0)


main()
