"""Bodies: skeletons, clips, kinematics, joint roles, the rest pose, feet, mass, the mannequin."""
