"""A tree becomes plain data under the direction of the declared type, which decides what each scalar is."""

from collections.abc import Mapping as AbstractMapping

from msgspec import inspect

from l0_infra.core.documents.hints import nearest
from l0_infra.core.documents.scalars import Unit, scalar_value
from l0_infra.core.documents.tree import Finding, Listing, Mapping, Node, Path, Scalar, finding

__all__ = ["Shaper"]

_ANYTHING = inspect.AnyType()
_LISTS = (inspect.ListType, inspect.VarTupleType, inspect.SetType, inspect.FrozenSetType)


class Shaper:
    """Shapes one document; `findings` gathers the keys that nobody declared, which the data leaves out."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def shape(self, node: Node, wanted: inspect.Type, path: Path = (), unit: Unit = None) -> object:
        """Return the data of `node`: values of the wanted types where the text allows it, else its texts."""
        while isinstance(wanted, inspect.Metadata | inspect.UnionType):
            if isinstance(wanted, inspect.Metadata):
                unit = (wanted.extra_json_schema or {}).get("x-unit", unit)
                wanted = wanted.type
            else:
                wanted = _alternative(node, wanted)
        if isinstance(node, Scalar):
            return scalar_value(node, wanted, unit)
        if isinstance(node, Listing):
            item = wanted.item_type if isinstance(wanted, _LISTS) else _ANYTHING
            return [self.shape(child, item, (*path, index)) for index, child in enumerate(node.items)]
        if isinstance(wanted, inspect.StructType):
            return self._shape_struct(node, wanted, path)
        value = wanted.value_type if isinstance(wanted, inspect.DictType) else _ANYTHING
        return {key: self.shape(child, value, (*path, key)) for key, child in node.values.items()}

    def _shape_struct(self, node: Mapping, wanted: inspect.StructType, path: Path) -> dict[str, object]:
        types = _struct_fields(wanted)
        data = {}
        for key, child in node.values.items():
            if key in types:
                data[key] = self.shape(child, types[key], (*path, key))
            else:
                missing = [name for name in types if name not in node.values]
                hint = nearest(key, missing) or _names(missing)
                place = node.keys[key]
                self.findings.append(
                    finding(place, f"the key `{key}`", "a key that is known here", hint, (*path, key))
                )
        return data


def _names(missing: list[str]) -> str:
    return (
        f"keys that may stand here: {', '.join(missing[:12])}"
        if missing
        else "every known key is there already"
    )


def _struct_fields(struct: inspect.StructType) -> AbstractMapping[str, inspect.Type]:
    """Name every key a struct may hold, its tag included, with the type of its value."""
    tag = {struct.tag_field: inspect.LiteralType((struct.tag,))} if struct.tag_field else {}
    return tag | {field.encode_name: field.type for field in struct.fields}


def _alternative(node: Node, union: inspect.UnionType) -> inspect.Type:
    """Pick the one member of a union that this node can mean: null, the tag's struct, or its kind of node."""
    if isinstance(node, Scalar) and node.is_null and union.includes_none:
        return inspect.NoneType()
    for member in union.types:
        if _suits(node, _bare(member)):
            return member
    structs = [member for member in union.types if isinstance(_bare(member), inspect.StructType)]
    only_one = isinstance(node, Mapping) and len(structs) == 1
    return structs[0] if only_one else _ANYTHING  # the only struct is meant even if its tag was forgotten


def _bare(member: inspect.Type) -> inspect.Type:
    while isinstance(member, inspect.Metadata):
        member = member.type
    return member


def _suits(node: Node, member: inspect.Type) -> bool:
    if isinstance(node, Listing):
        return isinstance(member, _LISTS)
    if isinstance(node, Mapping):
        return isinstance(member, inspect.DictType) or (
            isinstance(member, inspect.StructType) and _has_tag(node, member)
        )
    return not isinstance(member, (*_LISTS, inspect.StructType, inspect.DictType, inspect.NoneType))


def _has_tag(node: Mapping, struct: inspect.StructType) -> bool:
    if struct.tag_field is None:
        return True
    tag = node.values.get(struct.tag_field)
    return isinstance(tag, Scalar) and tag.text == str(struct.tag)
