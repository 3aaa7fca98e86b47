#!/usr/bin/python
"""Install packages that are missing: asks dpkg first, which costs a hundredth of what opening apt's cache does."""

import re
import time

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = """
module: ogai_packages
short_description: Install packages that are missing
description:
  - Installs what is missing and nothing that is only recommended; files that were written before are kept.
  - Reads the lists of packages anew when they turn out to be old, and goes on where an installation was broken off.
  - Waits for another package manager, and names it if that does not end.
author: [ogai]
options:
  names: {description: Packages., type: list, elements: str, required: true}
  wait_s: {description: How long another package manager is waited for., type: int, default: 600}
"""
EXAMPLES = """
- name: Install chrony
  ogai_packages:
    names: [chrony]
"""
RETURN = """
installed:
  description: Packages that were installed.
  type: list
  returned: always
"""

QUIET = {"DEBIAN_FRONTEND": "noninteractive", "NEEDRESTART_SUSPEND": "1", "LC_ALL": "C"}
OLD_LISTS = ("Unable to locate package", "has no installation candidate", "Failed to fetch", "404  Not Found")
BROKEN_OFF = "dpkg --configure -a"
LOCKED = re.compile(r"(?:Could not get lock|Unable to acquire|Unable to lock)")
HOLDER = re.compile(r"held by process (\d+)")
PAUSE_S = 3


def missing(module, names):
    """Return those that are not installed, in their order."""
    if module.get_bin_path("dpkg-query"):
        command = ["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package}\n", *names]
        told = set(module.run_command(command)[1].splitlines())
        return [name for name in names if f"installed {name}" not in told]
    return [name for name in names if module.run_command(["rpm", "-q", "--whatprovides", name])[0] != 0]


class Manager:
    """The package manager of a node, which one at a time can use."""

    def __init__(self, module):
        self.module = module
        self.end = time.monotonic() + module.params["wait_s"]

    def install(self, names):
        """Install them; what stands in the way and can be mended is mended once."""
        if not self.module.get_bin_path("apt-get"):
            return self.call(["dnf", "-qy", "install", "--setopt=install_weak_deps=False", *names])
        code, told = self.apt("install", *names)
        if code and BROKEN_OFF in told:
            self.call(["dpkg", "--configure", "-a", "--force-confdef", "--force-confold"])
            code, told = self.apt("install", *names)
        if code and any(mark in told for mark in OLD_LISTS):
            code, told = self.apt("update")
            if code == 0:
                code, told = self.apt("install", *names)
        return code, told

    def apt(self, verb, *names):
        left = max(0, int(self.end - time.monotonic()))
        options = (
            f"DPkg::Lock::Timeout={left}",
            "Dpkg::Options::=--force-confdef",
            "Dpkg::Options::=--force-confold",
        )
        argv = ["apt-get", "-qy", "--no-install-recommends"]
        return self.call([*argv, *(word for option in options for word in ("-o", option)), verb, *names])

    def call(self, argv):
        """Run a program again as long as only another package manager stands in its way."""
        while True:
            code, out, err = self.module.run_command(argv, environ_update=QUIET)
            told = out + err
            if code == 0 or not LOCKED.search(told) or time.monotonic() > self.end:
                return code, told
            time.sleep(PAUSE_S)


def holders(told):
    """Name the processes that hold a lock, as apt tells them, by what they were started as."""
    for pid in sorted(set(HOLDER.findall(told))):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as stream:
                words = " ".join(stream.read().replace(b"\0", b" ").decode(errors="replace").split())
        except OSError:
            words = "gone by now"
        yield f"process {pid} ({words})"


def words_of(told, wait_s):
    """Say what failed: who holds the lock, else the last lines of what the package manager told."""
    if LOCKED.search(told):
        held = ", ".join(holders(told)) or "another process"
        return f"the package manager's lock: found held by {held} for {wait_s} s; expected to be free"
    faults = [line for line in told.splitlines() if line.startswith(("E:", "W:", "Error:"))]
    return "\n".join(faults or told.splitlines()[-8:])


def main():
    """Install what is missing."""
    module = AnsibleModule(
        argument_spec={
            "names": {"type": "list", "elements": "str", "required": True},
            "wait_s": {"type": "int", "default": 600},
        },
        supports_check_mode=True,
    )
    wanted = missing(module, module.params["names"])
    if wanted and not module.check_mode:
        code, told = Manager(module).install(wanted)
        if code:
            module.fail_json(msg=words_of(told, module.params["wait_s"]), rc=code)
    module.exit_json(changed=bool(wanted), installed=wanted)


if __name__ == "__main__":
    main()
