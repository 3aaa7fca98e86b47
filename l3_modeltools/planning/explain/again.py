"""Derivation of what is computed twice: layers by kind and mode, and which parts of a forward pass each repeats."""

from collections.abc import Mapping
from dataclasses import fields

from l3_modeltools.planning.cost.bytes.place import KINDS, Kind, Stage
from l3_modeltools.planning.cost.seconds.layer import ALTERNATE, LayerTime, Part
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.planning.explain.derivation import Derivation, inputs

__all__ = ["explain_recompute"]

SELECTIVE: Mapping[str, tuple[str, ...]] = {
    "all_but_attention_core": ("attention",),
    "all_but_activation": ("elementwise",),
    "every_second_product": ("products", "elementwise"),
}
"""What selective recomputation repeats of a forward pass, by what it keeps."""


def explain_recompute(
    setting: Setting, stage: Stage, layers: Mapping[Kind, LayerTime], value: float
) -> Derivation:
    """Layers of the stage by kind and mode, and what each makes again."""
    counts: list[tuple[str, float, str]] = []
    parts, terms = [], []
    for kind, layer in layers.items():
        dealt = [chunk.dealt()[KINDS.index(kind)] for chunk in stage.chunks]
        for at, mode in enumerate(("full", "selective")):
            if many := sum(row[at] for row in dealt):
                parts.append(_again(setting, kind, mode, layer))
                counts.append((f"n_{kind}_{mode}", many, f"{kind} layers recomputed so"))
                terms.append(f"n_{kind}_{mode} * {parts[-1].name}")
    return Derivation(
        name="recompute",
        meaning="what is made again",
        unit="s",
        value=value,
        formula=f"m * ({' + '.join(terms) or '0'})",
        inputs=inputs(("m", setting.microbatches, "micro batches"), *counts),
        parts=tuple(parts),
        source="arXiv:1604.06174",
    )


def _again(setting: Setting, kind: Kind, mode: str, layer: LayerTime) -> Derivation:
    """The whole forward pass, or the parts that selective recomputation does not keep the result of."""
    keeps = setting.practice.selective_keeps
    named = [one.name for one in fields(layer) if isinstance(getattr(layer, one.name), Part)]
    meant = named if mode == "full" else SELECTIVE[keeps]
    rows = [
        (
            f"{name}_forward",
            getattr(layer, name).forward,
            f"seconds of a layer's {name.replace('_', ' ')} forward",
        )
        for name in meant
        if getattr(layer, name).forward
    ]
    halved = mode == "selective" and keeps == "every_second_product"
    if halved:
        rows.append(("repeated", ALTERNATE, "share of its products where every second one is kept"))
    symbols = (symbol for symbol, _, _ in rows if symbol != "repeated")
    return Derivation(
        name=f"{kind}_{mode}_again",
        meaning=f"what a {kind} layer makes again that is recomputed {'in full' if mode == 'full' else 'in part'}",
        unit="s",
        value=layer.again(setting, mode),
        formula=" + ".join(
            f"repeated * {symbol}" if halved and symbol == "products_forward" else symbol
            for symbol in symbols
        )
        or "0",
        inputs=inputs(*rows),
        source="arXiv:1604.06174" if mode == "full" else "arXiv:2205.05198, section 4.2",
    )
