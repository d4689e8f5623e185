"""Skeletons of every naming family, with human geometry, and random motion on them.

Each family is a list of chains, `name=place name=place …`; a chain starts at a joint that is
already there (or at the root). `place` is a key of PLACES, a `+x,y,z` is added to it. Chains
with a `{…}` in them are made for both sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.axes import to_y_up
from footfall.body.skeleton import Skeleton
from footfall.files.intake.raw import RawMotion
from footfall.maths.quaternions import from_matrix, from_rotation_vector, multiply

# A person of 1.75 m in a T-pose: y up, facing +z, metres; sides are given for the left.
PLACES = {
    "floor": (0.0, 0.0, 0.0),
    "hips": (0.0, 0.95, 0.0),
    "spine1": (0.0, 1.05, -0.01),
    "spine2": (0.0, 1.17, -0.02),
    "spine3": (0.0, 1.30, -0.02),
    "neck": (0.0, 1.47, -0.01),
    "neck2": (0.0, 1.52, 0.0),
    "head": (0.0, 1.57, 0.01),
    "top": (0.0, 1.75, 0.02),
    "clavicle": (0.03, 1.42, 0.0),
    "shoulder": (0.18, 1.43, -0.02),
    "elbow": (0.46, 1.43, -0.02),
    "wrist": (0.71, 1.43, -0.02),
    "knuckle": (0.80, 1.43, -0.02),
    "thumb": (0.74, 1.41, 0.02),
    "fingertip": (0.89, 1.43, -0.02),
    "hip": (0.09, 0.91, 0.0),
    "knee": (0.09, 0.50, 0.0),
    "ankle": (0.09, 0.08, 0.0),
    "toe": (0.09, 0.03, 0.12),
    "toetip": (0.09, 0.02, 0.19),
}

_ROLE_OF_PLACE = {
    "clavicle", "shoulder", "elbow", "wrist", "hip", "knee", "ankle", "toe",
}  # fmt: skip


@dataclass(frozen=True)
class Family:
    """chains: the tree; wanted: centre role -> joint name (side roles follow from the places)."""

    chains: tuple[str, ...]
    hips: str
    chest: str
    head: str
    spine: str = ""
    neck: str = ""


def _motionbuilder(prefix: str = "", toe: str = "ToeBase") -> tuple[str, ...]:
    p = prefix
    return (
        f"{p}Hips=hips {p}Spine=spine1 {p}Spine1=spine2 {p}Spine2=spine3 {p}Neck=neck "
        f"{p}Head=head .=top",
        f"{p}Spine2 {p}{{Left}}Shoulder=clavicle {p}{{Left}}Arm=shoulder {p}{{Left}}ForeArm=elbow "
        f"{p}{{Left}}Hand=wrist .=knuckle",
        f"{p}Hips {p}{{Left}}UpLeg=hip {p}{{Left}}Leg=knee {p}{{Left}}Foot=ankle "
        f"{p}{{Left}}{toe}=toe .=toetip",
    )


FAMILIES: dict[str, Family] = {
    "cmu_bvh": Family(
        (
            "Hips=hips LowerBack=hips Spine=spine2 Spine1=spine3 Neck=spine3 Neck1=neck "
            "Head=head .=top",
            "Hips {L}HipJoint=hips {Left}UpLeg=hip {Left}Leg=knee {Left}Foot=ankle "
            "{Left}ToeBase=toe .=toetip",
            "Spine1 {Left}Shoulder=spine3 {Left}Arm=shoulder {Left}ForeArm=elbow {Left}Hand=wrist "
            "{Left}FingerBase=wrist {Left}HandIndex1=knuckle .=fingertip",
            "{Left}Hand {L}Thumb=wrist .=thumb",
        ),
        "Hips", "Spine1", "Head", "LowerBack", "Neck",
    ),
    "acclaim": Family(
        (
            "root=hips lowerback=hips upperback=spine2 thorax=spine3 lowerneck=neck "
            "upperneck=neck2 head=head .=top",
            "root {l}hipjoint=hips {l}femur=hip {l}tibia=knee {l}foot=ankle {l}toes=toe .=toetip",
            "thorax {l}clavicle=neck {l}humerus=shoulder {l}radius=elbow {l}wrist=wrist "
            "{l}hand=knuckle "
            "{l}fingers=fingertip",
            "{l}wrist {l}thumb=wrist .=thumb",
        ),
        "root", "thorax", "head", "lowerback", "lowerneck",
    ),
    "mixamo": Family(_motionbuilder("mixamorig:"), "mixamorig:Hips", "mixamorig:Spine2",
                     "mixamorig:Head", "mixamorig:Spine", "mixamorig:Neck"),
    "mixamo_numbered": Family(_motionbuilder("mixamorig7_"), "mixamorig7_Hips", "mixamorig7_Spine2",
                              "mixamorig7_Head", "mixamorig7_Spine", "mixamorig7_Neck"),
    "lafan1": Family(_motionbuilder("", "Toe"), "Hips", "Spine2", "Head", "Spine", "Neck"),
    "named_actor": Family(_motionbuilder("Anna_01_"), "Anna_01_Hips", "Anna_01_Spine2",
                          "Anna_01_Head", "Anna_01_Spine", "Anna_01_Neck"),
    "bandai": Family(
        (
            "joint_Root=floor Hips=hips Spine=spine1 Chest=spine3 Neck=neck Head=head .=top",
            "Chest Shoulder_{L}=clavicle UpperArm_{L}=shoulder LowerArm_{L}=elbow "
            "Hand_{L}=wrist .=knuckle",
            "Hips UpperLeg_{L}=hip LowerLeg_{L}=knee Foot_{L}=ankle Toes_{L}=toe .=toetip",
        ),
        "Hips", "Chest", "Head", "Spine", "Neck",
    ),
    "smpl": Family(
        (
            "pelvis=hips spine1=spine1 spine2=spine2 spine3=spine3 neck=neck head=head",
            "pelvis {left}_hip=hip {left}_knee=knee {left}_ankle=ankle {left}_foot=toe",
            "spine3 {left}_collar=clavicle {left}_shoulder=shoulder {left}_elbow=elbow "
            "{left}_wrist=wrist "
            "{left}_hand=knuckle",
        ),
        "pelvis", "spine3", "head", "spine1", "neck",
    ),
    "smplx": Family(
        (
            "pelvis=hips spine1=spine1 spine2=spine2 spine3=spine3 neck=neck head=head "
            "jaw=head+0,0.02,0.06",
            "head {left}_eye_smplhf=head+0.03,0.07,0.08",
            "pelvis {left}_hip=hip {left}_knee=knee {left}_ankle=ankle {left}_foot=toe",
            "spine3 {left}_collar=clavicle {left}_shoulder=shoulder {left}_elbow=elbow "
            "{left}_wrist=wrist "
            "{left}_middle1=knuckle {left}_middle2=fingertip",
            "{left}_wrist {left}_thumb1=thumb",
        ),
        "pelvis", "spine3", "head", "spine1", "neck",
    ),
    "smpl_maya": Family(
        (
            "m_avg_root=floor m_avg_Pelvis=hips m_avg_Spine1=spine1 m_avg_Spine2=spine2 "
            "m_avg_Spine3=spine3 "
            "m_avg_Neck=neck m_avg_Head=head",
            "m_avg_Pelvis m_avg_{L}_Hip=hip m_avg_{L}_Knee=knee m_avg_{L}_Ankle=ankle "
            "m_avg_{L}_Foot=toe",
            "m_avg_Spine3 m_avg_{L}_Collar=clavicle m_avg_{L}_Shoulder=shoulder "
            "m_avg_{L}_Elbow=elbow "
            "m_avg_{L}_Wrist=wrist m_avg_{L}_Hand=knuckle",
        ),
        "m_avg_Pelvis", "m_avg_Spine3", "m_avg_Head", "m_avg_Spine1", "m_avg_Neck",
    ),
    "unreal": Family(
        (
            "root=floor pelvis=hips spine_01=spine1 spine_02=spine2 spine_03=spine3 "
            "neck_01=neck head=head",
            "root ik_foot_root=floor",
            "ik_foot_root ik_foot_{l}=ankle",
            "root ik_hand_root=floor ik_hand_gun=wrist",
            "ik_hand_gun ik_hand_{l}=wrist",
            "pelvis thigh_{l}=hip calf_{l}=knee foot_{l}=ankle ball_{l}=toe",
            "thigh_{l} thigh_twist_01_{l}=hip+0,-0.2,0",
            "calf_{l} calf_twist_01_{l}=knee+0,-0.2,0",
            "spine_03 clavicle_{l}=clavicle upperarm_{l}=shoulder lowerarm_{l}=elbow "
            "hand_{l}=wrist "
            "middle_01_{l}=knuckle middle_02_{l}=fingertip",
            "upperarm_{l} upperarm_twist_01_{l}=shoulder+0.1,0,0",
            "lowerarm_{l} lowerarm_twist_01_{l}=elbow+0.1,0,0",
            "hand_{l} thumb_01_{l}=thumb",
        ),
        "pelvis", "spine_03", "head", "spine_01", "neck_01",
    ),
    "rigify": Family(
        (
            "spine=hips spine.001=spine1 spine.002=spine2 spine.003=spine3 spine.004=neck "
            "spine.005=neck2 "
            "spine.006=head .=top",
            "spine pelvis.{L}=hips .=hip",
            "spine thigh.{L}=hip shin.{L}=knee foot.{L}=ankle toe.{L}=toe .=toetip",
            "foot.{L} heel.02.{L}=ankle+-0.03,-0.08,-0.06",
            "spine.003 shoulder.{L}=clavicle upper_arm.{L}=shoulder forearm.{L}=elbow "
            "hand.{L}=wrist .=knuckle",
            "spine.003 breast.{L}=spine3+0.1,0,0.1",
        ),
        "spine", "spine.003", "spine.006", "spine.001", "spine.004",
    ),
    "rigify_deform": Family(
        (
            "DEF-spine=hips DEF-spine.001=spine1 DEF-spine.002=spine2 DEF-spine.003=spine3 "
            "DEF-spine.004=neck "
            "DEF-spine.005=neck2 DEF-spine.006=head .=top",
            "DEF-spine DEF-thigh.{L}=hip DEF-thigh.{L}.001=hip+0,-0.2,0 DEF-shin.{L}=knee "
            "DEF-shin.{L}.001=knee+0,-0.2,0 DEF-foot.{L}=ankle DEF-toe.{L}=toe .=toetip",
            "DEF-spine.003 DEF-shoulder.{L}=clavicle DEF-upper_arm.{L}=shoulder "
            "DEF-upper_arm.{L}.001=shoulder+0.14,0,0 DEF-forearm.{L}=elbow "
            "DEF-forearm.{L}.001=elbow+0.12,0,0 "
            "DEF-hand.{L}=wrist .=knuckle",
        ),
        "DEF-spine", "DEF-spine.003", "DEF-spine.006", "DEF-spine.001", "DEF-spine.004",
    ),
    "vroid": Family(
        (
            "Root=floor J_Bip_C_Hips=hips J_Bip_C_Spine=spine1 J_Bip_C_Chest=spine2 "
            "J_Bip_C_UpperChest=spine3 "
            "J_Bip_C_Neck=neck J_Bip_C_Head=head J_Sec_Hair1_01=top",
            "J_Bip_C_Hips J_Bip_{L}_UpperLeg=hip J_Bip_{L}_LowerLeg=knee J_Bip_{L}_Foot=ankle "
            "J_Bip_{L}_ToeBase=toe",
            "J_Bip_C_UpperChest J_Bip_{L}_Shoulder=clavicle J_Bip_{L}_UpperArm=shoulder "
            "J_Bip_{L}_LowerArm=elbow "
            "J_Bip_{L}_Hand=wrist J_Bip_{L}_Middle1=knuckle",
        ),
        "J_Bip_C_Hips", "J_Bip_C_UpperChest", "J_Bip_C_Head", "J_Bip_C_Spine", "J_Bip_C_Neck",
    ),
    "vrm": Family(
        (
            "hips=hips spine=spine1 chest=spine2 upperChest=spine3 neck=neck head=head",
            "hips {left}UpperLeg=hip {left}LowerLeg=knee {left}Foot=ankle {left}Toes=toe",
            "upperChest {left}Shoulder=clavicle {left}UpperArm=shoulder {left}LowerArm=elbow "
            "{left}Hand=wrist",
        ),
        "hips", "upperChest", "head", "spine", "neck",
    ),
    "biped": Family(
        (
            "Bip01=hips Bip01~Pelvis=hips Bip01~Spine=spine1 Bip01~Spine1=spine2 "
            "Bip01~Spine2=spine3 "
            "Bip01~Neck=neck Bip01~Head=head .=top",
            "Bip01~Neck Bip01~{L}~Clavicle=clavicle Bip01~{L}~UpperArm=shoulder "
            "Bip01~{L}~Forearm=elbow "
            "Bip01~{L}~Hand=wrist .=knuckle",
            "Bip01~Pelvis Bip01~{L}~Thigh=hip Bip01~{L}~Calf=knee Bip01~{L}~Foot=ankle "
            "Bip01~{L}~Toe0=toe .=toetip",
        ),
        "Bip01 Pelvis", "Bip01 Spine2", "Bip01 Head", "Bip01 Spine", "Bip01 Neck",
    ),
    "old_bvh": Family(
        (
            "Hips=hips Chest=spine2 Neck=neck Head=head .=top",
            "Chest {Left}Collar=clavicle {Left}Shoulder=shoulder {Left}Elbow=elbow "
            "{Left}Wrist=wrist .=knuckle",
            "Hips {Left}Hip=hip {Left}Knee=knee {Left}Ankle=ankle .=toe",
        ),
        "Hips", "Chest", "Head", "", "Neck",
    ),
    "poser": Family(
        (
            "hip=hips abdomen=spine1 chest=spine3 neck=neck head=head .=top",
            "chest {l}Collar=clavicle {l}Shldr=shoulder {l}ForeArm=elbow {l}Hand=wrist .=knuckle",
            "hip {l}Thigh=hip {l}Shin=knee {l}Foot=ankle .=toe",
        ),
        "hip", "chest", "head", "abdomen", "neck",
    ),
    "daz": Family(
        (
            "hip=hips pelvis=hips+0,-0.02,0",
            "hip abdomenLower=spine1 abdomenUpper=spine2 chestLower=spine3 neckLower=neck "
            "neckUpper=neck2 head=head .=top",
            "pelvis {l}ThighBend=hip {l}ThighTwist=hip+0,-0.2,0 {l}Shin=knee {l}Foot=ankle "
            "{l}Metatarsals=ankle+0,-0.03,0.04 {l}Toe=toe .=toetip",
            "chestLower {l}Collar=clavicle {l}ShldrBend=shoulder {l}ShldrTwist=shoulder+0.1,0,0 "
            "{l}ForearmBend=elbow {l}ForearmTwist=elbow+0.1,0,0 {l}Hand=wrist .=knuckle",
        ),
        "hip", "chestLower", "head", "abdomenLower", "neckLower",
    ),
    "optitrack": Family(
        (
            "Skeleton_001_Hip=hips Skeleton_001_Ab=spine1 Skeleton_001_Chest=spine3 "
            "Skeleton_001_Neck=neck Skeleton_001_Head=head .=top",
            "Skeleton_001_Chest Skeleton_001_{L}Shoulder=clavicle Skeleton_001_{L}UArm=shoulder "
            "Skeleton_001_{L}FArm=elbow Skeleton_001_{L}Hand=wrist .=knuckle",
            "Skeleton_001_Hip Skeleton_001_{L}Thigh=hip Skeleton_001_{L}Shin=knee "
            "Skeleton_001_{L}Foot=ankle Skeleton_001_{L}Toe=toe .=toetip",
        ),
        "Skeleton_001_Hip", "Skeleton_001_Chest", "Skeleton_001_Head", "Skeleton_001_Ab",
        "Skeleton_001_Neck",
    ),
    "character_creator": Family(
        (
            "CC_Base_BoneRoot=floor CC_Base_Hip=hips CC_Base_Waist=spine1 CC_Base_Spine01=spine2 "
            "CC_Base_Spine02=spine3 CC_Base_NeckTwist01=neck CC_Base_Head=head .=top",
            "CC_Base_Hip CC_Base_Pelvis=hips",
            "CC_Base_Pelvis CC_Base_{L}_Thigh=hip CC_Base_{L}_Calf=knee CC_Base_{L}_Foot=ankle "
            "CC_Base_{L}_ToeBase=toe .=toetip",
            "CC_Base_Spine02 CC_Base_{L}_Clavicle=clavicle CC_Base_{L}_Upperarm=shoulder "
            "CC_Base_{L}_Forearm=elbow CC_Base_{L}_Hand=wrist .=knuckle",
            "CC_Base_{L}_Thigh CC_Base_{L}_ThighTwist01=hip+0,-0.1,0",
        ),
        "CC_Base_Hip", "CC_Base_Spine02", "CC_Base_Head", "CC_Base_Waist", "CC_Base_NeckTwist01",
    ),
    "xsens": Family(
        (
            "Hips=hips Chest=spine1 Chest2=spine2 Chest3=spine2+0,0.06,0 Chest4=spine3 Neck=neck "
            "Head=head .=top",
            "Chest4 {Left}Collar=clavicle {Left}Shoulder=shoulder {Left}Elbow=elbow "
            "{Left}Wrist=wrist .=knuckle",
            "Hips {Left}Hip=hip {Left}Knee=knee {Left}Ankle=ankle {Left}Toe=toe .=toetip",
        ),
        "Hips", "Chest4", "Head", "Chest", "Neck",
    ),
    "unknown": Family(
        (
            "bone0=hips bone1=spine1 bone2=spine3 bone3=neck bone4=head .=top",
            "bone2 a{l}1=clavicle a{l}2=shoulder a{l}3=elbow a{l}4=wrist .=knuckle",
            "bone0 b{l}1=hip b{l}2=knee b{l}3=ankle b{l}4=toe .=toetip",
        ),
        "bone0", "bone2", "bone4", "bone1", "bone3",
    ),
}  # fmt: skip

# Families whose joints do not sit where their own roles would have them (a clavicle at the chest).
_EXTRA_ROLES = {
    "cmu_bvh": {"left_clavicle": "LeftShoulder", "right_clavicle": "RightShoulder"},
    "acclaim": {"left_clavicle": "lclavicle", "right_clavicle": "rclavicle"},
}


def family_skeleton(name: str) -> tuple[Skeleton, dict[str, str]]:
    """A family's skeleton (no roles, metres, y up, T-pose) and the roles it should get."""
    family = FAMILIES[name]
    names: list[str] = []
    parents: list[int] = []
    places: list[np.ndarray] = []
    ends: list[tuple[int, np.ndarray]] = []
    wanted = {role: joint for role, joint in (
        ("hips", family.hips), ("spine", family.spine), ("chest", family.chest),
        ("neck", family.neck), ("head", family.head)) if joint}  # fmt: skip
    for chain in family.chains:
        for sided, sign in _both_sides(chain):
            above = -1
            for word in sided.split():
                joint, _, key = word.replace("~", " ").partition("=")
                if not key:
                    above = names.index(joint)
                    continue
                place = _place(key, sign)
                if joint == ".":
                    ends.append((above, place - places[above]))
                    continue
                if sign and key in _ROLE_OF_PLACE and not joint.startswith("ik_"):
                    wanted.setdefault(f"{'left' if sign > 0 else 'right'}_{key}", joint)
                names.append(joint)
                parents.append(above)
                places.append(place)
                above = len(names) - 1
    wanted.update(_EXTRA_ROLES.get(name, {}))
    rest = np.array(places)
    offsets = rest - np.where(np.array(parents)[:, None] >= 0, rest[parents], 0.0)
    skeleton = Skeleton(
        tuple(names), np.array(parents), offsets,
        np.array([joint for joint, _ in ends], dtype=np.int32),
        np.array([offset for _, offset in ends]).reshape(-1, 3),
    )  # fmt: skip
    return _parents_first(skeleton), wanted


def raw_motion(
    skeleton: Skeleton, rng: np.random.Generator, frames: int = 40, *, unit_m: float = 1.0,
    up: str = "y", fps: float = 60.0, swing: float = 0.4,
) -> RawMotion:  # fmt: skip
    """Smooth random motion of a standing body, as a file in other units and axes would hold it.

    The whole file is turned, rest pose included: offsets are in the file's axes.
    """
    joints = len(skeleton)
    turn = to_y_up(up).T  # from y up to the file's axes
    quarter = from_matrix(turn)
    time = np.linspace(0.0, 2.0 * np.pi, frames)[:, None, None]
    phase, size = rng.uniform(0, 6.28, (1, joints, 3)), rng.normal(0.0, swing, (1, joints, 3))
    size[:, 0] *= 0.3
    rotations = from_rotation_vector(size * np.sin(time + phase))
    conjugated = multiply(multiply(quarter, rotations), quarter * [1.0, -1.0, -1.0, -1.0])
    root = np.cumsum(rng.normal(0.0, 0.01, (frames, 3)), axis=0) + skeleton.offsets[0]
    return RawMotion(
        "test", skeleton.names, skeleton.parents, skeleton.offsets @ turn.T / unit_m,
        skeleton.end_joints, skeleton.end_offsets @ turn.T / unit_m, conjugated,
        {0: root @ turn.T / unit_m}, fps,
    )  # fmt: skip


def _both_sides(chain: str) -> list[tuple[str, float]]:
    if "{" not in chain:
        return [(chain, 0.0)]
    words = (("Left", "left", "L", "l", 1.0), ("Right", "right", "R", "r", -1.0))
    return [
        (chain.replace("{Left}", a).replace("{left}", b).replace("{L}", c).replace("{l}", d), sign)
        for a, b, c, d, sign in words
    ]


def _place(key: str, sign: float) -> np.ndarray:
    name, plus, more = key.partition("+")
    place = np.array(PLACES[name])
    if plus:
        place = place + np.array([float(v) for v in more.split(",")])
    return place * [sign or 1.0, 1.0, 1.0]


def _parents_first(skeleton: Skeleton) -> Skeleton:
    """Depth-first order, as files have it."""
    order: list[int] = []
    stack = [0]
    while stack:
        joint = stack.pop()
        order.append(joint)
        stack += reversed(skeleton.children[joint])
    index = {joint: k for k, joint in enumerate(order)}
    parents = [-1, *(index[int(skeleton.parents[j])] for j in order[1:])]
    return Skeleton(
        tuple(skeleton.names[j] for j in order), np.array(parents), skeleton.offsets[order],
        np.array([index[int(j)] for j in skeleton.end_joints], dtype=np.int32),
        skeleton.end_offsets,
    )  # fmt: skip
