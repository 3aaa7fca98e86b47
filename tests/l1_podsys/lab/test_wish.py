"""A wish becomes a lab, and a larger wish adds to it."""

from ipaddress import IPv4Network
from pathlib import Path

import msgspec
import pytest

from l0_infra.core.errors import UnsatisfiableError, UsageError
from l1_podsys.lab.documents import Lab, LabWish
from l1_podsys.lab.wish import (
    check_wish,
    disks_in,
    left_as_they_are,
    plan_hosts,
    plan_lab,
    refuse_other_mirror,
)
from tests.support.labs import a_lab


def test_hosts_are_numbered_by_name_address_and_cable() -> None:
    lab = a_lab(nodes=3)
    assert [(host.name, host.address) for host in lab.hosts] == [
        ("t-paper-1", "10.217.7.2"),
        ("t-paper-2", "10.217.7.3"),
        ("t-paper-3", "10.217.7.4"),
    ]
    assert lab.gateway == "10.217.7.1"


def test_names_in_the_kernel_are_short_enough_for_the_last_host() -> None:
    lab = a_lab(nodes=200)
    assert max(len(lab.cable(host)) for host in lab.hosts) <= 15  # IFNAMSIZ of netdevice(7), less the NUL
    assert len({lab.cable(host) for host in lab.hosts}) == len({host.address for host in lab.hosts}) == 200


def test_more_hosts_leave_the_others_as_they_are_and_fewer_take_none_away() -> None:
    lab = a_lab(nodes=2)
    more = plan_hosts(lab, LabWish(name="t-paper", nodes=4, memory_bytes=2**30))
    assert more.hosts[:2] == lab.hosts and len(more.hosts) == 4
    assert [host.memory_bytes for host in more.hosts] == [None, None, 2**30, 2**30]
    assert plan_hosts(more, LabWish(name="t-paper", nodes=1)) == more


def test_another_debian_is_another_lab() -> None:
    with pytest.raises(UnsatisfiableError, match="a lab of debian12; expected one of debian13"):
        plan_hosts(a_lab(), LabWish(name="t-paper", os="debian13"))


@pytest.mark.parametrize(
    ("wish", "told"),
    [
        (
            LabWish(nodes=2, memory_bytes=2**30),
            "hosts with no limit of memory; expected 1 GiB of memory, as --memory says",
        ),
        (
            LabWish(nodes=1, directory=Path("/other")),
            "disks in /home/labs/t-paper/hosts; expected in /other/t-paper, as --dir says",
        ),
        (
            LabWish(nodes=9, directory=Path("/other")),
            "disks in /home/labs/t-paper/hosts; expected in /other/t-paper, as --dir says",
        ),
        (LabWish(nodes=2, vary=True), "t-paper-[1-2] made otherwise; expected hosts that differ"),
    ],
)
def test_what_a_lab_that_is_there_cannot_become_is_refused_with_what_it_has(wish: LabWish, told: str) -> None:
    with pytest.raises(UnsatisfiableError, match="lab t-paper") as refused:
        plan_hosts(a_lab(nodes=2), wish)
    assert told in str(refused.value)
    assert refused.value.hint.endswith("take it down first: ogai lab down t-paper")


def test_what_it_is_already_may_be_said_again() -> None:
    lab = plan_lab(
        LabWish(name="lab", nodes=2, memory_bytes=2**30),
        lab_id="0a1b2c",
        image=Path("/image"),
        directory=disks_in(Path("/disks"), "lab"),
        subnet=IPv4Network("10.217.7.0/24"),
    )
    wish = LabWish(name="lab", nodes=2, memory_bytes=2**30, directory=Path("/disks"))
    assert plan_hosts(lab, wish) == lab and not list(left_as_they_are(lab, wish))


def test_hosts_that_keep_another_memory_than_new_ones_get_are_named() -> None:
    wish = LabWish(name="t-paper", nodes=4, memory_bytes=2**30)
    (told,) = left_as_they_are(plan_hosts(a_lab(nodes=2), wish), wish)
    assert told == "t-paper-[1-2] stay as they are, with no limit of memory: --memory is for new hosts"


def test_what_a_lab_keeps_against_a_wish_is_said() -> None:
    lab, wish = a_lab(nodes=3), LabWish(name="t-paper", nodes=2)
    assert list(left_as_they_are(lab, wish)) == ["lab t-paper keeps its 3 hosts: `up` takes none away"]
    wish = LabWish(name="t-paper", nodes=5, vary=True)
    (told,) = left_as_they_are(plan_hosts(lab, wish), wish)
    assert told == "t-paper-[1-3] stay as they are: --vary is for new hosts"
    varied = a_lab(nodes=5, vary=True)
    assert plan_hosts(varied, wish) == varied and not list(left_as_they_are(varied, wish))


def test_another_mirror_is_another_lab_and_the_same_may_be_said_again() -> None:
    refuse_other_mirror(LabWish(mirror="http://deb.example.org/debian/"), "http://deb.example.org/debian")
    with pytest.raises(UnsatisfiableError, match="take packages from http://one; expected http://two"):
        refuse_other_mirror(LabWish(mirror="http://two"), "http://one")


def test_hosts_differ_when_asked_and_a_limit_given_counts_for_all() -> None:
    varied = a_lab(nodes=5, vary=True).hosts
    assert len({(host.memory_bytes, host.accelerators) for host in varied}) > 2
    assert (varied[4].memory_bytes, varied[4].accelerators) == (
        varied[0].memory_bytes,
        varied[0].accelerators,
    )
    limited = plan_hosts(a_lab(nodes=1), LabWish(nodes=3, vary=True, memory_bytes=2**30)).hosts[1:]
    assert {host.memory_bytes for host in limited} == {2**30}


@pytest.mark.parametrize(
    ("wish", "where"),
    [
        (LabWish(name="Lab"), "lab name"),
        (LabWish(name="../x"), "lab name"),
        (LabWish(name="a-"), "lab name"),
        (LabWish(name="a" * 31), "lab name"),
        (LabWish(nodes=0), "--nodes"),
        (LabWish(nodes=201), "--nodes"),
        (LabWish(memory_bytes=2**20), "--memory"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_made(wish: LabWish, where: str) -> None:
    with pytest.raises(UsageError) as error:
        check_wish(wish)
    assert error.value.where == where


def test_a_lab_is_read_back_as_it_was_written() -> None:
    lab = a_lab(nodes=2, vary=True)
    assert msgspec.json.decode(msgspec.json.encode(lab), type=Lab) == lab
