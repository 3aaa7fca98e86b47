"""The rules that ship with ogai, and a site's own."""

from functools import cache
from importlib.resources import files
from pathlib import Path

from l0_infra.core.documents import parse_document, read_document
from l0_infra.schemas import NodeRules, Rule

__all__ = ["load_rules"]


def load_rules(own: Path | None = None) -> tuple[Rule, ...]:
    """Read all rules; one of `own` replaces that of the same id. Raises DocumentError for a bad file."""
    shipped = {rule.id: rule for rule in _shipped()}
    if own is not None:
        shipped |= {rule.id: rule for rule in read_document(own, expect=NodeRules).rules}
    return tuple(shipped.values())


@cache
def _shipped() -> tuple[Rule, ...]:
    folder = files(__package__).joinpath("rules")
    texts = sorted(
        (file.name, file.read_text("utf-8")) for file in folder.iterdir() if file.name.endswith(".yaml")
    )
    return tuple(
        rule for name, text in texts for rule in parse_document(text, source=name, expect=NodeRules).rules
    )
