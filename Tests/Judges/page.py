#!/usr/bin/env python3
"""Uses the page of `recorder web` as somebody would, in a headless browser, and prints what was seen as one JSON object.

usage: page.py chromium|firefox ADDRESS NAME… [--mark NAME] [--pictures DIRECTORY]

Keys: pictures (for each recorder NAME: width, height, advanced: seconds by which its picture went on, took: seconds that
this lasted, delay: seconds from the camera to the screen, as the page shows it), large (the same of the first NAME, by
itself and with sound, and muted), said (what the page said after a mark was set), recording (of the
first NAME, as it is in the list: the width of its still, and how far it played), foreign (what was fetched from elsewhere),
nameless (what can be pressed and has no name for a screen reader), wide (what is wider than a phone's screen), weight (bytes
of what the page is made of), errors (of the console and of scripts). With DIRECTORY, what it looks like: wide and as on a phone, light and dark.
Exits 1 when something that was waited for did not come.
"""
import argparse, base64, json, os, sys, tempfile, time

PICTURES = """return [...document.querySelectorAll('live-picture')].map(p => [p.getAttribute('name'), {
    width: p.video.videoWidth, height: p.video.videoHeight, at: p.video.currentTime, muted: p.video.muted,
    delay: p.delay, moves: p.isMoving}])"""
FOREIGN = """return performance.getEntriesByType('resource').map(r => r.name).filter(n => !n.startsWith(location.origin)
    && !n.startsWith('blob:'))"""
WEIGHT = """return performance.getEntriesByType('resource').filter(r => !r.name.includes('/api/'))
    .reduce((sum, r) => sum + r.decodedBodySize, 0)"""
NAMELESS = """return [...document.querySelectorAll('button, a, input, select, [role=meter]')].filter(e =>
    !(e.textContent.trim() || e.getAttribute('aria-label') || e.title || e.labels?.[0]?.textContent.trim())).map(e => e.outerHTML)"""
WIDE = """return [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1)
    .map(e => e.tagName)"""
CATCH = """if (!window.caught) { window.caught = [];
    addEventListener('error', e => caught.push(e.message)); addEventListener('unhandledrejection', e => caught.push(String(e.reason)));
    addEventListener('securitypolicyviolation', e => caught.push('policy: ' + e.violatedDirective + ' ' + e.blockedURI)); }"""


class Chromium:
    def __init__(self):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
        options = webdriver.ChromeOptions()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,900",
                     "--disable-dev-shm-usage", "--autoplay-policy=no-user-gesture-required"): options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)

    def go(self, address): self.driver.get(address)
    def run(self, script): return self.driver.execute_script(script)
    def size(self, width, height): self.driver.set_window_size(width, height)
    def picture(self): return self.driver.get_screenshot_as_png()
    def errors(self): return [line["message"] for line in self.driver.get_log("browser") if line["level"] == "SEVERE"]
    def end(self): self.driver.quit()


class Firefox:
    def __init__(self):
        from marionette_driver.marionette import Marionette
        # A file that is there it removes, so it must not be told of the null device.
        self.place = tempfile.TemporaryDirectory(prefix="firefox.")
        self.driver = Marionette(bin="/usr/bin/firefox-esr", headless=True, gecko_log=os.path.join(self.place.name, "log"),
                                 prefs={"media.autoplay.default": 0})
        self.driver.start_session()

    def go(self, address): self.driver.navigate(address)
    def run(self, script): return self.driver.execute_script(script, sandbox=None)
    def size(self, width, height): self.driver.set_window_rect(width=width, height=height)
    def picture(self): return base64.b64decode(self.driver.screenshot(full=False))
    def errors(self): return []

    def end(self):
        self.driver.quit(in_app=False)
        self.place.cleanup()


class Late(Exception): pass


def wait(what, seconds, condition):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found: return found
        time.sleep(0.1)
    raise Late(what)


def playing(browser, names):
    """Once each moves and knows its delay: by how much each goes on within three seconds."""
    def seen():
        pictures = dict(browser.run(PICTURES))
        if all(name in pictures and pictures[name]["moves"] and pictures[name]["delay"] is not None for name in names): return pictures
    wait("the pictures do not move", 60, seen)
    # It needs a moment to find its place behind the newest picture.
    time.sleep(3)
    before, began = seen() or wait("the pictures stopped", 10, seen), time.monotonic()
    time.sleep(3)
    after, took = dict(browser.run(PICTURES)), time.monotonic() - began
    return {name: {**after[name], "advanced": after[name]["at"] - before[name]["at"], "took": took} for name in names}


def mark(browser, name):
    card = f"recorder-card[data-name={json.dumps(name)}]"
    browser.run(f"document.querySelector('{card} [data-action=mark]').click()")
    wait("nothing was asked", 10, lambda: browser.run("return Boolean(document.querySelector('dialog[open] input'))"))
    browser.run("const i = document.querySelector('dialog[open] input'); i.value = 'Seen'; i.form.requestSubmit()")
    return wait("nothing was said", 20, lambda: browser.run("return document.querySelector('.message')?.firstChild.textContent"))


def played(browser, name):
    """The newest recording of one, in the list and played from there."""
    browser.run("location.hash = '#recordings'")
    card = f"[...document.querySelectorAll('recording-card')].find(c => c.querySelector('h2').textContent === {json.dumps(name)})"
    wait("the recording is not listed", 30, lambda: browser.run(f"return Boolean({card}?.querySelector('[data-action=play]'))"))
    still = f"const i = {card}?.querySelector('img'); return i && i.complete && i.naturalWidth"
    width = wait("there is no still", 30, lambda: browser.run(still))
    browser.run(f"{card}.querySelector('[data-action=play]').click()")
    place = wait("it does not play", 30, lambda: browser.run(f"const v = {card}?.querySelector('video'); return v && v.currentTime > 0.5 && v.currentTime"))
    return {"still": width, "playedTo": place}


def looks(browser, directory, kind, view):
    for theme in "light", "dark":
        for shape, (width, height) in {"wide": (1280, 900), "phone": (500, 900)}.items():
            browser.size(width, height)
            browser.run(f"document.documentElement.dataset.theme = '{theme}'")
            time.sleep(1)
            with open(os.path.join(directory, f"{kind}-{view}-{shape}-{theme}.png"), "wb") as file: file.write(browser.picture())
    browser.size(1280, 900)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("browser", choices=["chromium", "firefox"])
    parser.add_argument("address")
    parser.add_argument("names", nargs="+")
    parser.add_argument("--mark")
    parser.add_argument("--pictures")
    wanted = parser.parse_args()
    browser, found = (Chromium if wanted.browser == "chromium" else Firefox)(), {}
    try:
        browser.go(wanted.address)
        browser.run(CATCH)
        found["pictures"] = playing(browser, wanted.names)
        if wanted.mark: found["said"] = mark(browser, wanted.mark)
        if wanted.pictures: looks(browser, wanted.pictures, wanted.browser, "all")
        found["nameless"] = browser.run(NAMELESS)
        browser.size(500, 900)
        time.sleep(0.5)
        found["wide"] = browser.run(WIDE)
        browser.size(1280, 900)
        browser.run(f"location.hash = '#/recorder/' + encodeURIComponent({json.dumps(wanted.names[0])})")
        wait("it is not shown large", 10, lambda: browser.run("return Boolean(document.querySelector('recorder-view'))"))
        browser.run("document.querySelector('[data-action=sound]').click()")
        found["large"] = playing(browser, wanted.names[:1])[wanted.names[0]]
        if wanted.pictures: looks(browser, wanted.pictures, wanted.browser, "large")
        found["nameless"] += browser.run(NAMELESS)
        found["recording"] = played(browser, wanted.names[0])
        if wanted.pictures: looks(browser, wanted.pictures, wanted.browser, "recordings")
        found["nameless"] += browser.run(NAMELESS)
        found["foreign"], found["weight"] = browser.run(FOREIGN), browser.run(WEIGHT)
        found["errors"] = browser.errors() + browser.run("return window.caught")
    except Late as late:
        found["late"] = str(late)
        found["errors"] = browser.errors() + (browser.run("return window.caught") or [])
        found["pictures"] = dict(browser.run(PICTURES))
    finally:
        browser.end()
    print(json.dumps(found))
    sys.exit(1 if "late" in found else 0)


main()
