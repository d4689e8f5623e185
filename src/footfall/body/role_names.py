"""Joint names of the usual naming families: data only.

A name is compared by its *core*: namespace, rig prefix and side taken off, lower case, nothing
between the words. `mixamorig:LeftUpLeg`, `J_Bip_L_UpperLeg`, `thigh.L` and `lfemur` have the
cores `upleg`, `upperleg`, `thigh` and `femur`. Where a skeleton holds several names of one list,
the earlier name wins: that is how `left_shoulder` is the upper arm in SMPL (which has no other
name for it) and the clavicle in MotionBuilder (which has `LeftArm`).
"""

from __future__ import annotations

SIDES = ("left", "right")

CENTRE_ROLES = ("hips", "spine", "chest", "neck", "head")
SIDE_ROLES = ("clavicle", "shoulder", "elbow", "wrist", "hip", "knee", "ankle", "toe")
ROLES = CENTRE_ROLES + tuple(f"{side}_{role}" for side in SIDES for role in SIDE_ROLES)
"""Every role a joint can play."""

OPTIONAL_ROLES = frozenset(
    {"spine", "neck", "head", "left_clavicle", "right_clavicle", "left_toe", "right_toe"}
)
"""Roles a humanoid may lack (but not both neck and head)."""

LEG: tuple[tuple[str, ...], ...] = (
    ("upleg", "upperleg", "legupper", "thigh", "thighbend", "femur", "uleg", "hip", "leg",
     "hipjoint"),
    ("knee", "lowerleg", "leglower", "lowleg", "shin", "calf", "tibia", "leg", "kneejoint"),
    ("ankle", "foot", "anklejoint"),
)  # fmt: skip
"""Cores of hip, knee and ankle."""

TOE = ("toe", "toes", "toebase", "toe0", "toe1", "ball", "foot", "football", "toejoint")
"""Cores of the ball of the foot, looked for below the ankle."""

ARM: tuple[tuple[str, ...], ...] = (
    ("upperarm", "uparm", "armupper", "humerus", "uarm", "shldr", "shldrbend", "arm", "shoulder",
     "shoulderjoint"),
    ("elbow", "forearm", "forearmbend", "farm", "lowerarm", "armlower", "lowarm", "radius",
     "elbowjoint"),
    ("wrist", "hand", "wristjoint"),
)  # fmt: skip
"""Cores of shoulder, elbow and wrist."""

HEAD = ("head", "spine006", "spine6", "skull")
"""Cores of the head; Rigify calls it the sixth spine bone."""

NECK = ("neck", "neck1", "neck01", "lowerneck", "spine004", "spine4")
"""Cores of the neck, for skeletons without a head joint."""

LEFT_WORDS = frozenset({"l", "left", "lft", "lt"})
CENTRE_WORDS = frozenset({"c", "m", "center", "centre", "mid"})
RIGHT_WORDS = frozenset({"r", "right", "rgt", "rt"})

PREFIX_WORDS = frozenset(
    {"j", "bip", "bip01", "bip001", "biped", "valvebiped", "def", "org", "mixamorig", "joint",
     "jnt", "bone", "bn", "skel", "character", "character1", "cc", "base", "rig"}
)  # fmt: skip
"""Leading words that rigs put before the joint's own name (digits right after them go too)."""

SUFFIX_WORDS = frozenset({"jnt", "bone", "bind", "skin"})

PREFERRED_PREFIX = "def"
"""Of several complete limbs, the deforming bones' one is taken."""

VOCABULARY = frozenset(
    name for names in (*LEG, *ARM, TOE, HEAD, NECK) for name in names
) | {"clavicle", "collar", "thumb", "fingers", "hip", "shoulder", "finger"}  # fmt: skip
"""Cores that may follow a one-letter side, as in `lfemur`."""
