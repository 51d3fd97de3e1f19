"""What a user does on the page of `recorder web`, step by step, in a browser of `browsers`."""
import json, os, time

from browsers import wait

VIDEOS = """return [...document.querySelectorAll('live-player')].map(p => [p.getAttribute('name'), {
    width: p.video.videoWidth, height: p.video.videoHeight, at: p.video.currentTime, muted: p.video.muted,
    time: performance.now() / 1000, delay: p.delay, moves: p.isMoving}])"""


def log_in(browser, name, password):
    wait("the page does not ask for a name", 60, lambda: browser.run("return Boolean(document.querySelector('login-view form'))"))
    browser.run(f"""const [user, password] = document.querySelectorAll('login-view input');
        user.value = {json.dumps(name)}; password.value = {json.dumps(password)}; password.form.requestSubmit()""")
    wait("no user is logged in", 60, lambda: browser.run("return Boolean(document.querySelector('[data-action=log-out]'))"))


def log_out(browser):
    browser.run("document.querySelector('[data-action=log-out]').click()")
    wait("the user is not logged out", 60, lambda: browser.run("return Boolean(document.querySelector('login-view form'))"))


def playing(browser, names):
    """Once each moves and knows its delay: how far each advances within three seconds."""
    def seen():
        videos = dict(browser.run(VIDEOS))
        if all(name in videos and videos[name]["moves"] and videos[name]["delay"] is not None for name in names): return videos
    wait("the videos do not move", 60, seen)
    # It needs a moment to find its place behind the newest frame; where the machine is busy it may have to do so again.
    for _ in range(4):
        time.sleep(3)
        before = seen() or wait("the videos stopped", 60, seen)
        time.sleep(3)
        after = dict(browser.run(VIDEOS))
        def passed(name, key): return after[name][key] - before[name][key]
        # By the page's own clock: its answers may come late.
        found = {name: {**after[name], "advanced": passed(name, "at"), "took": passed(name, "time")} for name in names}
        if all(0.9 < video["advanced"] / video["took"] < 1.1 for video in found.values()): break
    return found


def mark(browser, name):
    card = f"recorder-card[data-name={json.dumps(name)}]"
    wait("it cannot be marked", 60, lambda: browser.run(f"return Boolean(document.querySelector('{card} [data-action=mark]'))"))
    browser.run(f"document.querySelector('{card} [data-action=mark]').click()")
    wait("nothing was asked", 60, lambda: browser.run("return Boolean(document.querySelector('dialog[open] input'))"))
    browser.run("const i = document.querySelector('dialog[open] input'); i.value = 'Seen'; i.form.requestSubmit()")
    return wait("nothing was said", 60, lambda: browser.run("return document.querySelector('.message')?.firstChild.textContent"))


def video(browser, name):
    """The account of a recorder's frames."""
    browser.run("window.asked = null; fetch('/api/recorders').then(r => r.json()).then(p => { window.asked = p.recorders })")
    recorders = wait("there is no status", 60, lambda: browser.run("return window.asked"))
    return next(recorder["status"]["video"] for recorder in recorders if recorder["name"] == name)


def stored(browser, name):
    """Waits until every frame that was captured before now is in the file. A file ends before the next keyframe that leaves the encoder,
    and that frame may have been captured before the file's end was asked for."""
    captured = video(browser, name)["captured"]
    def seen():
        account = video(browser, name)
        return account["written"] + sum(account["dropped"].values()) >= captured
    wait("the frames are not stored", 60, seen)


def split(browser, name):
    """Begins a new file; nothing is asked."""
    press = f"""const b = document.querySelector('recorder-card[data-name={json.dumps(name)}] [data-action=split]');
        if (!b || b.disabled) return false; b.click(); return true"""
    wait("it cannot be split", 60, lambda: browser.run(press))


def looks(browser, directory, kind, view):
    for theme in "light", "dark":
        for shape, (width, height) in {"wide": (1280, 900), "phone": (500, 900)}.items():
            browser.size(width, height)
            browser.run(f"document.documentElement.dataset.theme = '{theme}'")
            time.sleep(1)
            with open(os.path.join(directory, f"{kind}-{view}-{shape}-{theme}.png"), "wb") as file: file.write(browser.screenshot())
    browser.size(1280, 900)
