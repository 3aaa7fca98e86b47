"""Plan what every node gets whatever it is for: a base system and the right time."""

from l0_infra.provision.plan import Provisioned, plan_provision

__all__ = ["Provisioned", "plan_provision"]
