# SPDX-License-Identifier: GPL-2.0-only
"""
A browser without a screen: Chromium, controlled by its own protocol through two pipes. Clicks and
keys take the same path as a user's.
"""
import base64
import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 60  # seconds


class Broken(Exception):
    pass


KEYS = {"Enter": 13, "Escape": 27, "Tab": 9, "Home": 36, "End": 35, "PageUp": 33, "PageDown": 34,
        "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, " ": 32}


class Browser:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="proclife-html-")
        self.number = 0
        self.events = []
        self.rest = b""
        self.session = None
        self.start()
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def start(self):
        program = next(filter(None, map(shutil.which, PROGRAMS)), None)
        if not program:
            raise Broken("there is no chromium; tests/scripts/setup html installs it")
        # Numbers above those that are used below.
        fds = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in os.pipe() + os.pipe()]
        self.input, self.output = fds[2], fds[1]
        log = os.open(f"{self.folder}/log", os.O_WRONLY | os.O_CREAT, 0o600)
        self.pid = os.posix_spawn(program, [
            program, "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
            "--hide-scrollbars", "--disable-dev-shm-usage", "--disable-background-networking",
            f"--user-data-dir={self.folder}/profile", "--window-size=1280,900",
            # As root, and in containers, there is no sandbox.
            "--no-sandbox", "about:blank",
        ], {**os.environ, "HOME": self.folder}, file_actions=[
            (os.POSIX_SPAWN_DUP2, fds[0], 3), (os.POSIX_SPAWN_DUP2, fds[3], 4),
            (os.POSIX_SPAWN_DUP2, log, 1), (os.POSIX_SPAWN_DUP2, log, 2),
        ], setpgroup=0)
        for fd in (fds[0], fds[3], log):
            os.close(fd)

    def close(self):
        os.killpg(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        shutil.rmtree(self.folder, ignore_errors=True)

    def read(self, patience):
        """One message, or None."""
        end = time.monotonic() + patience
        while b"\0" not in self.rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.input], [], [], left)[0]:
                return None
            more = os.read(self.input, 1 << 20)
            if not more:
                with open(f"{self.folder}/log", errors="replace") as log:
                    raise Broken("the browser has ended: " + log.read()[-1000:])
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        while True:
            answer = self.read(PATIENCE)
            if answer is None:
                raise Broken(f"{method}: no answer in {PATIENCE} s")
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Broken(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def open(self, path):
        """Loads a file, and returns how many seconds that took, until all is drawn."""
        self.events.clear()
        begin = time.monotonic()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait("document.readyState === 'complete' && (!!document.documentElement.dataset.ready || "
                  "!document.getElementById('broken')?.hidden)")
        self.value("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        return time.monotonic() - begin

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise Broken(f"{expression}: {details.get('exception', {}).get('description', details['text'])}")
        return result["result"].get("value")

    def wait(self, expression):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                if self.value(expression):
                    return
            except Broken as broken:
                if "context" not in str(broken):  # it goes when another page comes
                    raise
            time.sleep(0.01)
        raise Broken(f"in {PATIENCE} s not: {expression}")

    def settle(self):
        """Waits until everything is drawn."""
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))")

    def place(self, selector):
        """The middle of the selected element, scrolled into view."""
        where = self.value(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            if (!element) return null;
            element.scrollIntoView({{ block: 'nearest', behavior: 'instant' }});
            const box = element.getBoundingClientRect();
            return [box.x, box.y, box.width, box.height];
        }})()""")
        if not where:
            raise Broken(f"{selector}: there is none")
        return where[0] + where[2] / 2, where[1] + where[3] / 2

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, selector):
        self.click_at(*self.place(selector))

    def click_at(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)
        self.settle()

    def drag(self, x, y, to_x, to_y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        for part in range(1, 5):
            self.mouse("mouseMoved", x + (to_x - x) * part / 4, y + (to_y - y) * part / 4, button="left", buttons=1)
        self.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1)
        self.settle()

    def wheel(self, x, y, delta, ctrl=False):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=delta, modifiers=2 if ctrl else 0)
        self.settle()

    def key(self, key, shift=False):
        code = KEYS.get(key, ord(key[0].upper()))
        parameters = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else None)
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown",
                  **parameters, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **parameters)
        self.settle()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.settle()

    def choose(self, selector, value):
        self.value(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            element.value = {json.dumps(value)};
            element.dispatchEvent(new Event('input', {{ bubbles: true }}));
        }})()""")
        self.settle()

    def screenshot(self, path, full=False):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=full)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def dark(self, is_dark):
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])
        self.settle()

    def paper(self, path=None):
        """The page as PDF."""
        data = base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])
        if path:
            with open(path, "wb") as file:
                file.write(data)
        return data

    def complaints(self):
        """The browser's errors, and all that the page requested from elsewhere."""
        said = []
        self.value("1")  # reads all earlier messages
        for event in self.events:
            parameters = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                said.append(details.get("exception", {}).get("description", details["text"]))
            elif event["method"] == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                said.append(parameters["entry"]["text"])
            elif event["method"] == "Network.requestWillBeSent":
                url = parameters["request"]["url"]
                if not url.startswith("file://"):
                    said.append("it asks for " + url)
            elif event["method"] == "Page.javascriptDialogOpening":
                said.append("a dialog: " + parameters["message"])
        return said
