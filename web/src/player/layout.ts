/** The page: view in the middle, panel at the side, controls and timeline below. */

import type { MotionDocument } from "../viewer/document";
import { make } from "./dom";

export interface Layout {
  view: HTMLElement;
  panel: HTMLElement;
  controls: HTMLElement;
  timeline: HTMLElement;
}

export function makeLayout(root: HTMLElement, shown: MotionDocument): Layout {
  const layout = {
    view: make("main", { class: "view", "aria-label": "3D view", tabindex: "0" }),
    panel: make("aside", { class: "panel", "aria-label": "Motions and verified values" }),
    controls: make("div", { class: "controls", role: "toolbar", "aria-label": "Playback" }),
    timeline: make("section", { class: "timeline", "aria-label": "Timeline" }),
  };
  const scene = shown.scene ? make("span", { class: "scene" }, shown.scene.name) : "";
  const heading = make("header", {}, make("h1", {}, shown.title || "Footfall"), scene);
  root.append(heading, layout.view, layout.panel, layout.controls, layout.timeline);
  return layout;
}
