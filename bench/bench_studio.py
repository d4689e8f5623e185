"""The studio over its sockets: from pointer to pose, many sockets at once, and the first paint.

Times are of the wall clock: they mean something on an idle machine only. Poses are read by plain
WebSocket clients in threads of another process than the server's.
"""

from __future__ import annotations

import json
import struct
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from tests.studio.conftest import Server

from bench.harness import BenchRow, quick

SOCKETS, EVERY_S, SEQUENCE_AT = 20, 0.05, 16
SCENE = {"name": "yard", "size": [12.0, 12.0],
         "obstacle": [{"kind": "box", "at": [2.0, 2.0], "size": [0.5, 1.0, 0.5]}]}  # fmt: skip


def rows() -> list[BenchRow]:
    """Return pointer to pose, the gap between poses, and the first paint."""
    seconds = 1.0 if quick() else 10.0
    with TemporaryDirectory() as folder:
        server = Server(Path(folder))
        try:
            one = steer_sockets(server, 1, seconds)
            many = steer_sockets(server, 1 if quick() else SOCKETS, seconds)
            found = [
                BenchRow("pointer to pose over the socket, p95", _p95(one, 0), goal="<= 30 ms"),
                BenchRow("from pose to pose, p95", _p95(one, 1), goal="1/60 s"),
                BenchRow(f"from pose to pose, p95 of the worst of {SOCKETS} sockets",
                         _p95(many, 1), goal="none starves"),
                BenchRow(f"mean gap of poses, the worst of {SOCKETS} sockets",
                         max(float(np.mean(each[1])) for each in many), goal="none starves"),
            ]  # fmt: skip
            return [*found, *first_paint(server)]
        finally:
            server.stop()


def _p95(measured: list[tuple[list[float], list[float]]], column: int) -> float:
    """Return the 95th percentile of the socket that fares worst, seconds."""
    return max(float(np.percentile(each[column], 95)) for each in measured)


def steer_sockets(
    server: Server, count: int, seconds: float
) -> list[tuple[list[float], list[float]]]:
    """Steer characters on sockets of their own; return what each measured.

    That is the seconds from sending a target to its first pose, and those from pose to pose.
    """
    measured: list[tuple[list[float], list[float]]] = []
    ready = threading.Barrier(count)

    def steer() -> None:
        measured.append(_steer_socket(server.socket, ready, seconds))

    threads = [threading.Thread(target=steer) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(measured) == count
    return measured


def _steer_socket(
    address: str, ready: threading.Barrier, seconds: float
) -> tuple[list[float], list[float]]:
    from websockets.sync.client import connect

    with connect(f"{address}api/live", max_size=None) as socket:
        socket.send(json.dumps({"type": "start", "scene": SCENE}))
        while isinstance(socket.recv(300), str) is False:
            pass
        ready.wait()
        waits, gaps, sent, number = [], [], {0: 0.0}, 0
        began = last = time.perf_counter()
        while (now := time.perf_counter()) - began < seconds:
            if now - sent[number] >= EVERY_S:
                number += 1
                sent[number] = now
                at = [float(np.sin(0.3 * number)), 3.0]
                socket.send(json.dumps({"type": "steer", "seq": number, "target": at}))
            frame = socket.recv(60)
            came = time.perf_counter()
            if isinstance(frame, str):
                continue
            gaps.append(came - last)
            last = came
            (heeded,) = struct.unpack_from("<I", frame, SEQUENCE_AT)
            if heeded in sent and heeded > len(waits):
                waits += [came - sent[heeded]] * (heeded - len(waits))
    return waits, gaps[5:]


def first_paint(server: Server) -> list[BenchRow]:
    """Return when Chromium first paints the studio's page, if it is there."""
    from tests.chromium import CHROMIUM

    if not CHROMIUM.exists():
        return []
    from tests.studio.tab import Tab, chromium

    with chromium() as context:
        tab = Tab(context, server.address)
        paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
        return [BenchRow("first paint of the page", tab.run(paint) / 1e3, goal="<= 1 s")]
