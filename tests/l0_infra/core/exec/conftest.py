"""Real sshd servers on loopback, each with keys and configuration of its own."""

import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from l0_infra.core.exec import LocalRunner, Runner, SshOptions, SshRunner

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/sbin:/usr/bin")


@dataclass
class Sshd:
    """One server; `options()` logs in to it with the key it knows."""

    folder: Path
    port: int
    settings: tuple[str, ...] = ()
    process: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)

    @property
    def key(self) -> str:
        return str(self.folder / "user_key")

    @property
    def known_hosts(self) -> str:
        return str(self.folder / "known_hosts")

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text()

    def prepare(self) -> None:
        keygen(self.folder / "host_key")
        keygen(self.folder / "user_key")
        shutil.copy(self.folder / "user_key.pub", self.folder / "authorized_keys")
        self.trust((self.folder / "host_key.pub").read_text())
        (self.folder / "config").write_text("")
        (self.folder / "sshd_config").write_text(
            f"ListenAddress 127.0.0.1:{self.port}\nHostKey {self.folder}/host_key\n"
            f"AuthorizedKeysFile {self.folder}/authorized_keys .ssh/authorized_keys\n"
            "PidFile none\nStrictModes no\nUsePAM no\n"
            "PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin yes\n"
            "SetEnv SHLVL=2\n"  # bash then leaves the developer's ~/.bashrc alone
            "MaxStartups 1000\nLogLevel VERBOSE\n" + "\n".join(self.settings)
        )

    def trust(self, public_key: str) -> None:
        Path(self.known_hosts).write_text(f"[127.0.0.1]:{self.port} {public_key}")

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [str(SSHD), "-D", "-e", "-f", str(self.folder / "sshd_config")], stderr=log
            )
        wait_until(self.answers, f"sshd did not start: {self.log}")

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait()

    def answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as connection:
                return connection.recv(4) == b"SSH-"
        except OSError:
            return False

    def options(self, **changes: object) -> SshOptions:
        given: dict[str, object] = {
            "port": self.port,
            "config_file": str(self.folder / "config"),
            "identity_files": (self.key,),
            "known_hosts_file": self.known_hosts,
        }
        return SshOptions(**(given | changes))  # type: ignore[arg-type]


def keygen(file: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(file)], check=True)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(holds: Callable[[], bool], complaint: str, within_s: float = 20) -> None:
    end = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(complaint)
        time.sleep(0.02)


def processes_with(text: str) -> list[int]:
    """Return the processes whose command line has a text."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if text.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


@pytest.fixture(scope="session")
def start_sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Sshd]]:
    """Return a function that starts a server with further lines of configuration."""
    if SSHD is None or shutil.which("ssh") is None:
        pytest.skip("needs sshd and ssh (Debian: openssh-server, openssh-client)")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    servers: list[Sshd] = []

    def start(*settings: str) -> Sshd:
        server = Sshd(tmp_path_factory.mktemp("sshd"), free_port(), settings)
        server.prepare()
        servers.append(server)
        server.start()
        return server

    yield start
    for server in servers:
        server.stop()


@pytest.fixture(scope="session")
def sshd(start_sshd: Callable[..., Sshd]) -> Sshd:
    """A plain server, shared by the tests that do not change it."""
    return start_sshd()


@pytest.fixture(name="wait_until", scope="session")
def _wait_until() -> Callable[..., None]:
    """Return the function that waits for a condition and fails with a complaint."""
    return wait_until


@pytest.fixture(name="processes_with")
def _processes_with() -> Callable[[str], list[int]]:
    """Return the function that finds processes by their command line."""
    return processes_with


@pytest.fixture
def mark() -> str:
    """A number of seconds that no other sleep of this machine has, to find our own by."""
    return f"{30000 + secrets.randbelow(60000)}.{secrets.randbelow(10**6):06d}"


@pytest.fixture(params=["local", pytest.param("ssh", marks=pytest.mark.real)])
def runner(request: pytest.FixtureRequest) -> Iterator[Runner]:
    """Every kind of runner that reaches a real host."""
    if request.param == "local":
        yield LocalRunner()
        return
    yield request.getfixturevalue("ssh_runner")


@pytest.fixture(scope="session")
def ssh_runner(sshd: Sshd) -> Iterator[Runner]:
    """A runner on the shared server."""
    with SshRunner("127.0.0.1", sshd.options()) as ssh:
        yield ssh
