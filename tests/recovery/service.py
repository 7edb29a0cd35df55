"""A provider as a process of its own: HTTP on the loopback, a ledger of its own, and a private control.

Rule 1: the application is told the address and nothing else. The ledger is a file without a name: it is
        opened in a private folder and unlinked at once. What controls the provider is a pipe.
Rule 2: a lost answer is a connection that closes without one.
"""

import json
import os
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from abhyasa.recovery import AnswerKind
from tests.recovery.clock import Clock
from tests.recovery.providers import SimulatedProvider, ledger_of

TIME = "Logical-Time"
_STATUS = {AnswerKind.IN_PROGRESS: 409, AnswerKind.EMPTY: 404, AnswerKind.UNSUPPORTED: 501}


class Ledger:
    """Events as lines of a file that no name leads to."""

    def __init__(self, file):
        self._file = file

    def write(self, kind, event):
        self._file.seek(0, os.SEEK_END)
        self._file.write(json.dumps([kind, event]) + "\n")
        self._file.flush()

    def read(self):
        self._file.seek(0)
        return [json.loads(line) for line in self._file]

    def identity(self):
        """Return what tells the file from every other: its device and its number there."""
        found = os.fstat(self._file.fileno())
        return found.st_dev, found.st_ino


class _Handler(BaseHTTPRequestHandler):
    """One request of a participant, or one lookup."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        service = self.server
        with service.turn:
            service.clock.reach(int(self.headers[TIME]))
            answer = service.answer(self.path, body)
            now = service.clock.now
        if answer.kind is not AnswerKind.LOST:
            self._send(answer, now)

    def _send(self, answer, now):
        text = json.dumps({"kind": answer.kind, "receipt": answer.receipt}).encode()
        self.send_response(_STATUS.get(answer.kind, 200))
        self.send_header(TIME, str(now))
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        """Say nothing: the ledger is the record."""


class Service(ThreadingHTTPServer):
    """A simulated provider that answers over HTTP, and obeys a pipe."""

    daemon_threads = True

    def __init__(self, contract, treatment, ledger):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.turn, self.clock, self._ledger = threading.Lock(), Clock(), ledger
        self._provider = SimulatedProvider(contract, treatment, self.clock, self._ledger.write)

    def answer(self, path, body):
        if path == "/requests":
            return self._provider.accept(body)
        return self._provider.lookup(body["reference"], body["participant"])

    def obey(self, command):
        """Do what the script asks, and return what it asks for."""
        if command == "close_window":
            return self._provider.close_window()
        if command == "commit_pending":
            return self._provider.commit_pending()
        if command == "requests":
            return self._provider.requests
        if command == "identity":
            return self._ledger.identity()
        if command == "finish":
            final_at = self._provider.finish()
            return ledger_of(self._ledger.read(), final_at)
        raise ValueError(f"{command!r} is no command")


def serve(control, contract, treatment):
    """Run a provider until its control is closed. Each command comes, and each result goes, with a time."""
    folder = tempfile.mkdtemp(prefix="ledger-")
    with (
        tempfile.TemporaryFile("w+", dir=folder) as file,
        Service(contract, treatment, Ledger(file)) as service,
    ):
        os.rmdir(folder)
        threading.Thread(target=service.serve_forever, args=(0.05,), daemon=True).start()
        control.send(service.server_address)
        while True:
            try:
                command, now = control.recv()
            except EOFError:
                break
            with service.turn:
                service.clock.reach(now)
                control.send((service.obey(command), service.clock.now))
        service.shutdown()
