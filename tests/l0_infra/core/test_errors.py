"""The tree drawn in the module's docstring is the tree there is, exit codes included."""

import re

from l0_infra.core import errors


def test_the_tree_drawn_is_the_tree_there_is() -> None:
    drawn = dict(re.findall(r"^[├└─ ]*([A-Z]\w+) +([0-9]+)  ", errors.__doc__ or "", re.MULTILINE))
    faced = [getattr(errors, name) for name in errors.__all__]
    tree = [one for one in faced if isinstance(one, type) and issubclass(one, errors.OgaiError)]
    assert {one.__name__: str(one.exit_code) for one in tree} == drawn
