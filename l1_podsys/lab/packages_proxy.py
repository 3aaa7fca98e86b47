"""The hosts' way to Debian's packages: a proxy that fetches each file once, however many hosts ask for it at once.

Run as a program (`python -I -S packages_proxy.py ADDRESS PORT CACHE FOLDER NETWORK GROUP…`); the standard library only.
apt verifies what it gets by the hashes of the signed index, so this need not. Only files that never change under their
name are kept: packages, and indexes named by their hash. It holds a lock on FOLDER as long as it lives.
"""

import contextlib
import fcntl
import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address, ip_network
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

__all__ = ["Cache", "is_kept", "main", "make_server"]

KEPT_S = 30 * 86400
"""A file that nobody asked for so long is removed at the next start."""

TIMEOUT_S = 60
ASKED = ("If-Modified-Since", "If-None-Match", "User-Agent", "Accept")
TOLD = ("Content-Type", "Last-Modified", "ETag")


def is_kept(url: str) -> bool:
    """Tell whether what lies at an address stays the same for good."""
    path = urlsplit(url).path
    return path.endswith((".deb", ".udeb")) or "/by-hash/" in path


class Cache:
    """Files by their address; whole or absent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._locks: dict[Path, threading.Lock] = {}
        self._guard = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)

    def prune(self, now: float) -> None:
        """Remove what nobody asked for in a long time."""
        for file in self.folder.iterdir():
            with contextlib.suppress(FileNotFoundError):
                if now - file.stat().st_mtime > KEPT_S:
                    file.unlink()

    def fetched(self, url: str) -> Path:
        """Return the file of an address, fetched when it is not there; who asks meanwhile waits for it."""
        file = self.folder / quote(url, safe="")
        with self._lock_of(file):
            if not file.exists():
                self._fetch(url, file)
            os.utime(file)
        return file

    def _lock_of(self, file: Path) -> threading.Lock:
        with self._guard:
            return self._locks.setdefault(file, threading.Lock())

    def _fetch(self, url: str, file: Path) -> None:
        half = file.with_name(f".{os.getpid()}.{threading.get_ident()}")
        try:
            with urlopen(url, timeout=TIMEOUT_S) as answer, half.open("wb") as stream:
                shutil.copyfileobj(answer, stream)
                expected = answer.headers["Content-Length"]
                if expected is not None and stream.tell() != int(expected):
                    raise HTTPException(f"{stream.tell()} bytes of {expected}")
            half.rename(file)
        finally:
            half.unlink(missing_ok=True)


def make_server(address: tuple[str, int], cache: Cache, network: str) -> ThreadingHTTPServer:
    """Make the server, which listens already; it serves who is in the network, and nobody else."""
    clients = ip_network(network)

    class Handler(BaseHTTPRequestHandler):
        """One connection of apt's."""

        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if ip_address(self.client_address[0]) not in clients:
                return self._refuse(403, "not a host of this lab")
            if not self.path.startswith("http://"):
                return self._refuse(400, "only whole http addresses, as a proxy is asked")
            try:
                self._send_kept() if is_kept(self.path) else self._pass_on()
            except HTTPError as error:
                self._refuse(error.code, error.reason)
            except (OSError, HTTPException) as error:
                self._refuse(502, str(error))

        def _send_kept(self) -> None:
            with cache.fetched(self.path).open("rb") as stream:
                self.send_response(200)
                self.send_header("Content-Length", str(os.fstat(stream.fileno()).st_size))
                self.end_headers()
                shutil.copyfileobj(stream, self.wfile)

        def _pass_on(self) -> None:
            asked = {name: self.headers[name] for name in ASKED if name in self.headers}
            with urlopen(Request(self.path, headers=asked), timeout=TIMEOUT_S) as answer:
                content = answer.read()
                self.send_response(answer.status)
                for name in TOLD:
                    if name in answer.headers:
                        self.send_header(name, answer.headers[name])
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        def _refuse(self, code: int, reason: str) -> None:
            """Answer without content; 304 is one of these."""
            self.send_response(code, reason)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing of what went well."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """A host that went away in the middle is no trouble."""

    return Server(address, Handler)


@contextlib.contextmanager
def held(folder: Path) -> Iterator[bool]:
    """Hold the folder's lock; False when another has it, or the lab was taken down before this began."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield False
        return
    try:
        yield (
            _locked(descriptor) and folder.exists() and os.path.samestat(os.fstat(descriptor), folder.stat())
        )
    finally:
        os.close(descriptor)


def _locked(descriptor: int, tries: int = 100) -> bool:
    for _ in range(tries):  # who only looks whether somebody lives holds it for a moment
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        time.sleep(0.05)
    return False


def main(address: str, port: str, cache: str, folder: str, network: str, *groups: str) -> None:
    """Serve until killed."""
    with held(Path(folder)) as ours:
        if not ours:
            return
        for group in groups:
            Path(group).mkdir(parents=True, exist_ok=True)
            (Path(group) / "cgroup.procs").write_text(str(os.getpid()))
        kept = Cache(Path(cache))
        kept.prune(time.time())
        make_server((address, int(port)), kept, network).serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
