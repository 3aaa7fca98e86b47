"""ogai itself as a wheel, so that nodes run the version that runs here."""

from ogai.flows.wheel.own import own_wheel, planned_wheel

__all__ = ["own_wheel", "planned_wheel"]
