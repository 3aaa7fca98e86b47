"""One spelling for what every tool spells in its own."""

import pytest

from l0_infra.facts.fabric import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4: ACTIVE", "active"),
        ("PORT_ACTIVE (4)", "active"),
        ("Active", "active"),
        ("2: INIT", "initializing"),
        ("PORT_INIT (2)", "initializing"),
        ("Initializing", "initializing"),
        ("3: ARMED", "armed"),
        ("1: DOWN", "down"),
        ("ACTIVE_DEFER", "active_defer"),
        ("???", None),
        ("invalid state (9)", None),
        ("", None),
    ],
)
def test_state(text: str, expected: str | None) -> None:
    assert words.state(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5: LinkUp", "linkup"),
        ("LINK_UP (5)", "linkup"),
        ("2: Polling", "polling"),
        ("3: Disabled", "disabled"),
        ("4: PortConfigurationTraining", "portconfigurationtraining"),
        ("PORT_CONFIGURATION TRAINNING (4)", "portconfigurationtraining"),
        ("ARMED", "portconfigurationtraining"),
        ("6: LinkErrorRecovery", "linkerrorrecovery"),
        ("LINK_ERROR_RECOVER", "linkerrorrecovery"),
        ("7: Phy Test", "phytest"),
        ("<unknown>", None),
    ],
)
def test_physical_state(text: str, expected: str | None) -> None:
    assert words.physical_state(text) == expected


@pytest.mark.parametrize(
    ("text", "rate", "width"),
    [
        ("400 Gb/sec (4X NDR)", 400 * 10**9, 4),
        ("2.5 Gb/sec (1X SDR)", 2_500_000_000, 1),
        ("800 Gb/sec (4X XDR)", 800 * 10**9, 4),
        ("25 Gb/sec (1X EDR)", 25 * 10**9, 1),
        ("100 Gb/sec (2X HDR)", 100 * 10**9, 2),
        ("10 (FDR10)", 10 * 10**9, None),
        ("-1", None, None),
        ("400 Gb", None, None),
        ("", None, None),
    ],
)
def test_rate_and_width(text: str, rate: int | None, width: int | None) -> None:
    assert (words.rate(text), words.width(text)) == (rate, width)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("b83f:d203:00bc:1e20", "0xb83fd20300bc1e20"),
        ("0xB83FD20300BC1E20", "0xb83fd20300bc1e20"),
        ("0000:0000:0000:0000", None),
        ("b83f:d203:00bc", None),
    ],
)
def test_guid(text: str, expected: str | None) -> None:
    assert words.guid(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("0x1f", 31), ("412", 412), ("0x", None), ("-1", None), (None, None)]
)
def test_number(text: str | None, expected: int | None) -> None:
    assert words.number(text) == expected


def test_only_the_two_link_layers_are_read() -> None:
    assert [words.link_layer(word) for word in ("InfiniBand", "Ethernet", "Unspecified", "Unknown")] == [
        "infiniband",
        "ethernet",
        None,
        None,
    ]
