"""Old events are not told again: what the kernel said before a node was given back is settled."""

import msgspec

from l0_infra.schemas import NodeFacts

__all__ = ["forget_events"]


def forget_events(facts: NodeFacts, *, before: float | None, booted_at: float | None = None) -> NodeFacts:
    """Leave out events last told before a time (when the node was last given back) or before it was started."""
    since = max((moment for moment in (before, booted_at) if moment is not None), default=None)
    if since is None or facts.kernel_events is None:
        return facts
    events = tuple(one for one in facts.kernel_events if one.last_at is None or one.last_at >= since)
    return msgspec.structs.replace(facts, kernel_events=events)
