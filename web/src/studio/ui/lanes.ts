/** A timeline of lanes drawn on a canvas: spans, marks, a ruler, a playhead; ends can be dragged. */

import { el } from "./dom";

export interface Span {
  from: number;
  to: number;
  text?: string;
  colour: string;
  faint?: boolean;
  /** Told to `edit` and `pick`; spans without cannot be edited. */
  key?: string;
}

export interface Lane {
  name: string;
  spans: Span[];
  marks?: { at: number; text?: string; colour: string }[];
  tall?: boolean;
}

export interface LaneEvents {
  scrub(time: number): void;
  /** A span's end or the whole span is dragged; `done` on release. */
  edit?(key: string, from: number, to: number, done: boolean): void;
  /** A span, or the empty part of a lane, is chosen. */
  pick?(key: string | null, lane: number, time: number): void;
  /** A span is to be removed, or one is to be made (double click). */
  toggle?(key: string | null, lane: number, time: number): void;
}

const LABEL = 96;
const RULER = 20;
const GRAB = 9;

type Drag = { kind: "scrub" } | { kind: "from" | "to" | "both"; span: Span; offset: number; original: Span };

export class Lanes {
  readonly node = el("div", { class: "lanes" });
  private canvas = el("canvas", { role: "img", tabindex: "0" });
  private lanes: Lane[] = [];
  private duration = 1;
  private now = 0;
  private from = 0;
  private to = 1;
  private drag: Drag | null = null;
  private chosen: string | null = null;
  private pinch = new Map<number, number>();

  constructor(label: string, private events: LaneEvents) {
    this.canvas.setAttribute("aria-label", label);
    this.node.append(this.canvas);
    new ResizeObserver(() => this.draw()).observe(this.node);
    this.canvas.addEventListener("pointerdown", (event) => this.down(event));
    this.canvas.addEventListener("pointermove", (event) => this.move(event));
    this.canvas.addEventListener("pointerup", (event) => this.up(event));
    this.canvas.addEventListener("pointercancel", (event) => this.up(event));
    this.canvas.addEventListener("dblclick", (event) => this.doubled(event));
    this.canvas.addEventListener("wheel", (event) => this.zoom(event), { passive: false });
  }

  /** Show other lanes; the visible part stays if the length does. */
  show(lanes: Lane[], duration: number): void {
    this.lanes = lanes;
    const length = Math.max(duration, 0.1);
    if (Math.abs(length - this.duration) > 1e-6) {
      this.duration = length;
      this.from = 0;
      this.to = length;
    }
    this.draw();
  }

  at(time: number): void {
    this.now = time;
    this.draw();
  }

  choose(key: string | null): void {
    this.chosen = key;
    this.draw();
  }

  /** Where a time is on the page, for tests and tooltips. */
  clientX(time: number): number {
    return this.canvas.getBoundingClientRect().left + this.x(time);
  }

  clientY(lane: number): number {
    return this.canvas.getBoundingClientRect().top + RULER + (lane + 0.5) * this.laneHeight();
  }

  private laneHeight(): number {
    const free = this.node.clientHeight - RULER;
    return Math.max(13, Math.min(30, free / Math.max(1, this.lanes.length)));
  }

  private x(time: number): number {
    return LABEL + ((time - this.from) / (this.to - this.from)) * (this.node.clientWidth - LABEL - 8);
  }

  private time(x: number): number {
    return this.from + ((x - LABEL) / (this.node.clientWidth - LABEL - 8)) * (this.to - this.from);
  }

  private clamp(time: number): number {
    return Math.max(0, Math.min(this.duration, time));
  }

  private hit(x: number, y: number): { lane: number; span: Span | null; edge: "from" | "to" | "both" } {
    const lane = Math.floor((y - RULER) / this.laneHeight());
    let found: Span | null = null;
    let edge: "from" | "to" | "both" = "both";
    for (const span of this.lanes[lane]?.spans ?? []) {
      const [a, b] = [this.x(span.from), this.x(span.to)];
      if (x < a - GRAB || x > b + GRAB) continue;
      const [near, far] = [Math.abs(x - a), Math.abs(x - b)];
      const reach = Math.min(GRAB, Math.max(3, (b - a) / 3));
      if (near <= Math.max(reach, x < a ? GRAB : 0)) edge = "from";
      else if (far <= Math.max(reach, x > b ? GRAB : 0)) edge = "to";
      else edge = "both";
      found = span;
      if (x >= a && x <= b) break;
    }
    return { lane, span: found, edge };
  }

  private down(event: PointerEvent): void {
    this.canvas.setPointerCapture(event.pointerId);
    this.pinch.set(event.pointerId, event.offsetX);
    const hit = this.hit(event.offsetX, event.offsetY);
    const time = this.clamp(this.time(event.offsetX));
    if (this.events.edit && hit.span?.key && event.offsetY > RULER) {
      this.drag = { kind: hit.edge, span: hit.span, offset: time, original: { ...hit.span } };
      this.events.pick?.(hit.span.key, hit.lane, time);
      return;
    }
    this.events.pick?.(hit.span?.key ?? null, hit.lane, time);
    this.drag = { kind: "scrub" };
    this.events.scrub(time);
  }

  private move(event: PointerEvent): void {
    if (this.pinch.size === 2 && this.pinch.has(event.pointerId)) {
      this.pinched(event);
      return;
    }
    if (!this.drag) {
      const hit = this.hit(event.offsetX, event.offsetY);
      const editable = this.events.edit && hit.span?.key && event.offsetY > RULER;
      this.canvas.style.cursor = editable ? (hit.edge === "both" ? "grab" : "col-resize") : "ew-resize";
      return;
    }
    const time = this.clamp(this.time(event.offsetX));
    if (this.drag.kind === "scrub") this.events.scrub(time);
    else this.dragSpan(time, false);
  }

  private dragSpan(time: number, done: boolean): void {
    if (!this.drag || this.drag.kind === "scrub") return;
    const { span, original, kind, offset } = this.drag;
    const shift = time - offset;
    if (kind === "from") span.from = Math.min(this.clamp(original.from + shift), original.to);
    else if (kind === "to") span.to = Math.max(this.clamp(original.to + shift), original.from);
    else {
      const room = Math.max(-original.from, Math.min(shift, this.duration - original.to));
      span.from = original.from + room;
      span.to = original.to + room;
    }
    this.events.edit?.(span.key ?? "", span.from, span.to, done);
    this.draw();
  }

  private pinched(event: PointerEvent): void {
    const others = [...this.pinch].filter(([id]) => id !== event.pointerId);
    const other = others[0]?.[1] ?? 0;
    const before = Math.abs((this.pinch.get(event.pointerId) ?? 0) - other);
    this.pinch.set(event.pointerId, event.offsetX);
    const after = Math.abs(event.offsetX - other);
    if (before > 8 && after > 8) this.scale(before / after, (event.offsetX + other) / 2);
  }

  private up(event: PointerEvent): void {
    this.pinch.delete(event.pointerId);
    if (this.drag && this.drag.kind !== "scrub") this.dragSpan(this.clamp(this.time(event.offsetX)), true);
    this.drag = null;
  }

  private doubled(event: MouseEvent): void {
    if (event.offsetY <= RULER) return;
    const hit = this.hit(event.offsetX, event.offsetY);
    this.events.toggle?.(hit.span?.key ?? null, hit.lane, this.clamp(this.time(event.offsetX)));
  }

  private zoom(event: WheelEvent): void {
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const shift = ((event.deltaX || event.deltaY) / this.node.clientWidth) * (this.to - this.from);
      this.look(this.from + shift, this.to + shift);
    } else this.scale(Math.exp(event.deltaY * 0.002), event.offsetX);
  }

  private scale(factor: number, x: number): void {
    const about = this.time(x);
    this.look(about - (about - this.from) * factor, about + (this.to - about) * factor);
  }

  private look(from: number, to: number): void {
    const length = Math.max(0.2, Math.min(this.duration, to - from));
    this.from = Math.max(0, Math.min(from, this.duration - length));
    this.to = this.from + length;
    this.draw();
  }

  private draw(): void {
    const { clientWidth: width, clientHeight: height } = this.node;
    if (!width || !height) return;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const pen = this.canvas.getContext("2d");
    if (!pen) return;
    const style = getComputedStyle(this.node);
    const colour = (name: string): string => style.getPropertyValue(name).trim();
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = `12px ${style.fontFamily}`;
    pen.textBaseline = "middle";
    this.drawRuler(pen, width, height, colour);
    this.lanes.forEach((lane, index) => this.drawLane(pen, lane, index, width, colour));
    const x = this.x(this.now);
    if (x >= LABEL - 1 && x <= width) {
      pen.fillStyle = colour("--accent");
      pen.fillRect(x - 1, 0, 2, height);
      pen.beginPath();
      pen.moveTo(x - 6, 0);
      pen.lineTo(x + 6, 0);
      pen.lineTo(x, 9);
      pen.fill();
    }
  }

  private drawRuler(pen: CanvasRenderingContext2D, width: number, height: number, colour: (name: string) => string): void {
    const perSecond = (width - LABEL) / (this.to - this.from);
    const step = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300].find((each) => each * perSecond > 54) ?? 600;
    pen.textAlign = "center";
    for (let time = Math.ceil(this.from / step) * step; time <= this.to + 1e-9; time += step) {
      const x = this.x(time);
      pen.fillStyle = colour("--line");
      pen.fillRect(x, RULER - 4, 1, height);
      pen.fillStyle = colour("--dim");
      if (x < width - 14) pen.fillText(`${Number(time.toFixed(2))} s`, Math.max(x, LABEL + 8), RULER / 2);
    }
  }

  private drawLane(pen: CanvasRenderingContext2D, lane: Lane, index: number, width: number, colour: (name: string) => string): void {
    const tall = this.laneHeight();
    const top = RULER + index * tall;
    pen.fillStyle = index % 2 ? "transparent" : colour("--panel");
    pen.globalAlpha = 0.5;
    pen.fillRect(0, top, width, tall);
    pen.globalAlpha = 1;
    pen.fillStyle = colour("--dim");
    pen.textAlign = "left";
    pen.fillText(lane.name, 8, top + tall / 2, LABEL - 14);
    pen.save();
    pen.beginPath();
    pen.rect(LABEL, top, width - LABEL, tall);
    pen.clip();
    for (const span of lane.spans) {
      const [a, b] = [this.x(span.from), this.x(span.to)];
      if (b < LABEL || a > width) continue;
      pen.globalAlpha = span.faint ? 0.35 : 0.9;
      pen.fillStyle = span.colour;
      pen.beginPath();
      pen.roundRect(a, top + 2, Math.max(2, b - a), tall - 4, 3);
      pen.fill();
      pen.globalAlpha = 1;
      if (span.key && span.key === this.chosen) {
        pen.strokeStyle = colour("--text");
        pen.lineWidth = 1.5;
        pen.stroke();
      }
      if (span.text && b - a > 26) {
        pen.fillStyle = span.faint ? colour("--text") : "#fff";
        const left = Math.max(a, LABEL);
        pen.save();
        pen.beginPath();
        pen.rect(left, top, b - left - 3, tall);
        pen.clip();
        pen.fillText(span.text, left + 5, top + tall / 2);
        pen.restore();
      }
    }
    for (const mark of lane.marks ?? []) {
      pen.fillStyle = mark.colour;
      const x = this.x(mark.at);
      pen.fillRect(x - 1, top + 1, 2, tall - 2);
      if (mark.text) pen.fillText(mark.text, x + 5, top + tall / 2);
    }
    pen.restore();
  }
}
