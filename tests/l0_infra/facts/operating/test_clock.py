"""Who keeps the clock and how far it is off: positive is ahead, whatever way the daemon counts."""

import pytest

from l0_infra.facts.bundle import Answer
from l0_infra.schemas import ClockState
from tests.support.facts import facts_of, said

BEHIND = (
    "C0A80A05,192.168.10.5,3,1772532000.123456789,0.000250000,-0.000012000,0.000031000,"
    "-11.5,0.001,0.02,0.0011,0.0002,64.3,Normal\n"
)
AHEAD = BEHIND.replace(",0.000250000,", ",-0.000250000,")
LOST = "00000000,,0,0.000000000,0.000000000,0.0,0.0,0.0,0.0,0.0,1.0,1.0,0.0,Not synchronised\n"
TEXT = """\
Reference ID    : 50484330 (PHC0)
Stratum         : 1
Ref time (UTC)  : Tue Mar 03 10:00:00 2026
System time     : 0.000000120 seconds {how} of NTP time
Leap status     : Normal
"""
NTPQ = """\
     remote           refid      st t when poll reach   delay   offset  jitter
==============================================================================
 LOCAL(0)        .LOCL.          10 l    -   64    0    0.000    0.000   0.000
+10.9.0.2        10.9.0.1         2 u   12   64  377    0.211    1.400   0.020
*10.9.0.1        .GPS.            1 u   33   64  377    0.183   -2.500   0.011
"""
SHOW = "Timezone=Asia/Shanghai\nLocalRTC=no\nCanNTP=yes\nNTP=yes\nNTPSynchronized=yes\n"
OLD = """\
      Local time: Tue 2026-03-03 10:00:00 CST
       Time zone: Europe/Berlin (CET, +0100)
     NTP enabled: yes
NTP synchronized: no
"""
NEW = OLD.replace("NTP synchronized: no", "System clock synchronized: yes")
TIMESYNC = """\
       Server: 185.125.190.57 (ntp.example.org)
Poll interval: 34min 8s (min: 32s; max 34min 8s)
         Leap: normal
       Offset: {offset}
        Delay: 14.2ms
 Packet count: 12
"""
PMC = """\
sending: GET TIME_STATUS_NP
	0c42a1.fffe.d1d2d3-0 seq 0 RESPONSE MANAGEMENT TIME_STATUS_NP
		master_offset              -420
		ingress_time               1772532000000000000
		gmPresent                  true
		gmIdentity                 00b0ae.fffe.010203
	00b0ae.fffe.010203-1 seq 0 RESPONSE MANAGEMENT TIME_STATUS_NP
		master_offset              7
		gmPresent                  false
"""
PHC2SYS = "Id=phc2sys.service\nLoadState=loaded\nActiveState=active\nUnitFileState=enabled\n"


def clock(**given: str | Answer) -> ClockState:
    names = {
        "chrony": "chronyc.csv",
        "ntpq": "ntpq.txt",
        "pmc": "pmc.txt",
        "timedatectl": "timedatectl.txt",
        "zone": "zone.txt",
        "units": "systemctl-show.txt",
    }
    return facts_of({names[key]: value for key, value in given.items()}).clock


@pytest.mark.parametrize(
    ("text", "source", "offset_s"),
    [
        (BEHIND, "192.168.10.5", -0.00025),
        (AHEAD, "192.168.10.5", 0.00025),
        (BEHIND.replace("\n", "\r\n"), "192.168.10.5", -0.00025),
        (TEXT.format(how="fast"), "PHC0", 1.2e-7),
        (TEXT.format(how="slow"), "PHC0", -1.2e-7),
        (TEXT.format(how="schnell"), "PHC0", None),
        (BEHIND.replace("192.168.10.5", ""), None, -0.00025),
    ],
)
def test_chrony(text: str, source: str | None, offset_s: float | None) -> None:
    assert clock(chrony=text) == ClockState(
        service="chrony", source=source, synchronised=True, offset_s=offset_s
    )


def test_chrony_without_a_source_has_no_offset() -> None:
    assert clock(chrony=LOST) == ClockState(service="chrony", synchronised=False)


def test_ntpd_follows_the_peer_with_the_star() -> None:
    assert clock(ntpq=NTPQ) == ClockState(
        service="ntpd", source="10.9.0.1", synchronised=True, offset_s=0.0025
    )
    assert clock(ntpq=NTPQ.replace("*", " ")) == ClockState(service="ntpd", synchronised=False)


@pytest.mark.parametrize(
    ("offset", "offset_s"),
    [
        ("+1.5ms", -0.0015),
        ("-820us", 0.00082),
        ("+1min 2.5s", -62.5),
        ("-3h 2min 1s", 10921.0),
        ("bald", None),
    ],
)
def test_timesyncd_and_the_kernel_s_mark(offset: str, offset_s: float | None) -> None:
    found = clock(timedatectl=SHOW + TIMESYNC.format(offset=offset))
    assert (found.service, found.source) == ("systemd-timesyncd", "ntp.example.org")
    assert (found.synchronised, found.zone) == (True, "Asia/Shanghai")
    assert found.offset_s == (None if offset_s is None else pytest.approx(offset_s, rel=1e-12))


@pytest.mark.parametrize(
    ("text", "synchronised", "zone"),
    [(OLD, False, "Europe/Berlin"), (NEW, True, "Europe/Berlin"), ("", None, None)],
)
def test_timedatectl_of_other_versions(text: str, synchronised: bool | None, zone: str | None) -> None:
    assert clock(timedatectl=text) == ClockState(synchronised=synchronised, zone=zone)


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("/usr/share/zoneinfo/America/New_York\nEtc/UTC\n", "America/New_York"),
        ("../usr/share/zoneinfo/UTC\n", "UTC"),
        ("Asia/Tokyo\n", "Asia/Tokyo"),
        ("\n", None),
    ],
)
def test_zone_without_systemd(text: str, zone: str | None) -> None:
    assert clock(zone=text).zone == zone


def test_ptp_keeps_the_clock_only_where_the_system_s_follows_the_card_s() -> None:
    found = clock(pmc=PMC, units=PHC2SYS)
    assert (found.service, found.source) == ("ptp", "00b0ae.fffe.010203")
    assert (found.synchronised, found.offset_s) == (True, pytest.approx(-4.2e-7))
    assert clock(pmc=PMC, units=PHC2SYS.replace("=active", "=inactive")) == ClockState()
    assert clock(pmc=PMC.replace("true", "false"), units=PHC2SYS) == ClockState(service="ptp")


def test_who_is_synchronised_counts_before_who_merely_answers() -> None:
    assert clock(chrony=LOST, ntpq=NTPQ).service == "ntpd"


def test_chrony_that_is_installed_but_away() -> None:
    away = said("506 Cannot talk to daemon\n", code=1)
    unit = "Id=chrony.service\nLoadState=loaded\nActiveState={}\nUnitFileState=enabled\n"
    off = facts_of({"chronyc.csv": away, "systemctl-show.txt": unit.format("inactive")})
    on = facts_of({"chronyc.csv": away, "systemctl-show.txt": unit.format("active")})
    assert (off.clock, off.unread) == (ClockState(), ())
    assert on.clock == ClockState(service="chrony")
    assert [(one.what, one.reason) for one in on.unread] == [("chronyc tracking", "failed")]
