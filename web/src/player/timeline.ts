/** The timeline: scrubber, segments with seams, findings and contact lanes of one motion. */

import type { Clock } from "../viewer/clock";
import type { MotionDocument, MotionEntry } from "../viewer/document";
import { make } from "./dom";

const TINTS = 6;

export class Timeline {
  private readonly scrubber = make("input", {
    type: "range", min: "0", max: "1000", step: "any", value: "0", "aria-label": "Scrub",
    class: "scrubber",
  });
  private readonly rows = make("div", { class: "rows" });
  private readonly cursor = make("div", { class: "cursor", "aria-hidden": "true" });

  constructor(root: HTMLElement, private readonly shown: MotionDocument, private readonly clock: Clock) {
    this.scrubber.max = String(clock.duration);
    this.scrubber.addEventListener("input", () => {
      const time = Number(this.scrubber.value); // pausing shows the clock's time on it
      clock.pause();
      clock.seek(time);
    });
    const label = make("span", { class: "name" }, "time");
    root.append(make("div", { class: "row" }, label, make("div", { class: "bar" }, this.scrubber)), this.rows);
    this.rows.addEventListener("pointerdown", (event) => this.grab(event));
    clock.listen(() => this.show());
    this.choose(0);
  }

  /** Show the lanes of a motion. */
  choose(number: number): void {
    const motion = this.shown.motions[number];
    this.rows.replaceChildren(this.cursor);
    if (!motion) return;
    if (motion.segments.length) this.rows.append(this.segments(motion));
    for (const lane of motion.contacts) {
      const side = lane.name.startsWith("left") ? "left" : lane.name.startsWith("right") ? "right" : "seat";
      const bar = make("div", { class: `bar lane ${side}`, role: "img" });
      for (let n = 0; n + 1 < lane.spans.length; n += 2) {
        bar.append(this.span(motion, lane.spans[n]!, lane.spans[n + 1]!));
      }
      bar.setAttribute("aria-label", `${lane.name}: ${lane.spans.length / 2} contacts`);
      this.rows.append(make("div", { class: "row" }, make("span", { class: "name" }, lane.name), bar));
    }
    this.show();
  }

  private segments(motion: MotionEntry): HTMLElement {
    const bar = make("div", { class: "bar segments", role: "list", "aria-label": "Segments" });
    const tints = new Map<string, number>();
    for (const segment of motion.segments) {
      const tint = tints.get(segment.label) ?? tints.size % TINTS;
      tints.set(segment.label, tint);
      const span = this.span(motion, segment.first, segment.stop);
      span.classList.add(`tint${tint}`);
      span.textContent = segment.label;
      const seconds = (frame: number): string => (motion.start + frame / motion.fps).toFixed(2);
      span.title = `${segment.why}: ${segment.label}\n${seconds(segment.first)}–${seconds(segment.stop)} s`;
      span.setAttribute("role", "listitem");
      bar.append(span);
    }
    for (const seam of motion.seams) {
      const mark = make("i", { class: "seam", title: `seam at frame ${seam}` });
      mark.style.left = this.place(motion, seam);
      bar.append(mark);
    }
    for (const finding of motion.findings) {
      const mark = make("b", { class: finding.hard ? "finding hard" : "finding", title: finding.sentence });
      mark.style.left = this.place(motion, finding.seconds * motion.fps);
      bar.append(mark);
    }
    return make("div", { class: "row" }, make("span", { class: "name" }, "segments"), bar);
  }

  private span(motion: MotionEntry, first: number, stop: number): HTMLElement {
    const span = make("span", { class: "span" });
    span.style.left = this.place(motion, first);
    span.style.width = `${(100 * (stop - first)) / motion.fps / Math.max(this.clock.duration, 1e-9)}%`;
    return span;
  }

  private place(motion: MotionEntry, frame: number): string {
    return `${(100 * (motion.start + frame / motion.fps)) / Math.max(this.clock.duration, 1e-9)}%`;
  }

  private grab(event: PointerEvent): void {
    this.clock.pause();
    const bar = this.rows.querySelector(".bar")?.getBoundingClientRect();
    if (!bar) return;
    const seek = (e: PointerEvent): void => {
      this.clock.seek(((e.clientX - bar.left) / bar.width) * this.clock.duration);
    };
    seek(event);
    this.rows.setPointerCapture(event.pointerId);
    this.rows.onpointermove = seek;
    this.rows.onpointerup = () => {
      this.rows.onpointermove = null;
    };
  }

  private show(): void {
    const share = this.clock.time / Math.max(this.clock.duration, 1e-9);
    this.scrubber.value = String(this.clock.time);
    this.cursor.style.setProperty("--share", String(share));
  }
}
