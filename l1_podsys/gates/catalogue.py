"""Every check by its code: what it looks at, what is right, and how a node is mended that is not."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from l1_podsys.schemas import Verdict

__all__ = ["CHECKS", "SEVERITY_OF", "Check", "Severity", "verdict"]

Level = Literal["quick", "medium", "burnin"]
Severity = Literal["ok", "warning", "critical", "unknown"]

SEVERITY_OF: Mapping[str, Severity] = {"fatal": "critical", "error": "critical", "warning": "warning"}
"""How grave what one node's rules and its kernel's log call so is; what else they say is no fault."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """One check; `hint` says how to mend a node that fails it, unless the check knows better."""

    code: str
    what: str
    expected: str
    hint: str
    level: Level = "quick"
    drains: bool = True
    """Whether a node that fails it critically is taken out of work."""


ALL = (
    Check(
        code="node.reachable",
        what="the node answers over ssh",
        expected="an answer over ssh",
        hint="is it powered on and cabled? try `ssh` by hand, then its management controller",
    ),
    Check(
        code="node.rules",
        what="the rules of `ogai node inspect` hold; a broken one is told under its own name, `node.<rule>`",
        expected="no fatal fault and no error",
        hint="`ogai node inspect` says why it matters and how to mend it",
    ),
    Check(
        code="class.equal",
        what="the node is as the others of its class; a difference is told under its own name, `class.<what>`",
        expected="the same as the others of its class",
        hint="make it as its peers are, or put the node into a class of its own",
    ),
    Check(
        code="time.offset",
        what="the clocks of all nodes agree, measured over ssh",
        expected="less than 0.1 s apart",
        hint="chronyc tracking; chronyc makestep; munge refuses what is 300 s off",
    ),
    Check(
        code="time.service",
        what="something keeps the clock, and says that it is synchronised",
        expected="a synchronised time service",
        hint="systemctl status chrony; chronyc sources",
    ),
    Check(
        code="disk.full",
        what="local file systems have room for data and for files",
        expected="less than 90 % of blocks and inodes used",
        hint="du -xh / | sort -h | tail; journalctl --vacuum-size=500M",
    ),
    Check(
        code="disk.write",
        what="a file can be written and read back where programs need it",
        expected="a file written, synchronised and read back",
        hint="make room where it is full; one that turned read-only has met errors: dmesg, then fsck",
    ),
    Check(
        code="network.link",
        what="interfaces of the wanted networks are there, up, and as fast as those of the class",
        expected="all wanted interfaces up, at the speed of the class",
        hint="check cable and switch port; ethtool INTERFACE, ip link set INTERFACE up",
    ),
    Check(
        code="network.address",
        what="the node has an address in each wanted network, on the wanted interface",
        expected="an address in the network, on its interface",
        hint="ip address; compare the node's network configuration with the cluster document",
    ),
    Check(
        code="network.route",
        what="traffic to the head goes over the wanted interface",
        expected="a route over an interface of the network",
        hint="ip route get ADDRESS shows the way taken; a route or a wrong prefix length misleads it",
    ),
    Check(
        code="names.resolve",
        what="the names of the head and of other nodes mean their addresses",
        expected="the address of the cluster document",
        hint="getent hosts NAME; is the head's name service in /etc/resolv.conf, or an old line in /etc/hosts?",
    ),
    Check(
        code="ssh.mesh",
        what="the head and some other nodes are reached by ssh's port from the node",
        expected="an answer of sshd of each",
        hint="a packet filter, a wrong route, or a peer's sshd: ssh-keyscan PEER",
    ),
    Check(
        code="storage.mounted",
        what="shared file systems are mounted",
        expected="mounted",
        hint="systemctl status '*.mount'; mount -a; is its server up?",
    ),
    Check(
        code="storage.shared",
        what="a file that one node writes there is read by all",
        expected="the file that another node wrote",
        hint="what is mounted there is something else, or it hangs: findmnt, dmesg",
    ),
    Check(
        code="service.active",
        what="services the node needs are active, and no other has failed",
        expected="active",
        hint="systemctl status NAME; journalctl -u NAME -b",
    ),
    Check(
        code="scheduler.munge",
        what="a credential of the controller is believed",
        expected="a credential of the controller is believed",
        hint="the key in /etc/munge/munge.key differs, or the clock is off, or munge is down",
    ),
    Check(
        code="scheduler.controller",
        what="the scheduler's controller answers",
        expected="an answer of the controller",
        hint="systemctl status slurmctld; journalctl -u slurmctld -b",
        drains=False,
    ),
    Check(
        code="scheduler.node",
        what="the scheduler knows the node",
        expected="a node of the scheduler",
        hint="systemctl status slurmd on the node; its log says why it does not register",
        drains=False,
    ),
    Check(
        code="scheduler.state",
        what="the scheduler can use the node",
        expected="idle, allocated or mixed",
        hint="scontrol show node NAME; slurmd's log on the node",
        drains=False,
    ),
    Check(
        code="scheduler.size",
        what="the scheduler offers the CPUs, memory and accelerators that the node has",
        expected="what the node has",
        hint="systemctl restart slurmd registers it anew; a part may have failed",
    ),
    Check(
        code="scheduler.version",
        what="the node's slurmd is of the version of the others",
        expected="the version of the others",
        hint="apt policy slurmd on both; `ogai cluster upgrade` brings all to one version, a share at a time",
    ),
    Check(
        code="cpu.speed",
        what="integer work on all processors at once, best of several bursts",
        expected="the speed of the class",
        hint="cpupower frequency-info; a power limit, heat, or a process that should not be there: top",
        level="medium",
    ),
    Check(
        code="memory.bandwidth",
        what="copies on all processors at once, best of several bursts",
        expected="the bandwidth of the class",
        hint="a memory module may be missing or run slowly: dmidecode -t memory; ogai node inspect",
        level="medium",
    ),
    Check(
        code="matrix.speed",
        what="matrix products on each accelerator, or on the processors, best of several bursts",
        expected="the speed of the class",
        hint="heat, a power limit or other work hold it back; of a GPU nvidia-smi -q -d CLOCK,PERFORMANCE tells",
        level="medium",
    ),
    Check(
        code="storage.speed",
        what="a file written to each shared file system, synchronised and read back",
        expected="the speed of the class",
        hint="is its network the wanted one? compare network.storage-link and -route; nfsstat, mount options",
        level="medium",
    ),
    Check(
        code="network.speed",
        what="TCP between pairs of nodes, over the compute network where there is one, best of several partners",
        expected="the speed of the class",
        hint="ethtool INTERFACE; cable, switch port, duplex; ip -s link; tc qdisc show: is its rate limited?",
        level="medium",
    ),
    Check(
        code="collective.all-reduce",
        what="sums over all nodes of a class, by nccl-tests or hccl_test built with MPI, else torch; and their speed",
        expected="a right sum on every node",
        hint="look at network.compute-link and -route of the node named",
        level="medium",
    ),
    Check(
        code="collective.within",
        what="all_reduce_perf or all_reduce_test, where the node has it, among its own accelerators, up to 1 GiB",
        expected="a run to its end on all accelerators of the node",
        hint="the line names what failed; ogai node inspect, and NCCL_DEBUG=INFO with the same command by hand",
        level="medium",
    ),
    Check(
        code="collective.correct",
        what="sums within a node and over nodes are what they are by arithmetic",
        expected="no wrong value",
        hint="memory, a link or a switch alters data: ECC and link counters in ogai node inspect, then the diagnosis",
        level="medium",
    ),
    Check(
        code="collective.speed",
        what="bandwidth of that run on the bus, at the two largest sizes",
        expected="the speed of the class",
        hint="links that are down or slow, PCIe links of fewer lanes, heat: ogai node inspect shows them",
        level="medium",
    ),
    Check(
        code="collective.links",
        what="that bandwidth beside what NVLink, HCCS or xGMI carries by the data sheet, where all are joined by it",
        expected="at least half of what the links carry",
        hint="are the links up and used? nvidia-smi nvlink -s, fabric manager; NCCL_P2P_DISABLE in the environment",
        level="medium",
    ),
    Check(
        code="accelerator.diagnosis",
        what="the vendor's own diagnosis: dcgmi diag, npu-smi, rocm-smi",
        expected="pass",
        hint="the diagnosis names the part; a node that fails goes to its maker",
        level="medium",
    ),
    Check(
        code="burnin.boot",
        what="the node stayed up",
        expected="the same boot",
        hint="power, heat or a kernel fault: ogai node inspect; its management controller's log",
        level="burnin",
    ),
    Check(
        code="burnin.events",
        what="the kernel told of no fault meanwhile",
        expected="no new event",
        hint="ogai node inspect",
        level="burnin",
    ),
    Check(
        code="burnin.memory",
        what="main memory had no errors meanwhile",
        expected="no new error",
        hint="replace the module that its counters name: ogai node inspect",
        level="burnin",
    ),
    Check(
        code="burnin.accelerators",
        what="all accelerators are still there",
        expected="as many as before",
        hint="one that fell off the bus needs a restart of the node, and a second time its maker",
        level="burnin",
    ),
    Check(
        code="burnin.ecc",
        what="accelerators had no memory errors meanwhile",
        expected="no new error",
        hint="nvidia-smi -q -d ECC,ROW_REMAPPER; uncorrected ones need a reset, and again a replacement",
        level="burnin",
    ),
    Check(
        code="burnin.heat",
        what="no accelerator came near the temperature at which it slows down",
        expected="3 °C or more below it",
        hint="air flow, filters, fans, the power limit",
        level="burnin",
    ),
    Check(
        code="burnin.links",
        what="no port of the fabric lost its link",
        expected="no link lost",
        hint="reseat or replace the cable; compare both ends' counters",
        level="burnin",
    ),
)

CHECKS: Mapping[str, Check] = {check.code: check for check in ALL}
"""All of them, by code."""


def verdict(
    node: str,
    code: str,
    severity: Severity,
    found: str,
    *,
    expected: str = "",
    hint: str = "",
    named: str = "",
) -> Verdict:
    """Make a verdict in the words of its check, unless others are given; `named` is another code to show."""
    check = CHECKS[code]
    return Verdict(
        node=node,
        check=named or code,
        severity=severity,
        found=found,
        expected=expected or check.expected,
        hint="" if severity == "ok" else hint or check.hint,
    )
