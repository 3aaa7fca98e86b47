"""Whether shared file systems are mounted, and the same one on every node."""

from collections.abc import Iterator

from l1_podsys.gates.catalogue import verdict
from l1_podsys.gates.look import Look
from l1_podsys.gates.words import code_word
from l1_podsys.schemas import Cluster, Storage, Verdict

__all__ = ["judge_storage"]


def judge_storage(cluster: Cluster, node: str, look: Look, tokens: dict[str, str]) -> Iterator[Verdict]:
    """Judge each file system; `tokens` are what one node wrote, by mount point, or why it could not."""
    points = {line.split()[1] for line in look.lines("mounts") or () if len(line.split()) > 1}
    for storage in cluster.storage:
        serves = storage.server_node == node
        if storage.filesystem != "existing" and not serves and storage.mountpoint not in points:
            named = f"storage.{code_word(storage.mountpoint, empty='root')}-mounted"
            yield verdict(node, "storage.mounted", "critical", f"{storage.mountpoint} is not", named=named)
        else:
            yield _shared(storage, node, look, tokens)


def _shared(storage: Storage, node: str, look: Look, tokens: dict[str, str]) -> Verdict:
    named = f"storage.{code_word(storage.mountpoint, empty='root')}-shared"
    token = tokens.get(storage.mountpoint)
    lines = look.lines(f"storage {storage.mountpoint}")
    if token is None or not lines:
        why = "no file could be written there" if token is None else "it was not asked"
        return verdict(node, "storage.shared", "unknown", f"{storage.mountpoint}: {why}", named=named)
    said = lines[0]
    if said == f"token {token}":
        return verdict(node, "storage.shared", "ok", storage.mountpoint, named=named)
    words = said.removeprefix("failed ").partition(" ")
    found = f"{storage.mountpoint}: {'no answer in time' if words[0] in ('124', '137') else words[2] or 'another file'}"
    return verdict(node, "storage.shared", "critical", found, named=named)
