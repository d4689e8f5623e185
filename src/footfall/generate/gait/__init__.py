"""Default clips that walk and run, from population figures of gait."""
