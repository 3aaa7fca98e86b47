"""Services and limits, from one answer of systemd's and the kernel's own table."""

import pytest

from l0_infra.schemas import ResourceLimit, Service
from tests.support.facts import facts_of, said

MANAGER = """\
DefaultLimitSTACK=infinity
DefaultLimitSTACKSoft=8388608
DefaultLimitNOFILE=524288
DefaultLimitNOFILESoft=1024
DefaultLimitMEMLOCK=8388608
DefaultLimitMEMLOCKSoft=65536
"""
UNITS = """\
LimitNOFILE=524288
LimitNOFILESoft=1024
LimitMEMLOCK=infinity
LimitMEMLOCKSoft=infinity
Id=slurmd.service
LoadState=loaded
ActiveState=active
UnitFileState=enabled

Id=nvidia-fabricmanager.service
LoadState=loaded
ActiveState=failed
UnitFileState=masked

Id=apt-daily-upgrade.timer
LoadState=loaded
ActiveState=active
UnitFileState=enabled

LimitMEMLOCK=8388608
LimitMEMLOCKSoft=8388608
Id=docker.service
LoadState=not-found
ActiveState=inactive
UnitFileState=

Id=chrony.service
LoadState=loaded
ActiveState=active
UnitFileState=enabled

Id=chrony.service
LoadState=loaded
ActiveState=active
UnitFileState=enabled
"""
NO_SYSTEMD = said(
    "", "System has not been booted with systemd as init system (PID 1). Can't operate.\n", code=1
)
LOGIN = """\
Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max stack size            8388608              unlimited            bytes
Max core file size        0                    unlimited            bytes
Max processes             2061428              2061428              processes
Max open files            1024                 1048576              files
Max locked memory         unlimited            unlimited            bytes
"""


def test_services_that_are_installed_each_once() -> None:
    assert facts_of({"systemctl-show.txt": f"{MANAGER}\n{UNITS}"}).services == (
        Service(name="apt-daily-upgrade.timer", state="active", enabled="enabled"),
        Service(name="chrony", state="active", enabled="enabled"),
        Service(name="nvidia-fabricmanager", state="failed", enabled="masked"),
        Service(name="slurmd", state="active", enabled="enabled"),
    )


def test_a_machine_without_systemd_lacks_nothing() -> None:
    facts = facts_of({"systemctl-show.txt": NO_SYSTEMD})
    assert (facts.services, facts.resource_limits, facts.unread) == (None, (), ())


def test_a_bus_that_fails_is_told() -> None:
    bus = said("", "Failed to connect to bus: Permission denied\n", code=1)
    (fault,) = facts_of({"systemctl-show.txt": bus}).unread
    assert (fault.what, fault.reason, fault.hint) == ("systemctl show", "denied", "look as root")


def test_a_word_cut_off_is_no_state() -> None:
    text = "Id=munge.service\nLoadState=loaded\nActiveState=act"
    assert facts_of({"systemctl-show.txt": text}).services == (Service(name="munge"),)


def test_limits_of_a_service_by_default_and_of_one_that_sets_its_own() -> None:
    limits = facts_of({"systemctl-show.txt": f"{MANAGER}\n{UNITS}"}).resource_limits
    assert limits == (
        ResourceLimit(
            name="memlock",
            scope="service",
            soft=65536,
            soft_unlimited=False,
            hard=8388608,
            hard_unlimited=False,
        ),
        ResourceLimit(
            name="nofile", scope="service", soft=1024, soft_unlimited=False, hard=524288, hard_unlimited=False
        ),
        ResourceLimit(name="stack", scope="service", soft=8388608, soft_unlimited=False, hard_unlimited=True),
        ResourceLimit(
            name="memlock", scope="service", service="slurmd", soft_unlimited=True, hard_unlimited=True
        ),
        ResourceLimit(
            name="nofile",
            scope="service",
            service="slurmd",
            soft=1024,
            soft_unlimited=False,
            hard=524288,
            hard_unlimited=False,
        ),
    )


def test_systemd_before_version_229_has_one_number_and_another_word_for_no_limit() -> None:
    text = "DefaultLimitNOFILE=4096\nDefaultLimitMEMLOCK=18446744073709551615\n"
    assert facts_of({"systemctl-show.txt": text}).resource_limits == (
        ResourceLimit(name="memlock", scope="service", hard_unlimited=True),
        ResourceLimit(name="nofile", scope="service", hard=4096, hard_unlimited=False),
    )


def first_process(bound: str, users: str = "         0          0 4294967295") -> str:
    return f"{LOGIN}Name:\tsystemd\nCapEff:\t000001ffffffffff\nCapBnd:\t{bound}\n{users}\n"


@pytest.mark.parametrize(
    ("bound", "users"),
    [
        ("000001fffeffffff", "         0          0 4294967295"),
        ("000001ffffffffff", "         0     100000      65536"),
    ],
    ids=["without the capability", "with other users"],
)
def test_what_a_container_cannot_raise(bound: str, users: str) -> None:
    limits = facts_of({"proc-1-limits.txt": first_process(bound, users)}).resource_limits
    assert [(one.name, one.scope, one.soft, one.hard) for one in limits] == [
        ("nproc", "node", None, 2061428),
        ("nofile", "node", None, 1048576),
    ]


def test_a_node_that_may_raise_limits_has_no_bound() -> None:
    whole = first_process("000001ffffffffff")
    assert facts_of({"proc-1-limits.txt": whole}).resource_limits == ()
    assert facts_of({"proc-1-limits.txt": LOGIN}).resource_limits == ()


def test_limits_of_who_looked() -> None:
    limits = {one.name: one for one in facts_of({"proc-self-limits.txt": LOGIN}).resource_limits}
    assert limits.keys() == {"stack", "core", "nproc", "nofile", "memlock"}
    assert {one.scope for one in limits.values()} == {"login"}
    assert (limits["memlock"].soft, limits["memlock"].soft_unlimited) == (None, True)
    assert (limits["nofile"].soft, limits["nofile"].hard) == (1024, 1048576)
    assert (limits["core"].soft, limits["core"].hard_unlimited) == (0, True)
