/** The panel: the motions, and of one of them what was verified and measured. */

import { type MotionDocument, type MotionEntry, type ValueDocument } from "../viewer/document";
import type { Viewer } from "../viewer/viewer";
import { make } from "./dom";

export class Panel {
  private readonly list = make("ul", { class: "motions", "aria-label": "Motions" });
  private readonly details = make("div", { class: "details" });

  constructor(
    private readonly root: HTMLElement, private readonly shown: MotionDocument, private readonly viewer: Viewer,
    private readonly chosen: (number: number) => void,
  ) {
    root.append(this.list, this.details);
    this.list.hidden = shown.motions.length < 2;
    shown.motions.forEach((motion, n) => this.list.append(this.entry(motion, n)));
  }

  private entry(motion: MotionEntry, number: number): HTMLElement {
    const visible = make("input", { type: "checkbox", "aria-label": `Show ${motion.name}` });
    visible.checked = true;
    visible.addEventListener("change", () => this.viewer.showMotion(number, visible.checked));
    const choose = make("button", { type: "button" }, motion.name);
    choose.addEventListener("click", () => {
      this.choose(number);
      if (this.viewer.followed >= 0) this.viewer.follow(number);
    });
    const seconds = `${((motion.frames - 1) / motion.fps).toFixed(1)} s`;
    return make("li", {}, visible, choose, make("span", { class: "unit" }, seconds));
  }

  /** Show the values of a motion. */
  choose(number: number): void {
    const motion = this.shown.motions[number];
    if (!motion) return;
    [...this.list.children].forEach((row, n) => row.toggleAttribute("aria-current", n === number));
    const facts = this.facts(motion);
    this.details.replaceChildren(...facts);
    this.root.hidden = this.list.hidden && facts.length === 0;
    this.chosen(number);
  }

  private facts(motion: MotionEntry): HTMLElement[] {
    const out: HTMLElement[] = [];
    if (motion.status) {
      const words = [motion.status, motion.method && `by ${motion.method}`].filter(Boolean).join(" ");
      out.push(make("p", { class: `status ${motion.status === "found" ? "good" : "bad"}` }, words));
    }
    if (motion.reason) out.push(make("p", {}, motion.reason));
    if (motion.cost !== null) {
      const bound = motion.bound === null ? "" : `, at most ${motion.bound.toFixed(2)} times the least`;
      out.push(make("p", {}, `cost ${motion.cost.toPrecision(4)}${bound}`));
    }
    for (const finding of motion.findings) {
      const row = make("button", { type: "button", class: finding.hard ? "finding hard" : "finding" }, finding.sentence);
      row.addEventListener("click", () => {
        this.viewer.clock.pause();
        this.viewer.clock.seek(motion.start + finding.seconds);
      });
      out.push(row);
    }
    if (motion.flow.length) out.push(table("Measured", motion.flow, true));
    if (motion.verified.length) {
      const good = motion.verified.filter((row) => row.ok).length;
      out.push(table(`Verified (${good} of ${motion.verified.length} within limits)`, motion.verified, false));
    }
    for (const note of motion.notes) out.push(make("p", { class: "note" }, note));
    return out;
  }
}

function table(title: string, rows: ValueDocument[], open: boolean): HTMLElement {
  const body = make("table", {});
  for (const row of rows) {
    const value = row.value === null ? "–" : `${round(row.value)}${row.unit ? ` ${row.unit}` : ""}`;
    const limit = row.limit === undefined || row.limit === null
      ? "" : `${row.least ? "≥" : "≤"} ${round(row.limit)}`;
    const line = make("tr", { class: row.ok === false ? "bad" : "" }, make("th", { scope: "row" }, row.label), make("td", {}, value));
    if (row.limit !== undefined) line.append(make("td", { class: "limit" }, limit));
    body.append(line);
  }
  const details = make("details", {}, make("summary", {}, title), body);
  details.open = open;
  return details;
}

function round(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : 2);
}
