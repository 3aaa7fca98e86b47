"""A document with one of everything, for the tests of the machinery."""

from collections import Counter
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv4Address
from typing import Annotated, Literal

from msgspec import Meta, field

from l0_infra.core.documents import Bytes, Document, Part, Seconds
from l0_infra.core.errors import Fault


class Host(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One host."""

    name: Annotated[str, Meta(description="Host name.")]
    address: Annotated[str, Meta(description="IPv4 address.")]
    serial: Annotated[str | None, Meta(description="Serial number.")] = None
    mac: Annotated[str, Meta(description="MAC address.")] = ""
    rack: Annotated[str, Meta(description="Rack.")] = ""
    bmc_port: Annotated[int, Meta(ge=1, le=65535, description="Port of the BMC.")] = 443
    weight: Annotated[float, Meta(gt=0, description="Share of work.")] = 1.0

    def faults(self) -> Iterator[Fault]:
        """Yield an address that is none."""
        try:
            IPv4Address(self.address)
        except AddressValueError:
            yield Fault(path=("address",), found=f"`{self.address}`", expected="an IPv4 address")


class Range(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Addresses given by DHCP."""

    first: Annotated[str, Meta(description="First address.")]
    last: Annotated[str, Meta(description="Last address.")]

    def faults(self) -> Iterator[Fault]:
        """Yield a range that runs backwards."""
        if IPv4Address(self.first) > IPv4Address(self.last):
            yield Fault(path=("last",), found=f"`{self.last}`", expected=f"an address after {self.first}")


class Nfs(Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="nfs"):
    """A share of a file server."""

    server: Annotated[str, Meta(description="File server.")]


class Local(Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="local"):
    """A directory of each host."""

    path: Annotated[str, Meta(pattern="^/", description="Directory.")]
    size_bytes: Annotated[Bytes | None, Meta(description="Quota.")] = None


class Site(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="site"):
    """A site."""

    driver: Annotated[str, Meta(description="Driver version.")]
    hosts: Annotated[tuple[Host, ...], Meta(min_length=1, description="Hosts.")]
    dhcp: Annotated[Range | None, Meta(description="DHCP range.")] = None
    storage: Annotated[Nfs | Local | None, Meta(description="Storage.")] = None
    labels: Annotated[dict[str, str], Meta(description="Labels.")] = field(default_factory=dict)
    mode: Annotated[Literal["dry", "real"], Meta(description="Mode.")] = "real"
    burn_in: Annotated[bool, Meta(description="Burn in.")] = False
    timeout_s: Annotated[Seconds, Meta(description="Timeout.")] = 60.0
    scratch_bytes: Annotated[Bytes, Meta(description="Scratch.")] = 0

    def faults(self) -> Iterator[Fault]:
        """Yield every second use of a name or an address."""
        for key in ("name", "address"):
            seen: Counter[str] = Counter()
            for index, host in enumerate(self.hosts):
                value: str = getattr(host, key)
                seen[value] += 1
                if seen[value] > 1:
                    yield Fault(
                        path=("hosts", index, key), found=f"`{value}` again", expected=f"each {key} once"
                    )
