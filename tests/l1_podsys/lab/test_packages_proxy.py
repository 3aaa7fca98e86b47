"""The proxy for packages: each file is fetched once, what changes is always asked for anew, strangers get nothing."""

import threading
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from l1_podsys.lab.packages_proxy import Cache, is_kept, make_server

PACKAGE = "/debian/pool/main/h/hello/hello_2.10-3_amd64.deb"
INDEX = "/debian/dists/bookworm/main/binary-amd64/by-hash/SHA256/0123"
RELEASE = "/debian/dists/bookworm/InRelease"


class Origin(ThreadingHTTPServer):
    """A mirror that counts what it is asked for."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.short = False
        super().__init__(("127.0.0.1", 0), _Mirror)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Mirror(BaseHTTPRequestHandler):
    server: Origin

    def do_GET(self) -> None:
        self.server.asked[self.path] += 1
        if self.path.endswith("/missing.deb"):
            return self.send_error(404)
        if self.headers["If-Modified-Since"] == "yesterday":
            self.send_response(304)
            return self.end_headers()
        body = f"{self.path} {self.server.asked[self.path]}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body) + 10 * self.server.short))
        self.send_header("Last-Modified", "today")
        self.end_headers()
        self.wfile.write(body)
        return None

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def serving(server: ThreadingHTTPServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def origin() -> Iterator[Origin]:
    server = Origin()
    with serving(server):
        yield server


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "packages")


@contextmanager
def proxy(cache: Cache, network: str = "127.0.0.0/8") -> Iterator[urllib.request.OpenerDirector]:
    """Give what asks through the proxy as apt does."""
    server = make_server(("127.0.0.1", 0), cache, network)
    with serving(server):
        handler = urllib.request.ProxyHandler({"http": f"http://127.0.0.1:{server.server_port}"})
        yield urllib.request.build_opener(handler)


def read(through: urllib.request.OpenerDirector, url: str, **headers: str) -> tuple[bytes, Message]:
    asked = urllib.request.Request(
        url, headers={name.replace("_", "-"): text for name, text in headers.items()}
    )
    with through.open(asked, timeout=10) as answer:
        return answer.read(), answer.headers


def test_a_package_is_fetched_once_by_however_many_hosts_at_once(origin: Origin, cache: Cache) -> None:
    got: list[bytes] = []
    with proxy(cache) as through:
        threads = [
            threading.Thread(target=lambda: got.append(read(through, origin.url + PACKAGE)[0]))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert got == [f"{PACKAGE} 1".encode()] * 8
    assert origin.asked == {PACKAGE: 1}


def test_it_is_there_for_the_next_lab_too(origin: Origin, cache: Cache) -> None:
    for _ in range(2):
        with proxy(cache) as through:
            read(through, origin.url + INDEX)
    assert origin.asked == {INDEX: 1}


def test_what_changes_under_its_name_is_asked_for_each_time(origin: Origin, cache: Cache) -> None:
    with proxy(cache) as through:
        assert read(through, origin.url + RELEASE)[0] == f"{RELEASE} 1".encode()
        text, headers = read(through, origin.url + RELEASE)
    assert text == f"{RELEASE} 2".encode() and headers["Last-Modified"] == "today"
    assert list(cache.folder.iterdir()) == []


def test_what_did_not_change_is_said_to_be_so(origin: Origin, cache: Cache) -> None:
    with proxy(cache) as through, pytest.raises(urllib.error.HTTPError) as error:
        read(through, origin.url + RELEASE, If_Modified_Since="yesterday")
    error.value.close()
    assert error.value.code == 304


def test_a_missing_file_is_missing_and_asked_for_again(origin: Origin, cache: Cache) -> None:
    with proxy(cache) as through:
        for _ in range(2):
            with pytest.raises(urllib.error.HTTPError) as error:
                read(through, origin.url + "/debian/missing.deb")
            error.value.close()
            assert error.value.code == 404
    assert origin.asked["/debian/missing.deb"] == 2 and list(cache.folder.iterdir()) == []


def test_an_answer_cut_short_is_not_kept(origin: Origin, cache: Cache) -> None:
    origin.short = True
    with proxy(cache) as through:
        with pytest.raises(urllib.error.HTTPError) as error:
            read(through, origin.url + PACKAGE)
        error.value.close()
        assert error.value.code == 502 and list(cache.folder.iterdir()) == []
        origin.short = False
        assert read(through, origin.url + PACKAGE)[0] == f"{PACKAGE} 2".encode()


def test_a_mirror_that_is_not_there_is_a_bad_gateway(cache: Cache) -> None:
    with proxy(cache) as through, pytest.raises(urllib.error.HTTPError) as error:
        read(through, f"http://127.0.0.1:9{PACKAGE}")
    error.value.close()
    assert error.value.code == 502


def test_who_is_not_in_the_lab_gets_nothing(origin: Origin, cache: Cache) -> None:
    with proxy(cache, "10.217.7.0/24") as through, pytest.raises(urllib.error.HTTPError) as error:
        read(through, origin.url + PACKAGE)
    error.value.close()
    assert error.value.code == 403 and not origin.asked


def test_what_nobody_asked_for_in_a_month_goes(cache: Cache) -> None:
    import os

    old, new = cache.folder / "old", cache.folder / "new"
    for file, moment in ((old, 1_000_000), (new, 3_000_000)):
        file.touch()
        os.utime(file, (moment, moment))
    cache.prune(now=3_700_000)
    assert [file.name for file in cache.folder.iterdir()] == ["new"]


@pytest.mark.parametrize(
    ("path", "kept"), [(PACKAGE, True), (INDEX, True), (RELEASE, False), ("/debian/pool/x.dsc", False)]
)
def test_only_what_stays_the_same_is_kept(path: str, kept: bool) -> None:
    assert is_kept(f"http://deb.example.org{path}") is kept
