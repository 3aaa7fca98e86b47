"""Write a strategy in a framework's own words."""

from pathlib import Path

from l0_infra.core.documents import read_document
from l0_infra.core.errors import UsageError
from l3_modeltools import Exported, export_strategy, preset
from l3_modeltools.schemas import Strategy
from ogai.flows.named_file import save_named

__all__ = ["export", "text_of"]


def export(file: Path, *, framework: str, model: str | None = None, to: Path | None = None) -> Exported:
    """Translate the strategy document `file`, and write it to `to` where that is given.

    `model` is the preset whose layers stages are counted from, where the strategy has no workload. Raises
    UnsatisfiableError, naming the degree, for a strategy that the framework cannot run.
    """
    strategy = read_document(file, expect=Strategy)
    architecture = preset(model) if model else None
    if strategy.workload and architecture and strategy.workload.architecture != architecture:
        raise UsageError(
            "--model",
            found=f"`{model}`, but a workload with `{strategy.workload.architecture.name}` in {file}",
            expected="one of them",
        )
    exported = export_strategy(strategy, framework, architecture)
    if to:
        save_named(to, text_of(exported))
    return exported


def text_of(exported: Exported) -> str:
    """What is written: the file's text, or the arguments, an option with its value on a line."""
    if not exported.argv:
        return "".join(exported.files.values())
    from shlex import quote

    lines: list[str] = []
    for word in exported.argv:
        if word.startswith("--") or not lines or ":" in word:
            lines.append(quote(word))
        else:
            lines[-1] += f" {quote(word)}"
    return " \\\n".join(lines) + "\n"
