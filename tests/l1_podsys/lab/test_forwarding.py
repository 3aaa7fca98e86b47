"""What labs switch on in the machine they switch off again, and nothing else."""

from pathlib import Path

import pytest

from l1_podsys.lab.forwarding import parse_uplinks, restore_forwarding, switch_forwarding_on


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    root = tmp_path / "sys"
    for name, value in (("eth0", "0"), ("eth1", "1"), ("ogl1", "0")):
        (root / "net/ipv4/conf" / name).mkdir(parents=True)
        (root / "net/ipv4/conf" / name / "forwarding").write_text(f"{value}\n")
    (root / "net/ipv4/ip_forward").write_text("0\n")
    return root


def value(settings: Path, name: str) -> str:
    return (settings / "net/ipv4/conf" / name / "forwarding").read_text().strip()


def test_what_was_off_is_off_again_and_what_was_on_stays_on(settings: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    switch_forwarding_on(("ogl1", "eth0", "eth1"), notes=notes, settings=settings)
    assert [value(settings, name) for name in ("eth0", "eth1", "ogl1")] == ["1", "1", "1"]
    switch_forwarding_on(("eth0", "eth1"), notes=notes, settings=settings)  # a second lab
    (settings / "net/ipv4/conf/ogl1/forwarding").unlink()  # the bridge has gone
    restore_forwarding(notes=notes, settings=settings)
    assert [value(settings, name) for name in ("eth0", "eth1")] == ["0", "1"]
    assert not notes.exists()


def test_where_somebody_switched_it_on_for_all_it_stays_on(settings: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    switch_forwarding_on(("eth0",), notes=notes, settings=settings)
    (settings / "net/ipv4/ip_forward").write_text("1\n")
    restore_forwarding(notes=notes, settings=settings)
    assert value(settings, "eth0") == "1" and not notes.exists()


def test_uplinks_are_the_interfaces_of_the_default_ways() -> None:
    routes = '[{"dst":"default","dev":"eth0"},{"dst":"default","dev":"wlan0"},{"dst":"default","dev":"eth0"}]'
    assert parse_uplinks(routes) == ("eth0", "wlan0")
    assert parse_uplinks("") == ()
