"""All kinds of documents that the layers own, found in their schemas, so that none is listed twice.

Importing this module imports every layer's declarations; commands do so inside their functions.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from l0_infra.core.documents import Document, kind_of, schema_name
from l0_infra.core.errors import UsageError

__all__ = ["KINDS", "LAYERS", "declaration_of", "layer_of", "schema_path"]

LAYERS = ("l0_infra", "l1_podsys", "l2_scheduler", "l3_modeltools", "l4_multimodel")


def _declared() -> Iterator[type[Document]]:
    for layer in LAYERS:
        face = import_module(f"{layer}.schemas")
        for name in getattr(face, "__all__", ()):
            member = getattr(face, name)
            if isinstance(member, type) and issubclass(member, Document) and layer_of(member) == layer:
                yield member


def layer_of(declaration: type[Document]) -> str:
    """The layer that owns a kind."""
    return declaration.__module__.partition(".")[0]


def schema_path(declaration: type[Document]) -> Path:
    """Where the generated JSON Schema of a kind lies."""
    return Path(str(files(f"{layer_of(declaration)}.schemas"))) / schema_name(declaration)


def declaration_of(kind: str) -> type[Document]:
    """The declaration of a kind; raises UsageError for a kind nobody owns."""
    if kind in KINDS:
        return KINDS[kind]
    from difflib import get_close_matches

    close = get_close_matches(kind, KINDS, n=1)
    raise UsageError(
        "ogai schema",
        found=f"the kind `{kind}`",
        expected=f"one of {', '.join(KINDS)}",
        hint=f"did you mean `{close[0]}`?" if close else "`ogai schema list` says what each is",
    )


KINDS: Mapping[str, type[Document]] = MappingProxyType({kind_of(member): member for member in _declared()})
"""Every kind with its declaration, lower layers first."""
