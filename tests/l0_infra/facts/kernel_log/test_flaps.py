"""How often a link was lost and came back."""

import pytest

from l0_infra.facts.bundle import NOT_ASKED
from l0_infra.facts.kernel_log import Flaps, count_flaps, parse_log
from tests.support.kernel_logs import NOW, answers, log_of

FLAPS = [
    (
        "told many times within seconds, once",
        "Jul  2 06:18:01 n systemd-networkd[5]: ib6: lost carrier\n"
        + "Jul  2 06:18:06 n systemd-networkd[5]: ib6: lost carrier\n" * 5
        + "Jul  2 06:18:06 n systemd-networkd[5]: ib6: Gained carrier\n" * 6,
        {"ib6": 1},
    ),
    (
        "twice, by a driver",
        "[ 10.0] mlx5_core 0000:a1:00.0 ens2np0: Link down\n[ 11.0] mlx5_core 0000:a1:00.0 ens2np0: Link up\n"
        "[ 20.0] mlx5_core 0000:a1:00.0 ens2np0: Link down\n[ 25.0] mlx5_core 0000:a1:00.0 ens2np0: Link up\n",
        {"ens2np0": 2},
    ),
    (
        "by driver and daemon at once, once",
        "[ 10.1] mlx5_core 0000:a1:00.0 ens2np0: Link down\n[ 10.2] systemd-networkd[9]: ens2np0: Lost carrier\n"
        "[ 14.1] mlx5_core 0000:a1:00.0 ens2np0: Link up\n"
        "[ 14.2] IPv6: ADDRCONF(NETDEV_CHANGE): ens2np0: link becomes ready\n",
        {"ens2np0": 1},
    ),
    (
        "to and fro within one second, once",
        "[ 10.1] ixgbe 0000:03:00.0 eth1: NIC Link is Down\n[ 10.2] ixgbe 0000:03:00.0 eth1: NIC Link is Up 10 Gbps\n"
        "[ 10.3] ixgbe 0000:03:00.0 eth1: NIC Link is Down\n[ 10.4] ixgbe 0000:03:00.0 eth1: NIC Link is Up 10 Gbps\n",
        {"eth1": 1},
    ),
    ("down and not back", "[ 10.1] tg3 0000:02:00.0 eno1: Link is down\n", {"eno1": 0}),
    ("up at boot", "[ 10.1] tg3 0000:02:00.0 eno1: Link is up at 1000 Mbps, full duplex\n", {"eno1": 0}),
    (
        "of a bond's slaves",
        "[ 1.0] bond0: (slave ens9f0): link status definitely down, disabling slave\n"
        "[ 9.0] bond0: (slave ens9f0): link status definitely up, 100000 Mbps full duplex\n",
        {"ens9f0": 1},
    ),
    (
        "of containers, none",
        "[ 1.0] systemd-networkd[9]: veth12: Lost carrier\n[ 2.0] systemd-networkd[9]: veth12: Gained carrier\n",
        {},
    ),
    (
        "later lines first",
        "[ 9.0] tg3 0000:02:00.0 eno1: Link is up\n[ 5.0] tg3 0000:02:00.0 eno1: Link is down\n",
        {"eno1": 1},
    ),
]


@pytest.mark.parametrize(("log", "counts"), [case[1:] for case in FLAPS], ids=[case[0] for case in FLAPS])
def test_losses_that_came_back_are_counted(log: str, counts: dict[str, int]) -> None:
    found = count_flaps(log_of(log))
    assert found is not None
    assert {interface: flaps.count for interface, flaps in found.items()} == counts


def test_the_last_loss_is_told_whether_or_not_it_came_back() -> None:
    log = "[ 10.0] tg3 0000:02:00.0 eno1: Link is down\n[ 11.0] tg3 0000:02:00.0 eno1: Link is up\n"
    again = log + "[ 20.5] tg3 0000:02:00.0 eno1: Link is down\n"
    assert count_flaps(log_of(log)) == {"eno1": Flaps(count=1, last_uptime_s=10.0)}
    assert count_flaps(log_of(again)) == {"eno1": Flaps(count=1, last_uptime_s=20.5)}


def test_what_is_older_than_a_day_counts_only_where_nobody_knows_how_old_it_is() -> None:
    log = "[ 10.0] tg3 0000:02:00.0 eno1: Link is down\n[ 11.0] tg3 0000:02:00.0 eno1: Link is up\n"
    young, old = (f"btime 1778306400\n{uptime}.0 1.0\n" for uptime in (3600, 90_000))
    assert count_flaps(log_of(log, young)) == {
        "eno1": Flaps(count=1, last_uptime_s=10.0, last_at=1778306410.0)
    }
    assert count_flaps(log_of(log, old)) == {}
    assert count_flaps(log_of(log)) != {}


def test_a_log_that_nobody_read_tells_of_no_links() -> None:
    assert count_flaps(parse_log(answers("") | {"kernel.log": NOT_ASKED}, NOW)) is None
    assert count_flaps(log_of("")) == {}
