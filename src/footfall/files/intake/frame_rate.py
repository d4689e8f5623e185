"""Find the intended frame rate from the rounded frame time in a file."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

_WHOLE = (
    1, 5, 6, 8, 10, 12, 15, 16, 18, 20, 24, 25, 30, 40, 48, 50, 60, 64, 72, 75, 80, 90, 96, 100,
    120, 125, 128, 144, 150, 160, 180, 200, 240, 250, 256, 300, 360, 400, 480, 500, 600, 1000,
)  # fmt: skip
_NTSC = tuple(rate * 1000 / 1001 for rate in (24, 30, 48, 60, 120, 240))


def snapped_rate(frame_time: float, text: str) -> float:
    """Frames per second for a frame time in seconds, written in the file as `text`.

    0.0333333 is 30 and 0.0333667 is 29.97 (NTSC). A common rate is taken when its frame time,
    rounded or cut off to the digits written, is what the file says; whole rates go first.
    """
    try:
        step = float(Decimal(1).scaleb(int(Decimal(text).as_tuple().exponent)))
    except (InvalidOperation, ValueError, OverflowError):
        step = 0.0
    for steps in (0.5001, 1.0):
        # At few digits many rates fit; never move the rate by more than two per cent.
        slack = max(min(steps * step, 0.021 * frame_time), 1e-6 * frame_time)
        for rates in (_WHOLE, _NTSC):
            best = min(rates, key=lambda rate: abs(1.0 / rate - frame_time))
            if abs(1.0 / best - frame_time) <= slack:
                return float(best)
    return 1.0 / frame_time
