#!/usr/bin/env python3
"""Draws masks in the editor of the page of `recorder web`, as a user would, in a headless browser, and prints what was seen as one JSON
object.

usage: page_masks.py chromium|firefox ADDRESS NAME [--screenshots DIRECTORY]

Opens the editor from the large view of the recorder NAME; draws a rectangle by mouse and drags one of its corners, a triangle by
keyboard, and a quadrangle by touch. Selects corners of the rectangle by keyboard, moves one and removes it; drags a corner of the
quadrangle by touch, and removes another after a click on it.

Keys: drawn (of each step the texts for the configuration: file, options), styles (the same for a color and for blocks, by the text that
was entered), copied (what is selected after "Copy"), removed (the text for the command line after the second mask was selected by Tab
and removed), cancelled (the same after a mask was begun and cancelled), said (what a screen reader was given after each step),
focus (role, aria-pressed and name of what had the focus while a corner was selected), roles (of every mask), nameless,
wide, foreign, errors (as page.py). Exits 1 when something that was waited for did not come.
"""
import argparse, json, sys, time

from browsers import CATCH, FOREIGN, NAMELESS, WIDE, Late, browser as started, wait
from page_steps import looks

LEFT, UP, RIGHT, DOWN, TAB, ENTER, BACKSPACE, DELETE, ESCAPE = (chr(0xE000 + key) for key in (0x12, 0x13, 0x14, 0x15, 4, 7, 3, 0x17, 0xC))
SHIFT = chr(0xE008)
FRAME = """const frame = document.querySelector('.mask-frame'); if (!frame) return null;
    scrollTo(0, 0); const r = frame.getBoundingClientRect(); return r.height > 50 && [r.left, r.top, r.width, r.height]"""
TEXTS = "return Object.fromEntries(['file', 'options'].map((name, index) => [name, document.querySelectorAll('mask-editor textarea')[index].value]))"
SAID = "return document.querySelector('mask-editor [role=status]').textContent"
FOCUS = "const e = document.activeElement; return ['role', 'aria-pressed', 'aria-label'].map(name => e.getAttribute(name))"
CORNERS = {"mouse": [(20, 20), (60, 20), (60, 70), (20, 70)], "touch": [(75, 10), (95, 10), (90, 40), (75, 30)]}


def place(browser, corner):
    """Where on the screen a corner is, in percent of the frame."""
    left, top, width, height = wait("there is no still", 60, lambda: browser.run(FRAME))
    return round(left + width * corner[0] / 100), round(top + height * corner[1] / 100)


def click(browser, corner):
    browser.press(*place(browser, corner))
    browser.release()


def set_style(browser, kind, selector, value):
    browser.run(f"""const kind = document.querySelector('mask-editor select'), input = document.querySelector('mask-editor {selector}');
        kind.value = '{kind}'; input.value = '{value}'; input.dispatchEvent(new Event('input', {{bubbles: true}}))""")
    return browser.run(TEXTS)


def copied(browser):
    """Presses "Copy"; a script's click would not be a user's."""
    x, y = browser.run("""const button = document.querySelector('[data-action=copy-options]'); button.scrollIntoView({block: 'center'});
        const r = button.getBoundingClientRect(); return [Math.round(r.left + r.width / 2), Math.round(r.top + r.height / 2)]""")
    browser.press(x, y)
    browser.release()
    wait("nothing was copied", 60, lambda: browser.run("return [...document.querySelectorAll('.message')].some(m => m.textContent.startsWith('Copied'))"))
    return browser.run("const area = document.activeElement; return area.value.slice(area.selectionStart, area.selectionEnd)")


def drawn(browser, found):
    texts, said = found.setdefault("drawn", {}), found.setdefault("said", {})

    def step(name):
        texts[name], said[name] = browser.run(TEXTS), browser.run(SAID)

    for corner in CORNERS["mouse"]: click(browser, corner)
    said["corners"] = browser.run(SAID)
    click(browser, CORNERS["mouse"][0])
    step("mouse")
    browser.press(*place(browser, (60, 70)))
    browser.move(*place(browser, (62, 72)))
    browser.move(*place(browser, (65, 80)))
    browser.release()
    step("drag")
    browser.run("document.querySelector('.mask-frame svg').focus()")
    # From wherever the crosshair is to the upper left corner of the frame.
    browser.type(LEFT * 100 + UP * 100 + " " + RIGHT * 40 + " " + BACKSPACE + LEFT * 10 + " " + DOWN * 40 + ENTER + ENTER)
    step("keyboard")
    for corner in CORNERS["touch"]: browser.tap(*place(browser, corner))
    browser.tap(*place(browser, CORNERS["touch"][0]))
    step("touch")
    browser.run("document.querySelector('.mask-frame svg').focus()")
    browser.type(TAB + ENTER + ENTER + RIGHT * 2)
    browser.type_with(SHIFT, DOWN)
    step("corner")
    found["focus"] = browser.run(FOCUS)
    found["roles"] = browser.run("return [...document.querySelectorAll('.mask-frame polygon')].map(p => p.getAttribute('role'))")
    browser.type(DELETE)
    step("cornerRemoved")
    # Three corners are the fewest.
    browser.type(DELETE)
    step("refused")
    browser.type_with(SHIFT, ENTER)
    said["before"] = browser.run(SAID)
    browser.type(ESCAPE)
    said["letGo"] = browser.run(SAID)
    browser.swipe(place(browser, CORNERS["touch"][0]), place(browser, (78, 15)))
    step("swipe")
    click(browser, CORNERS["touch"][3])
    said["clicked"] = browser.run(SAID)
    browser.run("document.querySelector('[data-action=remove-mask]').click()")
    step("remove")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("browser", choices=["chromium", "firefox"])
    parser.add_argument("address")
    parser.add_argument("name")
    parser.add_argument("--screenshots")
    wanted = parser.parse_args()
    browser, found = started(wanted.browser), {}
    try:
        browser.go(wanted.address)
        browser.run(CATCH)
        browser.run(f"location.hash = '#/recorder/' + encodeURIComponent({json.dumps(wanted.name)})")
        link = "document.querySelector('recorder-view [data-action=masks]')"
        wait("there is no editor", 60, lambda: browser.run(f"return Boolean({link})"))
        browser.run(f"{link}.click()")
        drawn(browser, found)
        found["styles"] = {"#8090a0": set_style(browser, "color", "[type=color]", "#8090a0"), "33": set_style(browser, "pixelate", "[type=number]", "33")}
        if wanted.screenshots: looks(browser, wanted.screenshots, wanted.browser, "masks")
        found["copied"] = copied(browser)
        browser.run("document.querySelector('.mask-frame svg').focus()")
        browser.type(TAB + TAB + DELETE)
        found["removed"] = browser.run(TEXTS)["options"]
        browser.type(" " + RIGHT + " " + ESCAPE)
        found["cancelled"], found["said"]["cancelled"] = browser.run(TEXTS)["options"], browser.run(SAID)
        found["nameless"] = browser.run(NAMELESS)
        browser.size(500, 900)
        time.sleep(0.5)
        found["wide"] = browser.run(WIDE)
        found["foreign"] = browser.run(FOREIGN)
        found["errors"] = browser.errors() + browser.run("return window.caught")
    except Late as late:
        found["late"], found["errors"] = str(late), browser.errors() + (browser.run("return window.caught") or [])
    finally:
        browser.end()
    print(json.dumps(found))
    sys.exit(1 if "late" in found else 0)


main()
