/** What the pointer does in the view: choose, place, drag, turn, sketch. */

import type { Vector3 } from "three";
import { groundPoint, moveStage, newId } from "./store";
import type { Store } from "./store";
import { hint } from "./ui/messages";
import type { Handle } from "./view/markers";
import type { Hit, Viewport } from "./view/viewport";

export type Tool = "select" | "start" | "goal" | "via" | "path" | "box";

export const HINTS: Record<Tool, string> = {
  select: "Click the floor to walk there. Click an object for what to do with it. Drag marks to move them.",
  start: "Press where the person starts, drag to the side it faces.",
  goal: "Press where the person goes, drag to the side it faces at the end.",
  via: "Click to add a point to pass through.",
  path: "Draw a path on the floor.",
  box: "Click where an obstacle should stand.",
};

export interface ToolEvents {
  /** The floor was clicked with the select tool. */
  walk(x: number, z: number): void;
  /** An object was clicked, or anything with the right button. */
  context(hit: Hit, event: { clientX: number; clientY: number }): void;
  /** A thing of the scene was dragged to another place (by `dx`, `dz`) or turned. */
  moveThing(index: number, x: number, z: number, done: boolean): void;
  turnThing(index: number, yaw: number, done: boolean): void;
  thingAt(index: number): { x: number; z: number; yaw_deg: number } | null;
  addThing(x: number, z: number): void;
  footprintAt(index: number): { x: number; z: number; yaw: number } | null;
  moveFootprint(index: number, x: number, z: number, yaw: number, done: boolean): void;
  /** The task was changed by a finished drag: of one stage's place, or otherwise. */
  edited(stage?: string): void;
  /** Another mode takes the pointer; returns true if it does. */
  taken(event: PointerEvent, phase: "down" | "move" | "up"): boolean;
}

type Drag =
  | { kind: "handle"; handle: Handle; offset: [number, number]; y: number }
  | { kind: "place"; what: "start" | "goal"; x: number; z: number; id: string }
  | { kind: "sketch"; points: [number, number][]; id: string }
  | { kind: "thing"; index: number; offset: [number, number]; y: number }
  | { kind: "footprint"; index: number; offset: [number, number]; y: number };

const CLICK_PX = 6;
const SKETCH_STEP_M = 0.12;

function degrees(dx: number, dz: number): number {
  return Math.round((Math.atan2(dx, dz) * 180) / Math.PI);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

export class Tools {
  private drag: Drag | null = null;
  private pressed: { x: number; y: number; hit: Hit; button: number } | null = null;
  private grabbed: { kind: "move" | "turn" } | null = null;
  private chosenTool: Tool = "select";
  onTool: () => void = () => undefined;

  constructor(private view: Viewport, private store: Store, private events: ToolEvents) {
    const canvas = view.canvas;
    canvas.addEventListener("pointerdown", (event) => this.down(event), true);
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", () => this.cancel());
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  get tool(): Tool {
    return this.chosenTool;
  }

  use(tool: Tool): void {
    this.chosenTool = tool;
    hint(HINTS[tool]);
    this.view.canvas.style.cursor = tool === "select" ? "" : "crosshair";
    this.onTool();
  }

  /** G and R: what is chosen follows the pointer until a click. */
  grab(kind: "move" | "turn"): void {
    const chosen = this.store.selection;
    if (!chosen || chosen.kind === "plan") {
      hint("Choose something first: click it in the view or in the outliner.");
      return;
    }
    this.grabbed = { kind };
    hint(kind === "move" ? "Move the pointer; click to put it down, Esc to give up." : "Move the pointer around it; click to keep, Esc to give up.");
  }

  /** Give up what is being dragged. */
  cancel(): boolean {
    const busy = this.drag !== null || this.grabbed !== null;
    this.drag = null;
    this.grabbed = null;
    this.pressed = null;
    this.view.controls.enabled = true;
    if (busy) this.store.revert();
    return busy;
  }

  private down(event: PointerEvent): void {
    this.view.node.focus({ preventScroll: true });
    if (this.events.taken(event, "down")) return this.hold(event);
    if (this.grabbed) {
      this.follow(event, true);
      this.grabbed = null;
      hint(HINTS[this.tool]);
      return this.hold(event);
    }
    if (!event.isPrimary) {
      this.cancel();
      return;
    }
    const hit = this.view.pick(event);
    this.pressed = { x: event.clientX, y: event.clientY, hit, button: event.button };
    if (event.button === 0) this.begin(hit);
    if (this.drag) this.hold(event);
  }

  /** Keep the camera still while something is dragged. */
  private hold(event: PointerEvent): void {
    this.view.controls.enabled = false;
    this.view.canvas.setPointerCapture(event.pointerId);
    const free = (): void => {
      this.view.controls.enabled = true;
      removeEventListener("pointerup", free);
    };
    addEventListener("pointerup", free);
  }

  private begin(hit: Hit): void {
    const point = hit.point;
    if (this.tool === "select" || (hit.handle && this.tool !== "path")) this.beginDrag(hit);
    else if (point && (this.tool === "start" || this.tool === "goal")) this.beginPlace(this.tool, point);
    else if (point && this.tool === "path") this.drag = { kind: "sketch", points: [[round(point.x), round(point.z)]], id: newId("path") };
  }

  private beginDrag(hit: Hit): void {
    const chosen = this.store.selection;
    if (hit.handle) {
      const at = this.handlePoint(hit.handle);
      const y = at ? this.view.height(at[0], at[1]) : 0;
      const on = this.pressed ? this.view.onPlane({ clientX: this.pressed.x, clientY: this.pressed.y }, y) : null;
      const offset: [number, number] = at && on ? [at[0] - on.x, at[1] - on.z] : [0, 0];
      this.drag = { kind: "handle", handle: hit.handle, offset, y };
      this.chooseHandle(hit.handle);
    } else if (hit.footprint !== null && hit.point && this.store.mode === "plan") {
      const at = this.events.footprintAt(hit.footprint);
      if (at) this.drag = { kind: "footprint", index: hit.footprint, offset: [at.x - hit.point.x, at.z - hit.point.z], y: hit.point.y };
    } else if (hit.thing !== null && hit.point && (this.store.mode === "live" || (chosen?.kind === "thing" && chosen.index === hit.thing))) {
      const at = this.events.thingAt(hit.thing);
      if (at) this.drag = { kind: "thing", index: hit.thing, offset: [at.x - hit.point.x, at.z - hit.point.z], y: hit.point.y };
    }
  }

  private beginPlace(what: "start" | "goal", point: Vector3): void {
    const [x, z] = [round(point.x), round(point.z)];
    let id = "";
    this.store.draft((doc) => {
      if (what === "start") {
        doc.start = { ...doc.start, x, z };
        return;
      }
      const last = doc.stages[doc.stages.length - 1];
      if (last?.do === "go to") last.at = [x, z];
      else doc.stages.push({ id: newId("goal"), do: "go to", at: [x, z] });
      id = doc.stages[doc.stages.length - 1]?.id ?? "";
    });
    this.store.select(what === "start" ? { kind: "start" } : { kind: "stage", id });
    this.drag = { kind: "place", what, x, z, id };
  }

  private handlePoint(handle: Handle): [number, number] | null {
    if (handle.kind === "start") return [this.store.doc.start.x, this.store.doc.start.z];
    const stage = this.store.stage(handle.id);
    if (!stage) return null;
    if (handle.kind === "point") return stage.points?.[handle.index] ?? null;
    return groundPoint(stage);
  }

  private chooseHandle(handle: Handle): void {
    this.store.select(handle.kind === "start" ? { kind: "start" } : { kind: "stage", id: handle.id });
  }

  private move(event: PointerEvent): void {
    if (this.events.taken(event, "move")) return;
    if (this.grabbed) return this.follow(event, false);
    if (!this.drag) return;
    this.pull(event, false);
  }

  private isClick(event: PointerEvent): boolean {
    return this.pressed !== null && Math.hypot(event.clientX - this.pressed.x, event.clientY - this.pressed.y) < CLICK_PX;
  }

  private up(event: PointerEvent): void {
    if (this.events.taken(event, "up")) return;
    const { drag, pressed } = this;
    const click = this.isClick(event);
    if (drag && !(click && drag.kind !== "place")) this.pull(event, true);
    else if (pressed && click) this.click(pressed.hit, pressed.button, event);
    this.drag = null;
    this.pressed = null;
  }

  private click(hit: Hit, pressedButton: number, event: PointerEvent): void {
    const point = hit.point;
    if (pressedButton === 2 || hit.footprint !== null) return this.events.context(hit, event);
    if (hit.handle) return;
    if (this.tool === "via" && point) return this.addVia(point);
    if (this.tool === "box" && point) return this.events.addThing(round(point.x), round(point.z));
    if (this.tool !== "select" || pressedButton !== 0) return;
    if (hit.thing !== null) {
      this.store.select({ kind: "thing", index: hit.thing });
      this.events.context(hit, event);
    } else if (point) this.events.walk(round(point.x), round(point.z));
  }

  private addVia(point: Vector3): void {
    const id = newId("via");
    this.store.edit((doc) => {
      const via = { id, do: "via" as const, at: [round(point.x), round(point.z)] };
      const last = doc.stages[doc.stages.length - 1];
      if (last?.do === "go to") doc.stages.splice(doc.stages.length - 1, 0, via);
      else doc.stages.push(via);
    });
    this.store.select({ kind: "stage", id });
    this.events.edited();
  }

  /** Carry a drag on to where the pointer is. */
  private pull(event: PointerEvent, done: boolean): void {
    const drag = this.drag;
    if (!drag) return;
    if (drag.kind === "sketch") return this.sketch(drag, event, done);
    if (drag.kind === "place") return this.turnPlace(drag, event, done);
    const on = this.view.onPlane(event, drag.y);
    if (!on) return;
    if (drag.kind === "thing") return this.events.moveThing(drag.index, round(on.x + drag.offset[0]), round(on.z + drag.offset[1]), done);
    if (drag.kind === "footprint") return this.pullFootprint(drag.index, on.x + drag.offset[0], on.z + drag.offset[1], done);
    if ("part" in drag.handle && drag.handle.part === "heading") this.turnHandle(drag.handle, on);
    else this.moveHandle(drag.handle, round(on.x + drag.offset[0]), round(on.z + drag.offset[1]));
    if (done) {
      this.store.commit();
      this.events.edited(movedStage(drag.handle));
    }
  }

  private pullFootprint(index: number, x: number, z: number, done: boolean): void {
    const yaw = this.events.footprintAt(index)?.yaw ?? 0;
    this.events.moveFootprint(index, round(x), round(z), yaw, done);
  }

  private turnPlace(drag: Extract<Drag, { kind: "place" }>, event: PointerEvent, done: boolean): void {
    const on = this.view.onPlane(event, this.view.height(drag.x, drag.z));
    if (on && Math.hypot(on.x - drag.x, on.z - drag.z) > 0.25) {
      const yaw = degrees(on.x - drag.x, on.z - drag.z);
      this.store.draft((doc) => {
        if (drag.what === "start") doc.start.yaw_deg = yaw;
        else {
          const stage = doc.stages.find((each) => each.id === drag.id);
          if (stage) stage.at = [drag.x, drag.z, yaw];
        }
      });
    }
    if (!done) return;
    this.store.commit();
    this.use("select");
    this.events.edited();
  }

  private sketch(drag: Extract<Drag, { kind: "sketch" }>, event: PointerEvent, done: boolean): void {
    const point = this.view.pick(event).point;
    const last = drag.points[drag.points.length - 1];
    if (point && last && Math.hypot(point.x - last[0], point.z - last[1]) > SKETCH_STEP_M) drag.points.push([round(point.x), round(point.z)]);
    if (!done && drag.points.length < 2) return;
    const stage = { id: drag.id, do: "follow" as const, points: smooth(drag.points), corridor_m: 1 };
    if (drag.points.length < 3) {
      if (done) hint("That is too short for a path: draw a longer one.");
      return;
    }
    this.store.draft((doc) => {
      const [x, z] = stage.points[0] ?? [0, 0];
      const [nx, nz] = stage.points[Math.min(3, stage.points.length - 1)] ?? [x, z];
      doc.start = { x, z, yaw_deg: degrees(nx - x, nz - z) };
      doc.stages = [stage];
    });
    if (!done) return;
    this.store.commit();
    this.store.select({ kind: "stage", id: drag.id });
    this.use("select");
    this.events.edited();
  }

  private turnHandle(handle: Handle, on: Vector3): void {
    const at = this.handlePoint(handle);
    if (!at) return;
    const yaw = degrees(on.x - at[0], on.z - at[1]);
    this.store.draft((doc) => {
      if (handle.kind === "start") doc.start.yaw_deg = yaw;
      else {
        const stage = doc.stages.find((each) => each.id === handle.id);
        if (stage?.at) stage.at = [stage.at[0] ?? 0, stage.at[1] ?? 0, yaw];
      }
    });
  }

  private moveHandle(handle: Handle, x: number, z: number): void {
    this.store.draft((doc) => {
      if (handle.kind === "start") {
        doc.start = { ...doc.start, x, z };
        return;
      }
      const stage = doc.stages.find((each) => each.id === handle.id);
      if (!stage) return;
      if (handle.kind === "point" && stage.points) bend(stage.points, handle.index, x, z);
      else moveStage(stage, x, z);
    });
  }

  /** Let what is chosen follow the pointer (G and R). */
  private follow(event: PointerEvent, done: boolean): void {
    const chosen = this.store.selection;
    if (!chosen || !this.grabbed || chosen.kind === "plan") return;
    const on = this.view.onPlane(event, 0);
    if (!on) return;
    const [x, z] = [round(on.x), round(on.z)];
    if (chosen.kind === "footprint") {
      const at = this.events.footprintAt(chosen.index);
      if (!at) return;
      if (this.grabbed.kind === "move") return this.pullFootprint(chosen.index, x, z, done);
      return this.events.moveFootprint(chosen.index, at.x, at.z, degrees(on.x - at.x, on.z - at.z), done);
    }
    if (chosen.kind === "thing") {
      if (this.grabbed.kind === "move") return this.events.moveThing(chosen.index, x, z, done);
      const at = this.events.thingAt(chosen.index);
      if (at) this.events.turnThing(chosen.index, degrees(on.x - at.x, on.z - at.z), done);
      return;
    }
    const handle: Handle = chosen.kind === "start" ? { kind: "start", part: "body" } : { kind: "stage", id: chosen.id, part: "body" };
    if (this.grabbed.kind === "move") this.moveHandle(handle, x, z);
    else this.turnHandle(handle, on);
    if (done) {
      this.store.commit();
      this.events.edited(movedStage(handle));
    }
  }
}

function movedStage(handle: Handle): string | undefined {
  return handle.kind === "stage" ? handle.id : undefined;
}

/** Take the tremor of a hand out of a sketched line; its ends stay. */
export function smooth(points: readonly [number, number][]): [number, number][] {
  let line = points.map(([x, z]): [number, number] => [x, z]);
  for (let pass = 0; pass < 4; pass += 1) {
    line = line.map((point, index): [number, number] => {
      const [before, after] = [line[index - 1], line[index + 1]];
      if (!before || !after) return point;
      return [(before[0] + 2 * point[0] + after[0]) / 4, (before[1] + 2 * point[1] + after[1]) / 4];
    });
  }
  return line.map(([x, z]) => [round(x), round(z)]);
}

/** Move one point of a line, its neighbours with it, less the farther they are. */
export function bend(points: [number, number][], index: number, x: number, z: number): void {
  const at = points[index];
  if (!at) return;
  const [dx, dz] = [x - at[0], z - at[1]];
  const reach = Math.max(3, points.length / 6);
  points.forEach((point, each) => {
    const share = Math.max(0, 1 - Math.abs(each - index) / reach);
    const ease = share * share * (3 - 2 * share);
    point[0] = round(point[0] + dx * ease);
    point[1] = round(point[1] + dz * ease);
  });
}
