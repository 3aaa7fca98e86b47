"""Posts to a web address that must never be seen: no message of a failure repeats anything of it."""

import socket
import ssl
import threading
from collections.abc import Callable
from http.client import HTTPException, HTTPMessage
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

__all__ = ["Refused", "post_json"]

HEADERS = {"Content-Type": "application/json", "User-Agent": "ogai"}


class Refused(Exception):
    """The post did not arrive, or its answer was no success; says why without the address."""

    def __init__(self, reason: str, *, retry: bool) -> None:
        super().__init__(reason)
        self.retry = retry
        """Whether it may be otherwise the next time."""


def post_json(address: str, body: bytes, *, deadline_s: float) -> None:
    """Post `body` and wait for the answer, all within `deadline_s`; redirections are not followed.

    Raises Refused.
    """
    outcome: list[Refused | None] = []

    def attempt() -> None:
        outcome.append(_refusal(lambda: _post(address, body, deadline_s)))

    thread = threading.Thread(target=attempt, name="webhook", daemon=True)
    thread.start()
    thread.join(deadline_s)
    refused = outcome[0] if outcome else Refused(f"no answer within {deadline_s:g} s", retry=True)
    if refused is not None:
        raise refused from None


class _NoRedirection(HTTPRedirectHandler):
    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        return None


def _opener() -> OpenerDirector:
    return build_opener(_NoRedirection)


def _post(address: str, body: bytes, timeout_s: float) -> None:
    request = Request(address, data=body, headers=HEADERS, method="POST")
    with _opener().open(request, timeout=timeout_s):
        pass


def _refusal(post: Callable[[], None]) -> Refused | None:
    try:
        post()
    except HTTPError as error:
        error.close()
        return Refused(f"it answered HTTP {error.code}", retry=error.code >= 500 or error.code == 429)
    except URLError as error:
        return _unreachable(error.reason)
    except (OSError, HTTPException) as error:
        return _unreachable(error)
    except (ValueError, OverflowError):  # the latter for a port beyond any integer
        return Refused("it is no web address", retry=False)
    return None


def _unreachable(error: object) -> Refused:
    match error:
        case TimeoutError():
            return Refused("it did not answer in time", retry=True)
        case ssl.SSLError():
            return Refused("its certificate is not trusted, or it does not speak TLS", retry=False)
        case socket.gaierror():
            return Refused("its host is not known", retry=True)
        case OSError(strerror=str(reason)):
            return Refused(f"it cannot be reached: {reason.lower()}", retry=True)
        case _:
            return Refused("it does not speak HTTP, or hung up", retry=True)
