"""What keeps the clock, and how well: the daemon that answers and is synchronised, else the one that runs."""

from collections.abc import Iterator, Sequence

from l0_infra.facts.bundle import Answers, Source
from l0_infra.facts.operating.time_daemons import (
    CHRONY_AWAY,
    Keeper,
    parse_chrony,
    parse_ntpq,
    parse_pmc,
    parse_timesync,
)
from l0_infra.facts.operating.timedate import parse_kernel_sync, parse_zone
from l0_infra.schemas import ClockState, Service, Unread

__all__ = ["CHRONYC", "NTPQ", "PMC", "TIMEDATECTL", "ZONE", "clock_unread", "parse_clock"]

CHRONYC = Source(
    name="chronyc.csv",
    also=("chronyc*tracking*", "chrony-tracking*"),
    marks=("Reference ID    : ",),
    program="chronyc",
    command="chronyc -n -c tracking",
)
NTPQ = Source(name="ntpq.txt", also=("ntpq*",), program="ntpq", command="ntpq -pn")
PMC = Source(
    name="pmc.txt",
    also=("pmc*",),
    marks=("RESPONSE MANAGEMENT TIME_STATUS_NP",),
    program="pmc",
    when="[ -S /var/run/ptp4l ]",
    command="pmc -u -b 0 'GET TIME_STATUS_NP'",
)
TIMEDATECTL = Source(
    name="timedatectl.txt",
    also=("timedatectl*",),
    marks=("NTPSynchronized=",),
    program="timedatectl",
    when="[ -d /run/systemd/system ]",
    command="timedatectl show 2>/dev/null || timedatectl && { timedatectl timesync-status --no-pager; true; }",
)
ZONE = Source(
    name="zone.txt",
    program="readlink",
    quick=True,
    command="zone=; [ ! -r /etc/timezone ] || read -r zone </etc/timezone;"
    ' [ /etc/localtime -ef "/usr/share/zoneinfo/${zone:-.}" ] || readlink /etc/localtime;'
    ' [ -z "$zone" ] || echo "$zone"',
)

DAEMONS = {
    "chronyd": "chrony",
    "chrony": "chrony",
    "systemd-timesyncd": "systemd-timesyncd",
    "ntpd": "ntpd",
    "ntp": "ntpd",
    "ntpsec": "ntpd",
    "phc2sys": "ptp",
}
"""Units that set the system's clock. `ptp4l` alone sets a network card's."""


def parse_clock(answers: Answers, services: Sequence[Service] | None) -> ClockState:
    """Put together who keeps the clock; one that answers counts before one that merely runs."""
    keeper = _keeper(answers, services)
    kernel = parse_kernel_sync(answers[TIMEDATECTL.name].out)
    zone = parse_zone(answers[TIMEDATECTL.name].out, answers[ZONE.name].out)
    if keeper is None:
        return ClockState(synchronised=kernel, zone=zone)
    return ClockState(
        service=keeper.service,
        source=keeper.source,
        synchronised=kernel if keeper.synchronised is None else keeper.synchronised,
        offset_s=keeper.offset_s,
        zone=zone,
    )


def clock_unread(answers: Answers, services: Sequence[Service] | None) -> Iterator[Unread]:
    """Yield why daemons could not be asked; one that does not run lacks nothing."""
    chrony = answers[CHRONYC.name]
    if CHRONY_AWAY not in chrony.out or "chrony" in _running(services):
        yield from chrony.unread("chronyc tracking")
    if answers[NTPQ.name].end == "hung" or "ntpd" in _running(services):
        yield from answers[NTPQ.name].unread("ntpq")
    yield from answers[PMC.name].unread("pmc")
    if answers[TIMEDATECTL.name].end == "hung":
        yield from answers[TIMEDATECTL.name].unread("timedatectl")


def _keeper(answers: Answers, services: Sequence[Service] | None) -> Keeper | None:
    running = _running(services)
    told = [
        parse_chrony(answers[CHRONYC.name].out),
        parse_ntpq(answers[NTPQ.name].out),
        parse_timesync(answers[TIMEDATECTL.name].out),
        parse_pmc(answers[PMC.name].out) if services is None or "ptp" in running else None,
    ]
    known = [keeper for keeper in told if keeper] + [Keeper(service=name) for name in running]
    return next((keeper for keeper in known if keeper.synchronised), known[0] if known else None)


def _running(services: Sequence[Service] | None) -> Sequence[str]:
    return [DAEMONS[one.name] for one in services or () if one.name in DAEMONS and one.state == "active"]
