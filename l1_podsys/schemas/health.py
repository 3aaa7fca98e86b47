"""Verdicts on a cluster's nodes: what was checked, what was found, how it is mended."""

from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Document, Part, Text

__all__ = ["Health", "Verdict"]


class Verdict(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The outcome of one check on one node."""

    node: Annotated[Text, Meta(description="Node name.")]
    check: Annotated[
        str,
        Meta(
            pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$", description="Code of the check: `gpu.ecc`, `time.offset`."
        ),
    ]
    severity: Annotated[
        Literal["ok", "warning", "critical", "unknown"],
        Meta(description="`critical`: no jobs should start there; `unknown`: the check could not be made."),
    ]
    found: Annotated[str, Meta(description="What was found.")]
    expected: Annotated[str, Meta(description="What is right.")]
    hint: Annotated[str, Meta(description="How to mend it.")] = ""


class Health(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="health"):
    """One round of checks on a cluster."""

    cluster: Annotated[Text, Meta(description="Cluster name.")]
    level: Annotated[
        Literal["quick", "medium", "burnin"],
        Meta(description="How deep it looked: seconds, minutes, hours."),
    ]
    checked_at: Annotated[float, Meta(description="When it began, in seconds since the epoch, UTC.")]
    verdicts: Annotated[
        tuple[Verdict, ...], Meta(description="Verdicts, in natural order of the nodes.")
    ] = ()
