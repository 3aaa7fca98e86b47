"""A lab's network takes addresses that nobody here uses."""

import json
from ipaddress import IPv4Network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.core.errors import UnsatisfiableError
from l0_infra.core.exec import Answer, ScriptedRunner
from l1_podsys.lab.network import SUBNETS, apply_network, choose_subnet, parse_routes, remove_network
from tests.support.labs import a_lab

ROUTES = [
    {"dst": "default", "gateway": "192.0.2.1", "dev": "eth0"},
    {"dst": "192.0.2.0/24", "dev": "eth0", "scope": "link"},
    {"type": "local", "dst": "192.0.2.2", "dev": "eth0", "table": "local"},
    {"type": "broadcast", "dst": "192.0.2.255", "dev": "eth0", "table": "local"},
    {"type": "blackhole", "dst": "10.217.0.0/16", "table": "100"},
    {"dst": "0.0.0.0/0", "dev": "tun0", "table": "200"},
]


def test_routes_are_networks_and_the_default_way_is_none() -> None:
    found = parse_routes(json.dumps(ROUTES))
    assert [str(route) for route in found] == [
        "192.0.2.0/24",
        "192.0.2.2/32",
        "192.0.2.255/32",
        "10.217.0.0/16",
    ]
    assert parse_routes("") == ()


def test_what_a_way_leads_to_is_passed_over() -> None:
    assert choose_subnet(parse_routes(json.dumps(ROUTES))) == IPv4Network("10.218.0.0/24")


@given(st.lists(st.sampled_from(SUBNETS), max_size=40), st.lists(st.integers(8, 30), max_size=40))
def test_no_two_labs_overlap(labs: list[IPv4Network], lengths: list[int]) -> None:
    used = [
        lab.supernet(new_prefix=length) if length <= lab.prefixlen else next(lab.subnets(new_prefix=length))
        for lab, length in zip(labs, lengths, strict=False)
    ]
    try:
        chosen = choose_subnet(used)
    except UnsatisfiableError:
        assert all(any(subnet.overlaps(other) for other in used) for subnet in SUBNETS)
    else:
        assert not any(chosen.overlaps(other) for other in used)


def test_where_all_is_taken_it_is_said() -> None:
    with pytest.raises(UnsatisfiableError, match=r"10\.217\.0\.0/24 to 10\.219\.255\.0/24 in use"):
        choose_subnet([IPv4Network("10.0.0.0/8")])


def test_everything_made_bears_the_labs_own_name_and_the_same_is_removed() -> None:
    lab, runner = a_lab(lab_id="c0ffee"), ScriptedRunner().answer(lambda command: True, Answer())
    apply_network(runner, lab)
    remove_network(runner, lab)
    up, down = runner.calls
    assert up.argv[3:] == ("oglc0ffee", "10.217.7.1/24", "ogai_lab_c0ffee")
    assert down.argv[3:] == ("oglc0ffee", "ogai_lab_c0ffee")
    rules = (up.stdin or b"").decode()
    assert 'ip saddr 10.217.7.0/24 oifname != "oglc0ffee" masquerade' in rules
