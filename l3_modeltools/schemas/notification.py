"""Who is told of a run's faults and of its end, and how."""

from collections.abc import Iterator
from typing import Annotated, Literal

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
        Annotated[str, Meta(pattern="^https?://")] | None,
        Meta(description="Address that is posted to; one that must stay secret goes into `webhook_from`."),
    ] = None
    webhook_from: Annotated[
        Annotated[str, Meta(pattern="^[A-Za-z_][A-Za-z0-9_]*$")] | None,
        Meta(description="Environment variable of the submitting shell that holds the address."),
    ] = None
    command: Annotated[tuple[Text, ...], Meta(description="Program and arguments.")] = ()

    def faults(self) -> Iterator[Fault]:
        """Yield a notification that goes nowhere, or more than one way."""
        ways = {"webhook": self.webhook, "webhook_from": self.webhook_from, "command": self.command}
        given = [name for name, value in ways.items() if value]
        if len(given) != 1:
            found = " and ".join(f"`{name}`" for name in given) or "none of them"
            yield Fault(path=(), found=found, expected="one of `webhook`, `webhook_from` and `command`")
