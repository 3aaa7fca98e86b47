#!/usr/bin/python
"""Write several files at once: one task costs one connection and one Python, however many files it writes."""

import os
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
      content: {description: The whole text; without it the file is removed., type: str}
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

FILE = {
    "path": {"type": "path", "required": True},
    "content": {"type": "str"},
    "mode": {"type": "str", "default": "0644"},
    "owner": {"type": "str", "default": "root"},
    "group": {"type": "str", "default": "root"},
}


def write(module, path, content):
    """Put the content in place of the file at once."""
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o755, exist_ok=True)
    number, fresh = tempfile.mkstemp(prefix=".ogai-", dir=folder)
    with os.fdopen(number, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    module.atomic_move(fresh, path)


def settle(module, wish):
    """Make one file as wished; return whether that changed anything."""
    path, content = wish["path"], wish["content"]
    if content is None:
        there = os.path.lexists(path)
        if there and not module.check_mode:
            os.remove(path)
        return there
    content = content.encode()
    same = False
    if os.path.isfile(path) and not os.path.islink(path):
        with open(path, "rb") as stream:
            same = stream.read() == content
    if not same:
        if module.check_mode:
            return True
        write(module, path, content)
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
