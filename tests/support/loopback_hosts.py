"""Many hosts on one machine: sshd servers on loopback, each with a port of its own, that log the caller in by key."""

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Host", "hosts_on_loopback"]

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/sbin:/usr/bin")
START_S = 20.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Host:
    """One server, under the name that the ssh configuration beside it gives it."""

    name: str
    port: int
    config: Path


@contextmanager
def hosts_on_loopback(
    count: int, folder: Path, *, settings: str = "", programs: Path | None = None
) -> Iterator[tuple[Host, ...]]:
    """Start so many servers and end them; `settings` are more lines of sshd's configuration.

    What is run on the hosts finds the programs of the folder `programs` before those of this machine.

    Raises FileNotFoundError when no sshd is installed.
    """
    if SSHD is None:
        raise FileNotFoundError("sshd (Debian: openssh-server)")
    Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    for key in ("host_key", "user_key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / key)], check=True)
    hosts = tuple(
        Host(name=f"host{index:02}", port=_free_port(), config=folder / "ssh_config")
        for index in range(count)
    )
    hosts[0].config.write_text("".join(_client(host, folder) for host in hosts))
    public = (folder / "host_key.pub").read_text()
    (folder / "known_hosts").write_text("".join(f"[127.0.0.1]:{host.port} {public}" for host in hosts))
    servers = [_start(host, folder, settings, programs) for host in hosts]
    try:
        for host in hosts:
            _wait_for(host)
        yield hosts
    finally:
        for server in servers:
            server.terminate()
            server.wait()


def _client(host: Host, folder: Path) -> str:
    return (
        f"Host {host.name}\n  HostName 127.0.0.1\n  Port {host.port}\n  User {getpass.getuser()}\n"
        f"  IdentityFile {folder}/user_key\n  IdentitiesOnly yes\n  UserKnownHostsFile {folder}/known_hosts\n"
    )


# SHLVL keeps bash from reading the ~/.bashrc of whoever runs this.
def _start(host: Host, folder: Path, settings: str, programs: Path | None) -> "subprocess.Popen[bytes]":
    path = "" if programs is None else f' "PATH={programs}:{os.environ["PATH"]}"'
    config = folder / f"{host.name}.conf"
    config.write_text(
        f"ListenAddress 127.0.0.1:{host.port}\nHostKey {folder}/host_key\n"
        f"AuthorizedKeysFile {folder}/user_key.pub\nPidFile none\nStrictModes no\nUsePAM no\n"
        "PasswordAuthentication no\nPermitRootLogin yes\nMaxStartups 1000\n"
        f"SetEnv SHLVL=2{path}\nSubsystem sftp internal-sftp\n{settings}"
    )
    return subprocess.Popen([str(SSHD), "-D", "-f", str(config)], stderr=subprocess.DEVNULL)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(host: Host) -> None:
    end = time.monotonic() + START_S
    while True:
        try:
            with socket.create_connection(("127.0.0.1", host.port), 1) as connection:
                if connection.recv(4) == b"SSH-":
                    return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
