"""Take away what roles left on nodes, by what a look found after they were done."""

from collections.abc import Iterable, Mapping, Sequence

from l0_infra import Entry, Item, undo_command
from l0_infra.core.errors import OgaiError
from l0_infra.core.exec import Runner
from l1_podsys import MARK, unmark_command
from ogai.flows.cluster.brought import Trouble
from ogai.flows.cluster.roles import Roles
from ogai.flows.cluster.work import Work

__all__ = ["undo_roles"]

LIMIT_S = 360.0


def undo_roles(work: Work, names: Sequence[str], roles: Roles, *, purge: bool = False) -> tuple[Trouble, ...]:
    """Stop and disable services, take files away, and with `purge` the data; return what did not succeed.

    The mark that says whose the node is goes last. What every node has whatever it is for keeps running: of the roles
    of one node only the files go.
    """
    entries = work.ledger.entries(names)
    of_node: dict[str, list[Entry]] = {name: [] for name in names}
    for entry in entries.values():
        of_node[entry.node].append(entry)
    sheets = roles.by_name
    order = {name: place for place, name in enumerate(sheets)}
    identity = work.place.load_identity()
    kept = {sheet.role.name for sheet in roles.provision}

    def run(name: str, runner: Runner) -> str:
        own = sorted(of_node[name], key=lambda entry: -order.get(entry.name, 0))
        items = [item for entry in own for item in _items(entry, files_only=entry.name in kept)]
        outcomes = [sheets[entry.name].role.outcome for entry in own if entry.name in sheets]
        outcome = runner.run(undo_command(items, outcomes, purge=purge, sudo=work.sudo))
        if outcome.ok and identity:
            outcome = runner.run(unmark_command(identity, sudo=work.sudo))
        return "" if outcome.ok else outcome.stderr.strip() or outcome.describe_end()

    found = work.nodes.reach(names, run, limit_s=LIMIT_S)
    troubles: Mapping[str, str] = {
        name: str(said) if isinstance(said, OgaiError) else said for name, said in found.items()
    }
    return tuple(
        Trouble(node=name, name="down", state="failed", message=said)
        for name, said in troubles.items()
        if said
    )


def _items(entry: Entry, *, files_only: bool) -> Iterable[Item]:
    for text in entry.found_items():
        kind, _, name = text.partition(" ")
        if kind == "file" and name != MARK:
            yield Item("file", name)
        elif kind == "service" and not files_only:
            yield Item("service", name)
