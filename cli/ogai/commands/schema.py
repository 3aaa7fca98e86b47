"""`ogai schema`: which documents there are, what each holds, how one begins, whether a file is one."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from click.shell_completion import CompletionItem

from ogai.commands.epilog import examples
from ogai.render import Column, Output, emit, output_option, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from l0_infra.core.documents import FieldLine
    from ogai.flows.schemas import KindSummary

__all__ = ["schema"]

EPILOG = """\b
Examples:
  ogai schema list                      which documents there are
  ogai schema example job > job.yaml    start one
  ogai schema check job.yaml            all faults at once, with their lines
"""


class Kind(click.ParamType[str]):
    """The kind of a document; the shell completes it."""

    name = "kind"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the kinds that begin so."""
        from ogai.flows.kinds import KINDS

        return [CompletionItem(kind) for kind in KINDS if kind.startswith(incomplete)]


@click.group(epilog=EPILOG)
def schema() -> None:
    """The documents: list, show, example, check."""


@schema.command("list", epilog=examples("ogai schema list"))
@output_option
def list_(output: Output) -> None:
    """List the kinds of documents, who owns each, and what it is."""
    from ogai.flows.schemas import summarise_kinds

    emit(summarise_kinds(), output, _print_kinds)


@schema.command(epilog=examples("ogai schema show job -o table"))
@click.argument("kind", type=Kind())
@click.option(
    "-o",
    "--output",
    type=click.Choice(["json", "table", "yaml"]),
    default="json",
    show_default=True,
    help="JSON Schema as JSON or YAML, or a table of the fields.",
)
def show(kind: str, output: Literal["json", "table", "yaml"]) -> None:
    """Show what a document of KIND holds."""
    from l0_infra.core.documents import json_schema, list_fields, render_schema
    from ogai.flows.kinds import declaration_of

    declaration = declaration_of(kind)
    if output == "table":
        _print_fields(list_fields(declaration))
    elif output == "json":
        click.echo(render_schema(declaration), nl=False)
    else:
        import yaml

        click.echo(yaml.safe_dump(json_schema(declaration), sort_keys=False, allow_unicode=True), nl=False)


@schema.command(epilog=examples("ogai schema example job > job.yaml"))
@click.argument("kind", type=Kind())
def example(kind: str) -> None:
    """Print a commented example of KIND that checks."""
    from l0_infra.core.documents import render_example
    from ogai.flows.kinds import declaration_of, schema_path

    declaration = declaration_of(kind)
    click.echo(render_example(declaration, schema=str(schema_path(declaration))), nl=False)


@schema.command(epilog=examples("ogai schema check job.yaml", "ogai schema check examples/*/*.yaml"))
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
def check(files: tuple[Path, ...]) -> None:
    """Check documents of any kind; exit code 2 when one has a fault."""
    from l0_infra.core.errors import DocumentError
    from ogai.flows.schemas import check_files

    results = check_files(files)
    for result in results:
        if not result.faults:
            click.echo(f"{result.file}: a sound {result.kind}")
    bad = [result for result in results if result.faults]
    if bad:
        where = bad[0].file if len(bad) == 1 else f"{len(bad)} of {len(results)} files"
        raise DocumentError(where, [fault for result in bad for fault in result.faults])


@schema.command(hidden=True)
def generate() -> None:
    """Write the committed schema files anew; prints those that changed."""
    from ogai.flows.kinds import KINDS
    from ogai.flows.schemas import save_schemas

    for path in save_schemas(KINDS.values()):
        click.echo(path)


def _print_fields(fields: "Sequence[FieldLine]") -> None:
    columns: list[Column[FieldLine]] = [
        Column(title="FIELD", value=lambda row: row.path),
        Column(title="VALUE", value=lambda row: row.wanted),
        Column(title="DEFAULT", value=lambda row: row.default),
        Column(title="MEANING", value=lambda row: row.description),
    ]
    print_table(columns, fields)


def _print_kinds(kinds: "Sequence[KindSummary]") -> None:
    columns: list[Column[KindSummary]] = [
        Column(title="KIND", value=lambda row: row.kind),
        Column(title="OWNER", value=lambda row: row.layer),
        Column(title="WHAT IT IS", value=lambda row: row.sentence),
    ]
    print_table(columns, kinds)
