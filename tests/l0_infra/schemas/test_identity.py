import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.schemas import Chassis, NetworkInterface, Node, NodeFacts, identity_of

UUID = "5c5c4544-0033-4d10-8052-b7c04f4e3532"


def kinds(node: Node | NodeFacts) -> list[str]:
    return [key.kind for key in identity_of(node)]


@pytest.mark.parametrize(
    "serial",
    [
        *(
            None,
            "",
            "  ",
            "0",
            "0000000000",
            "To Be Filled By O.E.M.",
            "to be filled by OEM",
            "Not Specified",
        ),
        *(
            "N/A",
            "None",
            "Default string",
            "System Serial Number",
            "XXXXXXXX",
            "123456789",
            "0123456789",
            "...",
        ),
    ],
)
def test_a_placeholder_serial_is_no_key(serial: str | None) -> None:
    assert kinds(Node(name="n4", serial=serial)) == ["name"]


@pytest.mark.parametrize(
    "uuid",
    [
        *(None, "", "Not Present", "Not Settable", "00000000-0000-0000-0000-000000000000"),
        *("FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "03000200-0400-0500-0006-000700080009"),
    ],
)
def test_a_placeholder_uuid_is_no_key(uuid: str | None) -> None:
    assert kinds(Node(name="n4", uuid=uuid)) == ["name"]


@pytest.mark.parametrize("mac", ["00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", "02:42:ac:11:00:02"])
def test_a_mac_made_by_software_is_no_key(mac: str) -> None:
    assert kinds(Node(name="n4", mac=mac)) == ["name"]


def test_wish_and_finding_of_one_node_share_their_keys_whatever_the_spelling() -> None:
    wished = Node(name="n4", serial="0098765", uuid=UUID.upper(), mac="9C-63-C0-11-AB-0E")
    found = NodeFacts(
        hostname="n4.example.org",
        probed_at=1.0,
        chassis=Chassis(serial=" 0098765", uuid=UUID),
        interfaces=(NetworkInterface(name="eno1", mac="9c:63:c0:11:ab:0e", pci="0000:01:00.0"),),
    )
    assert identity_of(wished) == identity_of(found)
    assert kinds(found) == ["uuid", "serial", "mac", "name"]


@pytest.mark.parametrize("name", [None, "localhost", "localhost.localdomain", ""])
def test_a_node_known_by_nothing_has_no_key(name: str | None) -> None:
    assert identity_of(NodeFacts(hostname=name, probed_at=1.0)) == ()


@given(serial=st.text(max_size=40), uuid=st.text(max_size=40), mac=st.text(max_size=20))
def test_no_text_crashes_and_no_key_is_blank(serial: str, uuid: str, mac: str) -> None:
    facts = NodeFacts(
        probed_at=1.0,
        chassis=Chassis(serial=serial, uuid=uuid),
        interfaces=(NetworkInterface(name="eno1", mac=mac, pci="0000:01:00.0"),),
    )
    assert all(key.value.strip() for key in identity_of(facts))
