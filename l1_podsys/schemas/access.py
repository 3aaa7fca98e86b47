"""Who reaches the nodes, and how."""

import re
from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from l0_infra.core.documents import Part, Text
from l0_infra.core.errors import Fault

__all__ = ["Ssh", "User", "UserName"]

UserName = Annotated[str, Meta(pattern=r"^[a-z_][a-z0-9_-]{0,31}$")]

PUBLIC_KEY = re.compile(r"(.* )?(ssh|ecdsa|sk)-[a-z0-9@.-]+ AAAA[A-Za-z0-9+/]+={0,3}( .*)?")
"""A line of authorized_keys: options, if any, the kind of the key, the key, and a comment."""
MOST_SHOWN = 24


class Ssh(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the nodes are reached; what is null is left to ~/.ssh/config."""

    user: Annotated[UserName | None, Meta(description="Who logs in.")] = None
    port: Annotated[Annotated[int, Meta(ge=1, le=65535)] | None, Meta(description="Port.")] = None
    identity_file: Annotated[str | None, Meta(description="Private key file on this machine.")] = None
    known_hosts_file: Annotated[
        str | None, Meta(description="File with the nodes' host keys on this machine.")
    ] = None
    proxy_jump: Annotated[str | None, Meta(description="Host to go through, `user@host:port`.")] = None
    sudo: Annotated[bool, Meta(description="Whether root is reached by sudo.")] = True


class User(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A person with an account on every node."""

    name: Annotated[UserName, Meta(description="Login name.")]
    uid: Annotated[int, Meta(ge=1000, le=2**31 - 1, description="Number, equal on every node.")]
    public_keys: Annotated[tuple[Text, ...], Meta(description="Public ssh keys that may log in.")] = ()
    sudo: Annotated[bool, Meta(description="Whether the person may become root.")] = False

    def faults(self) -> Iterator[Fault]:
        """Yield what is no public key, of which little is shown: it may be a private one."""
        for index, key in enumerate(self.public_keys):
            if not PUBLIC_KEY.fullmatch(key):
                shown = key.partition("\n")[0]
                yield Fault(
                    path=("public_keys", index),
                    found=f"`{shown[:MOST_SHOWN]}{'…' if shown[:MOST_SHOWN] != key else ''}`",
                    expected="one line such as `ssh-ed25519 AAAA… name@host`",
                    hint="the text of a file that ends in .pub",
                )
