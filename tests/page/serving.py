"""A server under test: requests to it, and violations in its responses."""
import http.client
import json
import re
import signal
import socket
import subprocess
import time
import urllib.parse

from weirtest import check

DEADLINE_S = 120  # Long enough for a busy machine; only a failure takes this long.


class Server:
    def __init__(self, program, *arguments):
        self.process = subprocess.Popen([program, "serve", *arguments, "--port", "0"], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://(\[::1\]|[\d.]+):(\d+)/(\?token=(\w+))?", line)
        check("says where it is", found, line)
        self.address, self.port, self.token = found.group(1).strip("[]"), int(found.group(2)), found.group(4)

    def ask(self, path, method="GET", body=None, headers=None, **query):
        connection = http.client.HTTPConnection(self.address, self.port, timeout=DEADLINE_S)
        text = urllib.parse.urlencode(query, doseq=True)
        sent = {"X-Weir": "1"}
        sent.update(headers or {})
        connection.request(method, path + ("?" + text if text else ""), body=body, headers=sent)
        answer = connection.getresponse()
        is_json = answer.headers["Content-Type"] == "application/json"
        is_endless = answer.headers["Content-Type"] == "text/event-stream"
        content = b"" if is_endless else answer.read()
        connection.close()
        return answer.status, json.loads(content) if is_json else content.decode()

    def refuses(self, what, status, pattern, *arguments, **more):
        got = self.ask(*arguments, **more)
        check(what, got[0] == status and re.search(pattern, got[1]["error"]), got)

    def is_well(self, what):
        check(what + ": it goes on", self.ask("/api/state", headers=self.bearer())[0] == 200)

    def bearer(self):
        return {"Authorization": "Bearer " + self.token} if self.token else {}

    def wait_for(self, what, condition):
        until = time.monotonic() + DEADLINE_S
        while True:
            state = self.ask("/api/state", headers=self.bearer())[1]
            if condition(state):
                return state
            if time.monotonic() > until:
                check(what, False, "it did not come")
                return state
            time.sleep(0.05)

    def end_by(self, number):
        """Sends a signal; returns the exit code of the server, or None if it did not end, and the
        time that this took."""
        start = time.time()
        self.process.send_signal(number)
        try:
            code = self.process.wait(timeout=DEADLINE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            code = None
        self.process.stdout.close()
        self.process.stderr.close()
        return code, time.time() - start

    def end(self):
        self.process.send_signal(signal.SIGINT)
        try:
            _, said = self.process.communicate(timeout=DEADLINE_S)
            check("ends when asked to", self.process.returncode == 0, (self.process.returncode, said))
        except subprocess.TimeoutExpired:
            self.process.kill()
            check("ends when asked to", False, "it did not")


def raw(server, head):
    connection = socket.create_connection((server.address, server.port), timeout=DEADLINE_S)
    connection.sendall(head)
    return connection
