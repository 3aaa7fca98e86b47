"""What labs change in the machine's settings they put back, and nothing else."""

from pathlib import Path

import pytest

from l1_podsys.lab.settings import apply_settings, parse_uplinks, restore_settings

FORWARDING = "net/ipv4/conf/{}/forwarding"
WATCHERS = "fs/inotify/max_user_instances"
WHOLE = "net/ipv4/ip_forward"


class Machine:
    """A machine with three interfaces, of which one forwards already."""

    def __init__(self, folder: Path) -> None:
        self.sysctl, self.notes = folder / "sys", folder / "notes"
        forwards = {"eth0": "0", "eth1": "1", "eth2": "0"}
        for name, value in {
            **{FORWARDING.format(name): value for name, value in forwards.items()},
            WATCHERS: "128",
            WHOLE: "0",
        }.items():
            (self.sysctl / name).parent.mkdir(parents=True, exist_ok=True)
            self.set(name, value)

    def set(self, name: str, value: str) -> None:
        (self.sysctl / name).write_text(f"{value}\n")

    def get(self, name: str) -> str:
        return (self.sysctl / name).read_text().strip()

    def forwarding(self) -> list[str]:
        return [self.get(FORWARDING.format(name)) for name in ("eth0", "eth1")]

    def apply(self, *interfaces: str) -> None:
        apply_settings(interfaces, notes=self.notes, sysctl=self.sysctl)

    def restore(self) -> None:
        restore_settings(notes=self.notes, sysctl=self.sysctl)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_what_was_off_is_off_again_and_what_was_on_stays_on(machine: Machine) -> None:
    machine.apply("eth2", "eth0", "eth1")
    assert machine.forwarding() == ["1", "1"]
    machine.apply("eth0", "eth1")  # a second lab
    (machine.sysctl / FORWARDING.format("eth2")).unlink()  # the interface has gone
    machine.restore()
    assert machine.forwarding() == ["0", "1"]
    assert not machine.notes.exists()


def test_where_somebody_switched_forwarding_on_for_all_it_stays_on(machine: Machine) -> None:
    machine.apply("eth0")
    machine.set(WHOLE, "1")
    machine.restore()
    assert machine.forwarding() == ["1", "1"] and not machine.notes.exists()


def test_many_hosts_may_watch_files_and_the_limit_comes_back(machine: Machine) -> None:
    machine.apply()
    assert int(machine.get(WATCHERS)) >= 7 * 200  # of the largest lab
    machine.restore()
    assert machine.get(WATCHERS) == "128"


@pytest.mark.parametrize("later", ["9000", "500"])
def test_a_limit_that_somebody_else_set_stays(machine: Machine, later: str) -> None:
    machine.apply()
    machine.set(WATCHERS, later)
    machine.restore()
    assert machine.get(WATCHERS) == later


def test_a_limit_that_is_high_enough_is_left_alone(machine: Machine) -> None:
    machine.set(WATCHERS, "100000")
    machine.apply()
    assert machine.get(WATCHERS) == "100000" and not machine.notes.exists()


def test_a_kernel_without_such_a_setting_is_no_trouble(machine: Machine) -> None:
    (machine.sysctl / WATCHERS).unlink()
    machine.apply("eth7")
    machine.restore()


def test_uplinks_are_the_interfaces_of_the_default_ways() -> None:
    routes = '[{"dst":"default","dev":"eth0"},{"dst":"default","dev":"wlan0"},{"dst":"default","dev":"eth0"}]'
    assert parse_uplinks(routes) == ("eth0", "wlan0")
    assert parse_uplinks("") == ()
