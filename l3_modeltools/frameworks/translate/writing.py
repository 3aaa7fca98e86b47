"""A flat configuration becomes text again: YAML, JSON, TOML or arguments."""

import json
import re
from collections.abc import Mapping

from l3_modeltools.frameworks.translate.config import Value

__all__ = ["arguments", "json_text", "nested", "toml_text", "yaml_text"]

DOT = re.compile(r"(?<!\\)\.")


def nested(names: Mapping[str, Value]) -> dict[str, object]:
    r"""Sections within sections, of names with dots (`\.` is none of them); tuples become lists."""
    root: dict[str, object] = {}
    for name, value in names.items():
        *sections, last = (word.replace("\\.", ".") for word in DOT.split(name))
        inner = root
        for section in sections:
            below = inner.setdefault(section, {})
            if not isinstance(below, dict):
                raise TypeError(f"{name}: {section} is a value and a section")
            inner = below
        inner[last] = _listed(value)
    return root


def yaml_text(names: Mapping[str, Value]) -> str:
    """YAML: sections line by line, lists within one."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Its own, so that others go on writing lists as they do."""

    Dumper.add_representer(
        list, lambda dumper, data: dumper.represent_sequence("tag:yaml.org,2002:seq", data, flow_style=True)
    )
    return yaml.dump(nested(names), Dumper=Dumper, sort_keys=False, width=100)


def json_text(names: Mapping[str, Value]) -> str:
    """JSON, indented."""
    return json.dumps(nested(names), indent=2) + "\n"


def toml_text(names: Mapping[str, Value]) -> str:
    """TOML: a table for each section, of one level."""
    lines: list[str] = []
    for section, values in nested(names).items():
        if not isinstance(values, dict):
            raise TypeError(f"{section} is no section")
        lines += ["", f"[{section}]", *(f"{name} = {json.dumps(value)}" for name, value in values.items())]
    return "\n".join(lines[1:]) + "\n"


def arguments(names: Mapping[str, Value]) -> tuple[str, ...]:
    """`--name value`; a flag that is true stands alone, one that is false is left out."""
    words: list[str] = []
    for name, value in names.items():
        if value is True:
            words.append(name)
        elif value is not False:
            words += [name, json.dumps(_listed(value)) if isinstance(value, tuple) else str(value)]
    return tuple(words)


def _listed(value: Value) -> object:
    return [_listed(one) for one in value] if isinstance(value, tuple) else value
