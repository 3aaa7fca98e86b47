"""The machine in another's place has another host key: a person compares it once, and it is remembered."""

from collections.abc import Callable

from l0_infra.core.errors import RemoteError
from l0_infra.core.exec import Command, HostKeyError, trust_key
from ogai.flows.cluster.work import Work

__all__ = ["AcceptKey", "meet_machine"]

AcceptKey = Callable[[HostKeyError], bool]
"""Called with the key that a machine shows; says whether it is the machine's own."""

HELLO = Command(argv=("true",), deadline_s=30.0)


def meet_machine(work: Work, node: str, accept: AcceptKey) -> None:
    """Have the key of the machine that answers for a node be known; one that is known already asks nobody.

    Raises RemoteError with the fingerprint and what to do when the key is not accepted. That a machine does not answer,
    or that it is another's key on the way to it, is told by the look at it.
    """
    try:
        work.nodes.runner(node).run(HELLO)
    except HostKeyError as shown:
        if shown.host != work.nodes.targets[node].address or shown.doubt == "revoked":
            return
        if not accept(shown):
            raise _not_accepted(node, shown) from shown
        trust_key(shown)
    except RemoteError:
        return


def _not_accepted(node: str, shown: HostKeyError) -> RemoteError:
    return RemoteError(
        f"{node} at {shown.where}",
        found=shown.found,
        expected="a key that you have compared with the new machine's own",
        hint=f"compare the fingerprint, accept it, and give the same command again: {shown.accept}",
    )
