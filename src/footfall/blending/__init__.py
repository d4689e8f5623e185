"""Live locomotion by blending example strides (Park, Shin & Shin 2002)."""
