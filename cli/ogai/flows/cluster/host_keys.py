"""A machine that is gone leaves no key behind, so that the key of the one in its place is looked at anew."""

from l0_infra.core.exec import Command, LocalRunner
from l1_podsys.schemas import Ssh

__all__ = ["forget_host_key"]

SSH_PORT = 22


def forget_host_key(ssh: Ssh, address: str) -> None:
    """Take the key of an address out of the known hosts; where there is no file or no key, nothing is to forget."""
    known_as = address if ssh.port in (None, SSH_PORT) else f"[{address}]:{ssh.port}"
    where = () if ssh.known_hosts_file is None else ("-f", ssh.known_hosts_file)
    LocalRunner().run(Command(argv=("ssh-keygen", *where, "-R", known_as)))
