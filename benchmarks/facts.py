"""What it takes to know many nodes: 1,000 scripted ones, and hosts over real ssh beside `ansible -m setup`.

    python benchmarks/facts.py [--nodes 1000] [--hosts 16] [--rounds 3]

Scripted nodes answer with what a server with eight accelerators said, so that what is measured is our own work: asking,
reading, judging. The hosts over ssh are sshd servers on loopback, so that both ends share one machine, and what the
nodes do counts too. Ansible is measured as it is installed, and tuned: a fork for each host, and pipelining. What we
take is measured from within Python, as `import ogai` offers it, and as a program of its own, whose start counts.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent.parent / "cli"))
sys.path.insert(0, str(Path(__file__).parent.parent))

from l0_infra import judge_class, judge_node, load_rules, probe_node
from l0_infra.core.exec import Answer, ScriptedRunner, SshOptions, fan_out
from l0_infra.facts.bundle import parse_bundle
from l0_infra.facts.probe import SOURCES
from l0_infra.schemas import NodeFacts
from ogai.flows.node.survey import survey
from ogai.flows.node.targets import Target
from tests.support.loopback_hosts import Host, hosts_on_loopback

CASES = Path(__file__).parent.parent / "tests/cases/facts"
EIGHT_GPUS, SERVER = (CASES / f"{name}.bundle" for name in ("nvidia_a100_eight", "gpu_server_seen_as_root"))


def main() -> None:
    """Measure both, and print them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--hosts", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ask", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ask:
        config, *names = options.ask
        ask_with_ogai(tuple(Host(name=name, port=0, config=Path(config)) for name in names))
        return
    scripted(options.nodes)
    over_ssh(options.hosts, options.rounds)


def scripted(count: int) -> None:
    """Look at nodes that answer at once, and judge them."""
    bundle = a_bundle().encode()
    runners = [
        ScriptedRunner(f"n{index}").answer(lambda _: True, Answer(stdout=bundle)) for index in range(count)
    ]
    before = peak_mib()
    begun = time.perf_counter()
    results = fan_out(runners, lambda runner: probe_node(runner, 0.0))
    looked_s = time.perf_counter() - begun
    facts = [result.value for result in results if result.value is not None]
    begun = time.perf_counter()
    findings = judge_all(facts)
    judged_s = time.perf_counter() - begun
    trips = sum(len(runner.calls) for runner in runners) / count
    print(f"{len(facts)} scripted nodes, {len(bundle):,} bytes each, {trips:g} round trip a node")
    print(f"  look   {looked_s:6.2f} s  {1000 * looked_s / count:5.2f} ms a node")
    print(f"  judge  {judged_s:6.2f} s  {1000 * judged_s / count:5.2f} ms a node, {findings} findings")
    print(f"  memory {peak_mib() - before:6.0f} MiB more at the peak")


def a_bundle() -> str:
    """Put together what two recorded nodes said, as one node with eight accelerators; the other programs are absent."""
    told = [text.read_text().removesuffix("@ all told\n") for text in (EIGHT_GPUS, SERVER)]
    known = dict(parse_bundle("".join((*told, "@ all told\n"))))
    absent = "".join(f"@ {source.name} absent\n" for source in SOURCES if source.name not in known)
    return "".join((*told, absent, "@ all told\n"))


def judge_all(facts: list[NodeFacts]) -> int:
    """Judge nodes one by one and as a class; return the number of findings."""
    rules = load_rules()
    alone = sum(len(judge_node(one, rules).findings) for one in facts)
    return alone + sum(map(len, judge_class(facts, rules).values()))


def over_ssh(count: int, rounds: int) -> None:
    """Look at hosts over ssh, in turn with ansible."""
    ansible = shutil.which("ansible", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    with tempfile.TemporaryDirectory() as name, hosts_on_loopback(count, Path(name)) as hosts:
        contenders: dict[str, Callable[[], None]] = {
            "ogai": lambda: ask_with_ogai(hosts),
            "ogai, with start": lambda: start_and_ask(hosts, Path(name)),
        }
        if ansible is not None:
            contenders["ansible"] = lambda: ask_with_ansible(ansible, hosts, Path(name), tuned=False)
            contenders["ansible, tuned"] = lambda: ask_with_ansible(ansible, hosts, Path(name), tuned=True)
        times: dict[str, list[float]] = {contender: [] for contender in contenders}
        for number in range(rounds + 1):
            for contender, ask in contenders.items():
                begun = time.perf_counter()
                ask()
                if number:
                    times[contender].append(time.perf_counter() - begun)
    print(f"{count} hosts over ssh on loopback, {os.cpu_count()} CPUs, {rounds} rounds after one to warm up")
    for contender, measured in times.items():
        middle, spread = median(measured), f"{min(measured):.2f}–{max(measured):.2f}"
        each_ms = 1000 * middle / count
        print(f"  {contender:<18} median {middle:6.2f} s ({spread}), {each_ms:5.0f} ms a host")
    if ansible is None:
        print("  ansible is not installed: pip install ansible-core")
    for contender in list(times)[2:]:
        alone, started = (median(times[contender]) / median(times[own]) for own in list(times)[:2])
        print(f"  {contender} -m setup / ogai: {alone:.1f}, with its start: {started:.1f}")


def ask_with_ogai(hosts: tuple[Host, ...]) -> None:
    """Look at all hosts once; raises when one did not answer."""
    targets = [
        Target(name=host.name, address=host.name, options=SshOptions(config_file=str(host.config)))
        for host in hosts
    ]
    facts = survey(targets)
    assert all(one.boot_id for one in facts), [one.unread for one in facts if not one.boot_id][:1]


def start_and_ask(hosts: tuple[Host, ...], folder: Path) -> None:
    """Do the same in a fresh process, whose modules have been compiled before as those of an installed package."""
    settings = {"PYTHONPYCACHEPREFIX": str(folder / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, __file__, "--ask", str(hosts[0].config), *(host.name for host in hosts)]
    subprocess.run(command, check=True, env=os.environ | settings)


def ask_with_ansible(ansible: str, hosts: tuple[Host, ...], folder: Path, *, tuned: bool) -> None:
    """Gather facts of all hosts once, over new connections; raises when one did not answer."""
    inventory = folder / "inventory"
    inventory.write_text(
        "".join(f"{host.name} ansible_python_interpreter=/usr/bin/python3\n" for host in hosts)
    )
    settings = {
        "ANSIBLE_SSH_COMMON_ARGS": f"-F {hosts[0].config}",
        "ANSIBLE_SSH_CONTROL_PATH_DIR": tempfile.mkdtemp(dir=folder),
        "ANSIBLE_LOCAL_TEMP": str(folder / "local"),
        "ANSIBLE_REMOTE_TEMP": str(folder / "remote"),
    }
    command = [ansible, "all", "-i", str(inventory), "-m", "setup"]
    if tuned:
        settings |= {"ANSIBLE_PIPELINING": "True", "ANSIBLE_SSH_ARGS": "-o ControlMaster=no"}
        command += ["-f", str(len(hosts))]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ | settings)


def peak_mib() -> float:
    """Return the most memory this process has had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
