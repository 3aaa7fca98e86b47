"""What makes many nodes one cluster: which roles each gets, in which order, with which variables."""

from l1_podsys.bringup.change import with_address, with_nodes, without_nodes
from l1_podsys.bringup.compare import MemberChange, compare_members, describe_edits
from l1_podsys.bringup.interfaces import absent_interfaces, interface_names, interfaces_of
from l1_podsys.bringup.members import Member, cluster_members, controller_name
from l1_podsys.bringup.membership import MARK, foreign_members, identity_among, unmark_command
from l1_podsys.bringup.plan import plan_bringup
from l1_podsys.bringup.scene import BringupScene, KeyOf
from l1_podsys.bringup.traits import Trait, trait_of
from l1_podsys.bringup.variables import HOST_AUTHORITY, MUNGE_KEY, PASSWORD

__all__ = [
    "HOST_AUTHORITY",
    "MARK",
    "MUNGE_KEY",
    "PASSWORD",
    "BringupScene",
    "KeyOf",
    "Member",
    "MemberChange",
    "Trait",
    "absent_interfaces",
    "cluster_members",
    "compare_members",
    "controller_name",
    "describe_edits",
    "foreign_members",
    "identity_among",
    "interface_names",
    "interfaces_of",
    "plan_bringup",
    "trait_of",
    "unmark_command",
    "with_address",
    "with_nodes",
    "without_nodes",
]
