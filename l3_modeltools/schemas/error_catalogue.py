"""How errors look in logs, and what they mean."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Document, Name, Part, Text, repeated
from l0_infra.core.errors import Fault
from l3_modeltools.schemas.fault import FaultAction, FaultClass

__all__ = ["ErrorCatalogue", "KnownError", "Standing"]

ANYTHING = "*"
SHORTEST = 4
"""A line is searched for the longest piece of a text first; a shorter one stands in too many lines."""

Standing = Literal["cause", "general", "symptom"]
"""`cause`: it names what happened; `general`: only of what kind; `symptom`: something else, or another rank, failed
before.
"""


class KnownError(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One error: how it is recognised, what it means, what to do about it."""

    name: Annotated[Name, Meta(description="Its name; one of an entry that ships with ogai replaces that.")]
    fault_class: Annotated[FaultClass, Meta(description="What it is.")]
    advised: Annotated[FaultAction, Meta(description="What should be done.")]
    standing: Annotated[
        Standing,
        Meta(
            description="Of several in one log a `cause` counts before what is `general`, and that before a"
            " `symptom`; among equals the first."
        ),
    ] = "cause"
    texts: Annotated[
        tuple[Text, ...],
        Meta(
            min_length=1,
            description="A log line that contains one of these is this error; `*` stands for what varies.",
            examples=[["CUDA error: an illegal memory access", "wrote * of * bytes, then gave up"]],
        ),
    ]
    explanation: Annotated[Text, Meta(description="What happened, in a sentence or two.")]
    hint: Annotated[Text, Meta(description="What a person can do.")]
    source: Annotated[str, Meta(description="Where it is described; empty: nowhere.")] = ""

    def faults(self) -> Iterator[Fault]:
        """Yield texts that would be found nowhere, or nearly everywhere."""
        for index, text in enumerate(self.texts):
            if "\n" in text:
                yield Fault(path=("texts", index), found="several lines", expected="the text of one line")
            elif max(map(len, text.split(ANYTHING))) < SHORTEST:
                expected = f"at least {SHORTEST} characters in a row that do not vary"
                yield Fault(path=("texts", index), found=f"`{text}`", expected=expected)


class ErrorCatalogue(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="error_catalogue"):
    """How errors look in logs, and what they mean; `errors.yaml` in OGAI_HOME adds to what ogai knows."""

    errors: Annotated[tuple[KnownError, ...], Meta(description="The errors, in any order.")]

    def faults(self) -> Iterator[Fault]:
        """Yield names that are given twice."""
        yield from repeated("errors", "name", [error.name for error in self.errors])
