"""The studio's WebSockets: events for all tabs, and live characters."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from typing import Any

from pydantic import ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from footfall.errors import InputError
from footfall.studio.live import FPS, LiveRun
from footfall.studio.models import LiveMessage, StartLive
from footfall.studio.plans import PlanRecord
from footfall.studio.state import Studio

_MOST_BEHIND_S = 0.25
"""A run that falls further behind goes on from now."""
_FEW = 4


async def serve_events(studio: Studio, socket: WebSocket) -> None:
    """Notify a tab of all that happens, until it leaves."""
    await socket.accept()
    queue: asyncio.Queue[str] = asyncio.Queue()
    hello = {"type": "hello", "client": secrets.token_hex(6), "revision": studio.work.revision}
    queue.put_nowait(json.dumps(hello))
    studio.tabs.add(queue)

    async def send() -> None:
        while True:
            await socket.send_text(await queue.get())

    sender = asyncio.create_task(send())
    try:
        while True:
            if '"ping"' in await socket.receive_text():
                queue.put_nowait('{"type": "pong"}')
    except (WebSocketDisconnect, KeyError, RuntimeError):
        pass
    finally:
        studio.tabs.discard(queue)
        sender.cancel()


class LiveSocket:
    """One live run and the socket that steers it."""

    def __init__(self, studio: Studio, socket: WebSocket) -> None:
        self.studio, self.socket = studio, socket
        self.seq, self.came = 0, time.perf_counter()
        self.lock = asyncio.Lock()

    async def serve(self) -> None:
        """Run until the client leaves."""
        await self.socket.accept()
        frames: asyncio.Task[None] | None = None
        try:
            run = await self._start()
            frames = asyncio.create_task(self._send_frames(run))
            while True:
                await self._heed(run, await self.socket.receive_text())
        except (WebSocketDisconnect, KeyError, RuntimeError):
            pass
        finally:
            if frames is not None:
                frames.cancel()

    async def _start(self) -> LiveRun:
        """Return the run that the client asks for; wrong requests are reported, not heeded."""
        while True:
            text = await self.socket.receive_text()
            try:
                request = StartLive.model_validate_json(text)
                run = await asyncio.to_thread(LiveRun, self.studio.files, request)
                await self.socket.send_json(await asyncio.to_thread(run.ready))
                return run
            except (ValidationError, InputError) as error:
                await self._report(error)

    async def _report(self, error: Exception) -> None:
        text = str(error)
        if isinstance(error, ValidationError):
            text = f"the message is not valid: {error.errors()[0]['msg']}"
        await self.socket.send_json({"type": "error", "error": text})

    async def _heed(self, run: LiveRun, text: str) -> None:
        try:
            message = LiveMessage.model_validate_json(text)
            await self._act(run, message)
            if message.seq is not None:
                self.seq, self.came = message.seq, time.perf_counter()
        except (ValidationError, InputError) as error:
            await self._report(error)

    async def _act(self, run: LiveRun, message: LiveMessage) -> None:
        if message.type == "steer":
            run.set_steer(message)
            return
        if message.type == "pause":
            run.paused = message.on
            return
        async with self.lock:
            if message.type == "obstacle":
                await asyncio.to_thread(run.move_obstacle, message)
            elif message.type == "scene":
                await asyncio.to_thread(run.set_scene, message.scene)
            elif message.type == "crowd":
                await asyncio.to_thread(run.set_crowd, message.count)
                await self.socket.send_json(await asyncio.to_thread(run.ready))
            elif message.type == "place" and message.place is not None:
                await asyncio.to_thread(run.put, message.place)
            elif message.type == "record":
                await self._record(run, message)

    async def _record(self, run: LiveRun, message: LiveMessage) -> None:
        if message.on:
            run.record()
            return
        plan = run.recorded()
        tables: dict[str, Any] = {"task": {}, "scene": run.table}
        record = PlanRecord(tables, message.name or "recording", "recording")
        facts = await asyncio.to_thread(self.studio.plans.add, plan, record)
        self.studio.publish({"type": "plan", "plan": facts})
        await self.socket.send_json({"type": "recorded", "plan": facts})

    async def _send_frames(self, run: LiveRun) -> None:
        """Step and send at the frame rate; what was missed is not made up for."""
        due = time.perf_counter()
        while True:
            due += 1.0 / FPS
            wait = due - time.perf_counter()
            if wait < -_MOST_BEHIND_S:
                due = time.perf_counter()
            await asyncio.sleep(max(wait, 0.0))
            async with self.lock:
                if len(run.walkers.crowd) <= _FEW:
                    run.step()
                else:
                    await asyncio.to_thread(run.step)
                waited = 1e3 * (time.perf_counter() - self.came)
                frame = run.encode(self.seq, waited)
            await self.socket.send_bytes(frame)
