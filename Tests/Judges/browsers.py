"""Chromium and Firefox without a screen, for judges of a page: what they can be asked, and what is wrong with any page."""
import base64, os, socket, tempfile, time

FOREIGN = """return performance.getEntriesByType('resource').map(r => r.name).filter(n => !n.startsWith(location.origin)
    && !n.startsWith('blob:'))"""
WEIGHT = """return performance.getEntriesByType('resource').filter(r => !r.name.includes('/api/'))
    .reduce((sum, r) => sum + r.decodedBodySize, 0)"""
NAMELESS = """return [...document.querySelectorAll('button, a, input, select, [role=meter], [role=slider], progress')].filter(e =>
    !(e.textContent.trim() || e.getAttribute('aria-label') || e.title || e.labels?.[0]?.textContent.trim())).map(e => e.outerHTML)"""
WIDE = """return [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1)
    .map(e => e.tagName)"""
CATCH = """if (!window.caught) { window.caught = [];
    addEventListener('error', e => caught.push(e.message)); addEventListener('unhandledrejection', e => caught.push(String(e.reason)));
    addEventListener('securitypolicyviolation', e => caught.push('policy: ' + e.violatedDirective + ' ' + e.blockedURI)); }"""


def free_port():
    """A port that no program listened at a moment ago: Firefox's own default is one for the whole machine."""
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return some.getsockname()[1]


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
    def screenshot(self): return self.driver.get_screenshot_as_png()
    def errors(self): return [line["message"] for line in self.driver.get_log("browser") if line["level"] == "SEVERE"]
    def end(self): self.driver.quit()

    def press(self, x, y): self._act(lambda mouse: mouse.move_to_location(x, y).pointer_down())
    def move(self, x, y): self._act(lambda mouse: mouse.move_to_location(x, y))
    def release(self): self._act(lambda mouse: mouse.pointer_up())
    def tap(self, x, y): self._act(lambda finger: finger.move_to_location(x, y).pointer_down().pointer_up(), "touch")
    def swipe(self, begin, end): self._act(lambda finger: finger.move_to_location(*begin).pointer_down().move_to_location(*end).pointer_up(), "touch")

    def _act(self, does, kind="mouse"):
        from selenium.webdriver.common.actions.action_builder import ActionBuilder
        from selenium.webdriver.common.actions.pointer_input import PointerInput
        actions = ActionBuilder(self.driver, mouse=PointerInput(kind, kind))
        does(actions.pointer_action)
        actions.perform()

    def type(self, keys):
        from selenium.webdriver.common.action_chains import ActionChains
        ActionChains(self.driver).send_keys(keys).perform()

    def type_with(self, held, keys):
        from selenium.webdriver.common.action_chains import ActionChains
        ActionChains(self.driver).key_down(held).send_keys(keys).key_up(held).perform()


class Firefox:
    def __init__(self):
        from marionette_driver.marionette import ActionSequence, Marionette
        # It removes an existing file, so it must not get the null device.
        self.place = tempfile.TemporaryDirectory(prefix="firefox.")
        self.driver = Marionette(bin="/usr/bin/firefox-esr", headless=True, gecko_log=os.path.join(self.place.name, "log"),
                                 port=free_port(), prefs={"media.autoplay.default": 0})
        self.driver.start_session()
        self.actions = lambda kind, name, options=None: ActionSequence(self.driver, kind, name, options)

    def go(self, address): self.driver.navigate(address)
    def run(self, script): return self.driver.execute_script(script, sandbox=None)
    def size(self, width, height): self.driver.set_window_rect(width=width, height=height)
    def screenshot(self): return base64.b64decode(self.driver.screenshot(full=False))
    def errors(self): return []

    def end(self):
        self.driver.quit(in_app=False)
        self.place.cleanup()

    def press(self, x, y): self._mouse().pointer_move(x, y).pointer_down().perform()
    def move(self, x, y): self._mouse().pointer_move(x, y).perform()
    def release(self): self._mouse().pointer_up().perform()
    def tap(self, x, y): self.actions("pointer", "touch", {"pointerType": "touch"}).pointer_move(x, y).pointer_down().pointer_up().perform()
    def swipe(self, begin, end):
        finger = self.actions("pointer", "touch", {"pointerType": "touch"})
        finger.pointer_move(*begin).pointer_down().pointer_move(*end, duration=250).pointer_up().perform()

    def _mouse(self): return self.actions("pointer", "mouse", {"pointerType": "mouse"})
    def type(self, keys): self.actions("key", "keyboard").send_keys(keys).perform()
    def type_with(self, held, keys): self.actions("key", "keyboard").key_down(held).send_keys(keys).key_up(held).perform()


def browser(name): return (Chromium if name == "chromium" else Firefox)()


def viewport(browser, width, height):
    """Makes the page itself as large, whatever of the window is the browser's."""
    browser.size(width, height)
    for _ in range(5):
        inner = wait("the page has no size", 60, lambda: browser.run("return [innerWidth, innerHeight]"))
        if inner == [width, height]: return
        outer = browser.run("return [outerWidth, outerHeight]")
        browser.size(width + outer[0] - inner[0], height + outer[1] - inner[1])
        time.sleep(0.5)
    raise Late(f"the page is {inner}, not {width} x {height}")


class Late(Exception): pass

LOOKS = 20


def wait(what, seconds, condition):
    """What the condition gives, once it gives something; `Late` says what did not come. On a busy machine a look may take seconds, so
    there are at least LOOKS."""
    end, looks = time.monotonic() + seconds, 0
    while time.monotonic() < end or looks < LOOKS:
        found, looks = condition(), looks + 1
        if found: return found
        time.sleep(0.1)
    raise Late(what)
