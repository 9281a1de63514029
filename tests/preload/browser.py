"""A headless Chromium that does what a test tells it, over a pipe: no driver, no port."""

import base64
import json
import os
import shutil
import signal
import struct
import subprocess
import threading
import time
import zlib

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-domain-reliability", "--no-proxy-server",
         "--window-size=1240,1000", "--remote-debugging-pipe"]


class Browser:
    """A browser with one page. `asked` has the addresses that the page wanted from a network, `said` what it wrote to the
    console, errors and refusals by its security policy included."""

    def __init__(self, folder):
        to_browser, self.sending = os.pipe()
        receiving, from_browser = os.pipe()
        self.answers = os.fdopen(receiving, "rb")
        # The browser reads from its descriptor 3 and writes to its descriptor 4.
        command = ["/bin/sh", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "sh", PROGRAM, *FLAGS,
                   "--user-data-dir=" + os.path.join(folder, "browser")]
        with open(os.path.join(folder, "browser.log"), "wb") as log:
            self.process = subprocess.Popen(command, env=dict(os.environ, HOME=folder), stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, pass_fds=(to_browser, from_browser), start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.session, self.context, self.watch = 0, None, None, None

    def is_alive(self):
        return self.process.poll() is None

    def fresh_page(self, timeout=100):
        """Opens a page that shares nothing with the page before, and closes that one."""
        self.leave_page()
        self.asked, self.said, self.loads = [], [], 0
        # A browser that hangs is ended, and then the pipe.
        self.watch = threading.Timer(timeout, self.kill)
        self.watch.start()
        self.context = self.call("Target.createBrowserContext")["browserContextId"]
        page = self.call("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def leave_page(self):
        if self.watch:
            self.watch.cancel()
        self.session = None
        if self.context and self.is_alive():
            self.call("Target.disposeBrowserContext", browserContextId=self.context)
        self.context = None

    def kill(self):
        if self.is_alive():
            os.killpg(self.process.pid, signal.SIGKILL)

    def end(self):
        if self.watch:
            self.watch.cancel()
        self.kill()
        self.process.wait()
        self.answers.close()
        os.close(self.sending)

    def _next(self):
        message = bytearray()
        while (byte := self.answers.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("the browser has ended")
            message += byte
        message = json.loads(message)
        self._note(message.get("method"), message.get("params", {}))
        return message

    def _note(self, method, values):
        if method == "Network.requestWillBeSent":
            url = values["request"]["url"]
            if url.split(":")[0] in ("http", "https", "ws", "wss"):
                self.asked.append(url)
        elif method == "Runtime.consoleAPICalled":
            self.said.append(" ".join(str(word.get("value", word.get("description"))) for word in values["args"]))
        elif method == "Runtime.exceptionThrown":
            details = values["exceptionDetails"]
            self.said.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded":
            self.said.append(values["entry"]["text"])
        elif method == "Page.loadEventFired":
            self.loads += 1

    def call(self, method, **values):
        """One command of the Chrome DevTools Protocol."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": values}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.sending, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, path):
        before = self.loads
        self.call("Page.navigate", url="file://" + path)
        while self.loads == before:
            self._next()

    def ask(self, expression):
        """The value of an expression of JavaScript, of a promise once it is there."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait_until(self, condition, seconds=20):
        """Asks until an expression of JavaScript is true: the browser draws a page anew some time after its window changed."""
        end = time.monotonic() + seconds
        while not self.ask(condition) and time.monotonic() < end:
            time.sleep(0.02)

    def point(self, x, y, kind="mouseMoved", clicks=0):
        button = {} if kind == "mouseMoved" and not clicks else {"button": "left", "buttons": 1, "clickCount": max(1, clicks)}
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button)

    def drag(self, x1, y1, x2, y2):
        self.point(x1, y1)
        self.point(x1, y1, "mousePressed")
        for step in range(1, 6):
            self.point(x1 + (x2 - x1) * step / 5, y1 + (y2 - y1) * step / 5, clicks=1)
        self.point(x2, y2, "mouseReleased")

    def click(self, x, y, times=1):
        self.point(x, y)
        for i in range(1, times + 1):
            self.point(x, y, "mousePressed", i)
            self.point(x, y, "mouseReleased", i)

    def look(self, path=None):
        """The rows of a picture of what the window shows, a quarter as wide and high."""
        width, height = self.ask("[innerWidth, innerHeight]")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 0.25}
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png", clip=clip)["data"])
        if path:
            with open(path, "wb") as file:
                file.write(data)
        return pixels(data)

    def print(self):
        """The page as PDF."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])


def pixels(data):
    """Rows of a PNG without interlacing, 8 bits a channel, each a list of (red, green, blue)."""
    position, packed, width, height, channels = 8, b"", 0, 0, 0
    while position < len(data):
        (length,), kind = struct.unpack(">I", data[position:position + 4]), data[position + 4:position + 8]
        body = data[position + 8:position + 8 + length]
        if kind == b"IHDR":
            width, height, _, colour = struct.unpack(">IIBB", body[:10])
            channels = {2: 3, 6: 4}[colour]
        elif kind == b"IDAT":
            packed += body
        position += 12 + length
    raw, rows, above = zlib.decompress(packed), [], bytearray(width * channels)
    for y in range(height):
        start = y * (width * channels + 1)
        kind, row = raw[start], bytearray(raw[start + 1:start + 1 + width * channels])
        for x in range(len(row) if kind else 0):
            left = row[x - channels] if x >= channels else 0
            corner = above[x - channels] if x >= channels else 0
            guess = left + above[x] - corner
            paeth = min((abs(guess - left), 0, left), (abs(guess - above[x]), 1, above[x]),
                        (abs(guess - corner), 2, corner))[2]
            row[x] = (row[x] + (0, left, above[x], (left + above[x]) // 2, paeth)[kind]) & 255
        rows.append([tuple(row[i:i + 3]) for i in range(0, len(row), channels)])
        above = row
    return rows
