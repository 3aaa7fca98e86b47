#!/usr/bin/python
"""Write several files at once: one task costs one connection and one Python, however many files it writes."""

import base64
import os
import shutil
import tempfile

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = """
module: ogai_files
short_description: Write several files at once
description: Writes each file whole or not at all, makes the folders above it, and changes nothing where all is right.
author: [ogai]
options:
  files:
    description: The files. A file without content is removed.
    type: list
    elements: dict
    required: true
    suboptions:
      path: {description: Absolute path., type: path, required: true}
      content: {description: "The whole text; without it, base64 and link the file is removed.", type: str}
      base64: {description: The whole content as base64., type: str}
      link: {description: "What it is a symbolic link to instead; that must be there.", type: path}
      keep: {description: Keep what stood there before beside it as .before-ogai., type: bool, default: false}
      mode: {description: Permissions in octal., type: str, default: "0644"}
      owner: {description: Who owns it., type: str, default: root}
      group: {description: Its group., type: str, default: root}
"""
EXAMPLES = """
- name: Write settings
  ogai_files:
    files:
      - path: /etc/sysctl.d/60-ogai.conf
        content: "{{ lookup('ansible.builtin.template', 'sysctl.conf.j2') }}"
"""
RETURN = """
paths:
  description: Files that were changed.
  type: list
  returned: always
"""

KEPT = ".before-ogai"
FILE = {
    "path": {"type": "path", "required": True},
    "content": {"type": "str"},
    "base64": {"type": "str", "no_log": True},
    "link": {"type": "path"},
    "keep": {"type": "bool", "default": False},
    "mode": {"type": "str", "default": "0644"},
    "owner": {"type": "str", "default": "root"},
    "group": {"type": "str", "default": "root"},
}


def replace(wish, make):
    """Let `make` bring the new thing under another name beside the file, and put it in the file's place at once."""
    path = wish["path"]
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o755, exist_ok=True)
    if wish["keep"] and os.path.lexists(path) and not os.path.lexists(path + KEPT):
        shutil.copy2(path, path + KEPT, follow_symlinks=False)
    fresh = tempfile.mktemp(prefix=".ogai-", dir=folder)
    make(fresh)
    os.replace(fresh, path)


def write(path, content):
    """Write a new file that only root can read so far, down to the disk."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def settle(module, wish):
    """Make one file as wished; return whether that changed anything."""
    if wish["link"] is not None:
        return settle_link(module, wish)
    if wish["base64"] is not None:
        return settle_content(module, wish, base64.b64decode(wish["base64"]))
    if wish["content"] is not None:
        return settle_content(module, wish, wish["content"].encode())
    there = os.path.lexists(wish["path"])
    if there and not module.check_mode:
        os.remove(wish["path"])
    return there


def settle_link(module, wish):
    path, target = wish["path"], wish["link"]
    if not os.path.exists(target):
        module.fail_json(msg=f"{path}: found no {target} to link to; expected it to be there")
    if os.path.islink(path) and os.readlink(path) == target:
        return False
    if not module.check_mode:
        replace(wish, lambda fresh: os.symlink(target, fresh))
    return True


def settle_content(module, wish, content):
    path, same = wish["path"], False
    if os.path.isfile(path) and not os.path.islink(path):
        with open(path, "rb") as stream:
            same = stream.read() == content
    if not same:
        if module.check_mode:
            return True
        replace(wish, lambda fresh: write(fresh, content))
    changed = module.set_mode_if_different(path, wish["mode"], not same)
    changed = module.set_owner_if_different(path, wish["owner"], changed)
    return module.set_group_if_different(path, wish["group"], changed)


def main():
    """Write the files."""
    module = AnsibleModule(
        argument_spec={"files": {"type": "list", "elements": "dict", "required": True, "options": FILE}},
        supports_check_mode=True,
    )
    paths = [wish["path"] for wish in module.params["files"] if settle(module, wish)]
    module.exit_json(changed=bool(paths), paths=paths)


if __name__ == "__main__":
    main()
