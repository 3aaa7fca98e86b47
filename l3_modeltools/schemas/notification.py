"""Who is told of a run's faults and of its end, and how."""

import re
from collections.abc import Iterator
from typing import Annotated, Literal
from urllib.parse import urlsplit

from msgspec import Meta

from l0_infra.core.documents import Part, Text
from l0_infra.core.errors import Fault

__all__ = ["Notification"]


class Notification(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One way to tell somebody: a web address that gets JSON, or a command that gets it on its standard input."""

    on: Annotated[tuple[Literal["fault", "finish"], ...], Meta(min_length=1, description="What is told.")] = (
        "fault",
        "finish",
    )
    webhook: Annotated[
        Text | None,
        Meta(description="Address that is posted to; one that must stay secret goes into `webhook_from`."),
    ] = None
    webhook_from: Annotated[
        Text | None,
        Meta(description="Environment variable of the submitting shell that holds the address."),
    ] = None
    command: Annotated[
        tuple[Text, ...],
        Meta(
            description="Program and arguments; sees facts as `OGAI_…` variables, and no secret of the job."
        ),
    ] = ()

    def faults(self) -> Iterator[Fault]:
        """Yield a notification that goes nowhere, or more than one way; what may be a secret is not repeated."""
        ways = {"webhook": self.webhook, "webhook_from": self.webhook_from, "command": self.command}
        given = [name for name, value in ways.items() if value]
        if len(given) != 1:
            found = " and ".join(f"`{name}`" for name in given) or "none of them"
            yield Fault(path=(), found=found, expected="one of `webhook`, `webhook_from` and `command`")
        if self.webhook is not None and not _is_address(self.webhook):
            expected = "`https://` or `http://`, a host, and perhaps a port and a path"
            yield Fault(path=("webhook",), found="no web address", expected=expected)
        if self.webhook_from is not None and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", self.webhook_from):
            found = "a web address" if "://" in self.webhook_from else "no name of a variable"
            hint = "export SOME_NAME=ADDRESS, and write SOME_NAME here"
            expected = "the name of an environment variable"
            yield Fault(path=("webhook_from",), found=found, expected=expected, hint=hint)


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
