"""Old events are not told again: what the kernel said before a node was given back is settled."""

import msgspec

from l0_infra.schemas import NodeFacts

__all__ = ["forget_events"]


def forget_events(facts: NodeFacts, *, before: float | None) -> NodeFacts:
    """Leave out events last told before a time: when the node was last given back."""
    if before is None or facts.kernel_events is None:
        return facts
    events = tuple(one for one in facts.kernel_events if one.last_at is None or one.last_at >= before)
    return msgspec.structs.replace(facts, kernel_events=events)
