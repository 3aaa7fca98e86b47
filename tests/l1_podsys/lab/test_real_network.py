"""The bridge and its rules, made and removed by the real programs in a network namespace of its own."""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from l0_infra.core.exec import Answer, Command, ScriptedRunner
from l1_podsys.lab.network import apply_network, remove_network
from tests.support.labs import a_lab, skip_without_lab

pytestmark = pytest.mark.real

LAB = a_lab(lab_id="c0ffee")


class Network:
    """A network namespace that lives as long as a process in it."""

    def __init__(self) -> None:
        self.holder = subprocess.Popen(["unshare", "--net", "cat"], stdin=subprocess.PIPE)
        own = Path("/proc/self/ns/net").readlink()
        while Path(f"/proc/{self.holder.pid}/ns/net").readlink() == own:
            assert self.holder.poll() is None

    def run(self, argv: Sequence[str], stdin: bytes = b"") -> str:
        """Run a program in it that must succeed."""
        enter = ["nsenter", "--net", f"--target={self.holder.pid}"]
        return subprocess.run(
            [*enter, *argv], input=stdin, stdout=subprocess.PIPE, check=True
        ).stdout.decode()

    def play(self, commands: Sequence[Command]) -> None:
        """Run what a runner was given."""
        for command in commands:
            self.run(command.argv, command.stdin or b"")

    def links(self) -> set[str]:
        """Name the interfaces in it."""
        return {line.split()[0].partition("@")[0] for line in self.run(("ip", "-br", "link")).splitlines()}

    def end(self) -> None:
        """Let go of it."""
        self.holder.communicate()


@pytest.fixture
def network() -> Iterator[Network]:
    skip_without_lab()
    made = Network()
    yield made
    made.end()


def commands() -> tuple[list[Command], list[Command]]:
    """What brings the network up, and what takes it away."""
    up, down = (ScriptedRunner().answer(lambda command: True, Answer()) for _ in range(2))
    apply_network(up, LAB)
    remove_network(down, LAB)
    return up.calls, down.calls


def test_a_bridge_is_made_once_and_nothing_of_it_is_left(network: Network) -> None:
    up, down = commands()
    before = network.links()
    network.play([*up, *up])
    assert network.links() == before | {"oglc0ffee"}
    assert "inet 10.217.7.1/24" in network.run(("ip", "address", "show", "oglc0ffee"))
    assert network.run(("nft", "list", "ruleset")).count("masquerade") == 1
    assert network.run(("cat", "/proc/sys/net/ipv4/conf/oglc0ffee/forwarding")) == "1\n"
    network.run(("ip", "link", "add", "oglc0ffee-2", "type", "veth", "peer", "name", "left"))
    network.run(
        ("ip", "link", "add", "oglc0ffe1-2", "type", "veth", "peer", "name", "other")
    )  # another lab's
    network.play([*down, *down])
    assert network.links() == before | {"oglc0ffe1-2", "other"}
    assert "ogai_lab" not in network.run(("nft", "list", "ruleset"))


def test_where_packets_are_dropped_the_bridges_are_let_through(network: Network) -> None:
    if shutil.which("iptables", path="/usr/sbin:/sbin") is None:
        pytest.skip("needs iptables")
    up, down = commands()
    network.run(("iptables", "-P", "FORWARD", "DROP"))
    network.run(("iptables", "-A", "FORWARD", "-i", "other", "-j", "DROP"))
    before = network.run(("iptables", "-S", "FORWARD"))
    network.play([*up, *up])
    rules = network.run(("iptables", "-S", "FORWARD")).splitlines()
    assert rules[1:3] == ["-A FORWARD -o oglc0ffee -j ACCEPT", "-A FORWARD -i oglc0ffee -j ACCEPT"]
    assert len(rules) == 4
    network.play(down)
    assert network.run(("iptables", "-S", "FORWARD")) == before
