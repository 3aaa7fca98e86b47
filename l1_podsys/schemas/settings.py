"""What a cluster has beside its scheduler: a runtime, figures over time, and when it counts as done."""

from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Part, Text

__all__ = ["Gates", "Monitoring", "Runtime"]

Path = Annotated[str, Meta(pattern=r"^/", extra_json_schema={"x-words": "a path that begins with `/`"})]
Share = Annotated[float, Meta(gt=0, le=1)]


class Runtime(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What ogai itself installs on the shared storage for work on the nodes."""

    install: Annotated[bool, Meta(description="Whether the `ogai` runtime is installed.")] = True
    path: Annotated[
        Path | None, Meta(description="Its folder; null: `ogai/runtime` on the first shared storage.")
    ] = None
    requirements: Annotated[
        tuple[Text, ...], Meta(description="What is installed beside ogai, as pip takes it: `torch`.")
    ] = ()
    containers: Annotated[
        Literal["none", "podman"], Meta(description="Which container runtime the nodes get.")
    ] = "none"


class Monitoring(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Figures of the nodes over time."""

    install: Annotated[
        bool,
        Meta(description="Whether nodes get a node_exporter and the head a Prometheus with alert rules."),
    ] = True
    retention_s: Annotated[
        int,
        Meta(ge=3600, description="How long figures are kept.", extra_json_schema={"x-unit": "seconds"}),
    ] = 15 * 86400


class Gates(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When bring-up counts as done, and when a bad node is taken out of work."""

    level: Annotated[
        Literal["quick", "medium", "burnin"], Meta(description="How deep the nodes are checked.")
    ] = "quick"
    collective_test: Annotated[
        Path | None,
        Meta(
            description="The nodes' program of nccl-tests, rccl-tests or hccl_test, or its folder; null: looked for."
        ),
    ] = None
    healthy_share: Annotated[Share, Meta(description="Share of compute nodes that must be healthy.")] = 1.0
    drain: Annotated[bool, Meta(description="Whether nodes that fail a check critically are drained.")] = True
    breaker_share: Annotated[
        Share, Meta(description="No node is drained while more than this share of the compute nodes fails.")
    ] = 0.2
    breaker_count: Annotated[
        int, Meta(ge=1, description="Nor while more than this many fail; the larger of both counts.")
    ] = 2
