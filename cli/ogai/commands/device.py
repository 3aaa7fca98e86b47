"""`ogai device`: what accelerator models can do at most, and who says so."""

import click
from click.shell_completion import CompletionItem

from ogai.commands.epilog import examples
from ogai.render import Output, emit, output_option

__all__ = ["device"]

EPILOG = """\b
Examples:
  ogai device list
  ogai device show h100-sxm-80            each number with its source
  ogai device list -o json | jq '.[].name'

`ogai node facts` names the data sheet that each accelerator matches.
"""


class DeviceName(click.ParamType[str]):
    """The name of a data sheet; the shell completes it."""

    name = "device"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the names that begin so."""
        from ogai.flows import device as flow

        return [CompletionItem(one.name) for one in flow.poll() if one.name.startswith(incomplete)]


@click.group(epilog=EPILOG)
def device() -> None:
    """Data sheets of accelerators: list, show."""


@device.command("list", epilog=examples("ogai device list", "ogai device list -o yaml"))
@output_option
def list_(output: Output) -> None:
    """List the models: memory, bandwidth, peak arithmetic, links."""
    from ogai.flows import device as flow
    from ogai.render.device import print_devices

    emit(flow.poll(), output, print_devices)


@device.command(epilog=examples("ogai device show h100-sxm-80", "ogai device show ascend-910c -o json"))
@click.argument("name", type=DeviceName())
@output_option
def show(name: str, output: Output) -> None:
    """Show one model, each number with its source."""
    from ogai.flows import device as flow
    from ogai.render.device import print_device

    emit(flow.show(name), output, print_device)
