"""Gather what is judged: a few words with the controller, then one round trip to each node."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from secrets import token_hex
from time import sleep

from l0_infra.core.errors import OgaiError
from l0_infra.core.exec import Command, Runner
from l1_podsys.gates.look import DEADLINE_S, Look, Question, look_command, parse_look
from l1_podsys.gates.mesh import choose_peers
from l1_podsys.gates.network import routes_of
from l1_podsys.gates.quick import Scene
from l1_podsys.gates.reach import Reach, needs_sudo
from l1_podsys.gates.services import services_of
from l1_podsys.gates.view import Member, NodeView, controller_of, members_of
from l1_podsys.schemas import Cluster
from l1_podsys.slurm import SlurmNode, parse_nodes_text, show_nodes_command

__all__ = ["probe_scene"]

WRITE_TOKEN = (
    'd=$(dirname "$1") && mkdir -p -m 1777 "$d" && printf %s "$2" >"$1" && chmod 0644 "$1" && sync "$1"'
)
REMOVE_TOKENS = 'for f in "$@"; do rm -f "$f"; rmdir "${f%/*}" 2>/dev/null; done; true'
SSH_PORT = 22

SETTLES = 20
"""Seconds, about, that a scheduler may take to hear of nodes that answer us: it was started a moment ago."""


def probe_scene(
    cluster: Cluster,
    views: Sequence[NodeView],
    reach: Reach,
    *,
    seed: int,
    pause: Callable[[float], None] = sleep,
) -> Scene:
    """Ask all nodes of `views` that are not lost, and the controller, which may be another node.

    A scheduler that has not yet heard of nodes that answer us is asked again for a while, `pause` seconds apart.
    """
    token = token_hex(8)
    seen = [view.name for view in views if not view.lost]
    controller = controller_of(cluster)
    slurm, error, credential = _ask_controller(cluster, controller, seen, reach, pause)
    tokens = _write_tokens(cluster, seen, token, reach)
    peers = _peers(cluster, seen, seed)
    questions = {
        view.name: Question(
            token=token,
            file=_file(token),
            storages=tuple(tokens),
            routes=_routes(cluster, view, views, peers),
            names=tuple(peer.name for peer in peers[view.name]),
            peers=tuple(peer.address for peer in peers[view.name]),
            port=cluster.ssh.port or SSH_PORT,
            services=services_of(cluster, view.member, controller=view.name == controller.name),
            credential=credential,
        )
        for view in views
        if not view.lost
    }
    looks = reach(seen, _look(questions, sudo=needs_sudo(cluster)), limit_s=DEADLINE_S)
    _remove_tokens(cluster, seen, token, reach)
    return Scene(
        views=tuple(_with_look(view, looks.get(view.name)) for view in views),
        peers=peers,
        tokens=tokens,
        slurm=slurm,
        slurm_error=error,
    )


def _look(questions: Mapping[str, Question], *, sudo: bool) -> Callable[[str, Runner], Look]:
    def ask(name: str, runner: Runner) -> Look:
        outcome = runner.run(look_command(questions[name], sudo=sudo))
        look = parse_look(outcome.stdout)
        if not look.sections:
            outcome.check(hint="does sudo ask for a password there? see --ask-sudo-password")
        return look

    return ask


def _with_look(view: NodeView, look: Look | OgaiError | None) -> NodeView:
    if isinstance(look, OgaiError):
        return replace(view, lost=look.found, mend=look.hint)
    return replace(view, look=look)


def _peers(cluster: Cluster, seen: Sequence[str], seed: int) -> Mapping[str, tuple[Member, ...]]:
    members = {member.name: member for member in members_of(cluster)}
    chosen = choose_peers(seen, controller_of(cluster).name, seed)
    return {name: tuple(members[peer] for peer in peers) for name, peers in chosen.items()}


def _routes(
    cluster: Cluster, view: NodeView, views: Sequence[NodeView], peers: Mapping[str, tuple[Member, ...]]
) -> tuple[str, ...]:
    wanted = {peer.name for peer in peers[view.name]}
    facts = {one.name: one.facts for one in views if one.facts is not None}
    return routes_of(cluster, [facts[name] for name in wanted if name in facts])


def _ask_controller(
    cluster: Cluster, controller: Member, seen: Sequence[str], reach: Reach, pause: Callable[[float], None]
) -> tuple[tuple[SlurmNode, ...] | None, str, str]:
    """Return the scheduler's nodes or why there are none, and a credential."""
    if cluster.scheduler.engine != "slurm":
        return None, "", ""

    def ask(_: str, runner: Runner) -> tuple[tuple[SlurmNode, ...] | None, str, str]:
        nodes, error = _settled(runner, seen, pause)
        munge = runner.run(Command(argv=("munge", "-n"), deadline_s=10))
        return nodes, error, munge.stdout.strip() if munge.ok else ""

    told = reach([controller.name], ask, limit_s=80 + SETTLES)[controller.name]
    return (None, told.found, "") if isinstance(told, OgaiError) else told


def _settled(
    runner: Runner, seen: Sequence[str], pause: Callable[[float], None]
) -> tuple[tuple[SlurmNode, ...] | None, str]:
    """Ask for the nodes until those that answer us are known to answer the scheduler too, or time is over."""
    for wait_s in (*repeat(1.0, SETTLES), 0.0):
        shown = runner.run(Command(argv=show_nodes_command(), deadline_s=60))
        if not shown.ok:
            return None, shown.stderr.strip() or shown.stdout.strip() or shown.describe_end()
        nodes = parse_nodes_text(shown.stdout)
        if not wait_s or not any(node.unsettled for node in nodes if node.name in seen):
            break
        pause(wait_s)
    return nodes, ""


def _file(token: str) -> str:
    return f".ogai-check/{token}"


def _write_tokens(cluster: Cluster, seen: Sequence[str], token: str, reach: Reach) -> Mapping[str, str]:
    """Have one node that answers write a file on each shared file system: its server, else the first."""
    written = {}
    for storage in cluster.storage:
        writer = storage.server_node if storage.server_node in seen else next(iter(seen), None)
        if writer is not None:
            path = f"{storage.mountpoint}/{_file(token)}"
            if _ran(cluster, writer, WRITE_TOKEN, (path, token), reach):
                written[storage.mountpoint] = token
    return written


def _remove_tokens(cluster: Cluster, seen: Sequence[str], token: str, reach: Reach) -> None:
    paths = [f"{storage.mountpoint}/{_file(token)}" for storage in cluster.storage]
    if paths and seen:
        _ran(cluster, seen[0], REMOVE_TOKENS, tuple(paths), reach)


def _ran(cluster: Cluster, node: str, script: str, args: tuple[str, ...], reach: Reach) -> bool:
    command = Command.script(script, *args, deadline_s=20, sudo=needs_sudo(cluster))
    done = reach([node], lambda _, runner: runner.run(command).ok, limit_s=25)[node]
    return done is True
