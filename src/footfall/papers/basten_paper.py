"""The figures that van Basten & Egges print, by table."""

from __future__ import annotations

SIZES = ("I", "II", "III", "IV")
METRICS = ("point_cloud", "joint_angles", "principal_components")
"""The paper's Geom, Angular and PCA."""
PATHS = ("straight", "low", "high")
ABSTRACTIONS = ("pelvis", "joints", "extrema", "gaussian", "bspline")
"""The paper's standard method, JC, JOE, GS and BS."""

RECORDED = {
    "foot skating (cm a frame)": (0.20, 0.28, 0.39),
    "amplitude (cm)": (3.91, 3.55, 4.51),
    "wavelength (cm)": (57.83, 55.31, 49.06),
    "amplitude deviation (cm)": (0.55, 0.78, 1.10),
    "wavelength deviation (cm)": (1.33, 3.73, 6.44),
}
"""Table 1, by path."""

COUNTS = {
    "point_cloud": ((271, 167, 1420), (644, 352, 3532), (1013, 493, 5894), (1263, 542, 7911)),
    "joint_angles": ((253, 160, 1508), (632, 365, 3331), (1017, 516, 5720), (1264, 582, 7535)),
    "principal_components": (
        (258, 161, 1437), (638, 352, 3498), (1024, 479, 6096), (1268, 534, 8027),
    ),
}  # fmt: skip
"""Table 2: edges, nodes and frames, by size."""

DEVIATION_CM2 = {
    "point_cloud": (2034946.2, 160938.4, 78837.7, 67054.7),
    "joint_angles": (1485244.7, 82974.5, 75676.1, 50273.2),
    "principal_components": (1274669.5, 163120.6, 82585.6, 54404.1),
}
"""Table 3."""

SKATING_CM = {
    "point_cloud": (1608.17, 1604.40, 1829.22, 1975.81),
    "joint_angles": (1664.72, 1987.65, 2482.57, 3174.35),
    "principal_components": (1528.57, 1895.00, 2088.76, 2340.05),
}
"""Table 4."""

TIME_S = {
    "point_cloud": (2.16, 9.94, 41.15, 125.53),
    "joint_angles": (2.65, 3.86, 14.91, 21.53),
    "principal_components": (0.58, 5.49, 41.98, 80.86),
}
"""Table 5, on one core of 2.4 GHz."""

THRESHOLDS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5)
THRESHOLD_COUNTS = (
    (79, 114, 653), (295, 528, 2874), (475, 925, 5202), (566, 1300, 8046), (599, 1468, 9403),
    (611, 1563, 10235), (613, 1584, 10425),
)  # fmt: skip
"""Table 6: nodes, edges and frames, by threshold."""

EFFECTS = {"foot skating": 367.40, "amplitude": 630.32, "wavelength": 317.35}
"""F(4, 156) of the technique, §6.3."""


def wished_edges() -> tuple[int, ...]:
    """How many edges a graph of each size has: the mean of the three metrics."""
    return tuple(
        round(sum(COUNTS[metric][size][0] for metric in METRICS) / len(METRICS))
        for size in range(len(SIZES))
    )
