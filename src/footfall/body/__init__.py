"""Bodies: skeletons, clips, kinematics, dynamics, joint roles, feet, mass, mesh."""
