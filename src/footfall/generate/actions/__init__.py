"""Default clips that act: jump, step, sit, pick, duck, stand."""
