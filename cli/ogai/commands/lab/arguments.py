"""How hosts, labs and kinds of breaks are named; the shell completes them."""

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem

__all__ = ["HOST", "KIND", "LAB"]


class Word(click.ParamType[str]):
    """A word that is passed on as it is."""

    def __init__(self, name: str, known: Callable[[], Iterable[str]]) -> None:
        self.name = name
        self.known = known

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer what begins so."""
        return [CompletionItem(word) for word in self.known() if word.startswith(incomplete)]


def _labs() -> Iterable[str]:
    from ogai.flows import lab as flow

    return flow.names()


def _hosts() -> Iterable[str]:
    from ogai.flows import lab as flow

    return flow.host_names()


def _kinds() -> Iterable[str]:
    from l1_podsys import BREAKS

    return BREAKS


LAB = Word("lab", _labs)
HOST = Word("nodeset", _hosts)
KIND = Word("kind", _kinds)
