"""What may forbid a driver or a file: Secure Boot, lockdown, SELinux, AppArmor."""

import re
from importlib.resources import files

import msgspec

from l0_infra.facts.bundle import Answers, Source
from l0_infra.facts.operating.firewall import Firewall
from l0_infra.facts.tree import Tree, text_at
from l0_infra.schemas import Security

__all__ = ["MOKUTIL", "SECURITY", "parse_security"]

SECURITY = Source(
    name="security.txt",
    program="grep",
    quick=True,
    command=files(__package__).joinpath("security.sh").read_text("utf-8"),
)
MOKUTIL = Source(
    name="mokutil.txt", also=("mokutil*",), program="mokutil", command="mokutil --sb-state; true"
)

LSM = "/sys/kernel/security/lsm"
APPARMOR = "/sys/module/apparmor"
FIRMWARE = "/sys/firmware"


def parse_security(answers: Answers, tree: Tree, firewall: Firewall) -> Security:
    """Put it together; in a container much is hidden, and then it is unknown."""
    found = Security(
        secure_boot=_secure_boot(tree, answers[MOKUTIL.name].out),
        lockdown=_lockdown(tree),
        selinux=_selinux(tree),
        apparmor=_apparmor(tree),
    )
    return msgspec.structs.replace(found, firewall=firewall.name, firewall_rules=firewall.rules)


def _secure_boot(tree: Tree, mokutil: str) -> bool | None:
    """Read the firmware's variable (four bytes of attributes, then 0 or 1); a legacy BIOS has no Secure Boot."""
    variable = next((lines[0].split() for path, lines in tree.items() if "/SecureBoot-" in path), [])
    if len(variable) == 5 and variable[4] in ("0", "1"):
        return variable[4] == "1"
    told = re.search(r"^[ \t]*SecureBoot (enabled|disabled)\b", mokutil, re.M)
    if told:
        return told[1] == "enabled"
    folders = (text_at(tree, FIRMWARE) or "").split()
    return False if folders and "efi" not in folders else None


def _lockdown(tree: Tree) -> str | None:
    chosen = re.search(
        r"\[(none|integrity|confidentiality)\]", text_at(tree, "/sys/kernel/security/lockdown") or ""
    )
    return chosen[1] if chosen else None


def _selinux(tree: Tree) -> str | None:
    """Read the mode; a kernel that runs without SELinux has neither the module nor its file system."""
    mode = {"1": "enforcing", "0": "permissive"}.get(text_at(tree, "/sys/fs/selinux/enforce") or "")
    if mode:
        return mode
    modules = text_at(tree, LSM)
    kinds = {line.split()[-1] for line in tree.get("/proc/filesystems", ()) if line.split()}
    without = modules is not None and "selinux" not in modules.split(",")
    return "disabled" if without or (kinds and "selinuxfs" not in kinds) else None


def _apparmor(tree: Tree) -> bool | None:
    told = {"Y": True, "N": False}.get(text_at(tree, f"{APPARMOR}/parameters/enabled") or "")
    modules = text_at(tree, LSM)
    if told is not None or (modules is None and text_at(tree, APPARMOR) != "absent"):
        return told
    return modules is not None and "apparmor" in modules.split(",")
