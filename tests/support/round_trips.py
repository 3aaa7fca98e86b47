"""A strategy through a framework's own text and back, and what came back different."""

from l3_modeltools.frameworks.translate import export_strategy, import_strategy
from l3_modeltools.frameworks.translate.canonical import canonical
from l3_modeltools.schemas import Strategy

__all__ = ["differences", "there_and_back"]


def there_and_back(strategy: Strategy, framework: str) -> tuple[Strategy, Strategy, set[str]]:
    """Through the framework's own text; the strategy before, after, and what was said to be lost."""
    assert strategy.workload
    exported = export_strategy(strategy, framework)
    given: str | tuple[str, ...] = exported.argv or next(iter(exported.files.values()))
    imported = import_strategy(
        given,
        framework,
        architecture=strategy.workload.architecture,
        world_size=exported.ranks,
    )
    layers = strategy.workload.architecture.layers
    lost = {loss.path for loss in exported.losses}
    return canonical(strategy, layers), canonical(imported.strategy, layers), lost


def differences(one: Strategy, other: Strategy) -> set[str]:
    found = {
        f"{part}.{field}"
        for part in ("degrees", "pipeline", "recompute")
        for field in getattr(one, part).__struct_fields__
        if getattr(getattr(one, part), field) != getattr(getattr(other, part), field)
    }
    plain = ("zero_stage", "micro_batch_size", "padded_vocab_size", "vocab_parallel")
    found |= {field for field in plain if getattr(one, field) != getattr(other, field)}
    if one.workload != other.workload:
        found.add("workload")
    return found
