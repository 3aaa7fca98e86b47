"""Derivation of the bubble: what the slowest stage waits for each of the others."""

from l3_modeltools.planning.cost.seconds.stages import StageTime
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.planning.explain.derivation import Derivation, inputs

__all__ = ["explain_bubble"]


def explain_bubble(setting: Setting, stages: tuple[StageTime, ...], slowest: int, value: float) -> Derivation:
    """One micro batch through all other stages; like ones are counted together, by the first of them."""
    zero = setting.strategy.pipeline.schedule == "zero_bubble"
    like: dict[float, list[int]] = {}
    for p, one in enumerate(stages):
        if p != slowest:
            like.setdefault(max(0.0, one.total - 2 * one.weight_gradients) if zero else one.total, []).append(
                p
            )
    less = ", less twice its gradients of weights" if zero else ""
    rows: list[tuple[str, float, str]] = [("vp", setting.strategy.degrees.vp, "virtual stages of each")]
    terms = []
    for seconds, members in like.items():
        rows.append((f"n_{members[0]}", len(members), f"stages like stage {members[0]}"))
        rows.append((f"stage_{members[0]}", seconds, f"seconds of one and a micro batch, both ways{less}"))
        terms.append(f"n_{members[0]} * stage_{members[0]}")
    return Derivation(
        name="bubble",
        meaning="waiting for the other stages to begin and to end",
        unit="s",
        value=value,
        formula=f"({' + '.join(terms) or '0'}) / vp",
        inputs=inputs(*rows),
        source="arXiv:2401.10241, section 2.3" if zero else "arXiv:2104.04473, section 2.2",
    )
