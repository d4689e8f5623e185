/** The player: plays the motion document that its page holds. */

import type { MotionDocument } from "../viewer/document";
import { Viewer } from "../viewer/viewer";
import { Controls } from "./controls";
import { makeLayout } from "./layout";
import { Panel } from "./panel";
import { listenToKeys } from "./keys";
import { Timeline } from "./timeline";
import css from "./style.css?inline";

async function start(): Promise<void> {
  const style = document.createElement("style");
  style.textContent = css;
  document.head.append(style);
  const root = document.getElementById("player")!;
  const text = document.getElementById("document")!.textContent ?? "";
  const shown = JSON.parse(text) as MotionDocument;
  const layout = makeLayout(root, shown);
  let viewer: Viewer;
  try {
    viewer = new Viewer(layout.view);
  } catch {
    layout.view.textContent = "This page needs WebGL 2, which this browser does not offer.";
    return;
  }
  await viewer.load(shown);
  const timeline = new Timeline(layout.timeline, shown, viewer.clock);
  const panel = new Panel(layout.panel, shown, viewer, (n) => timeline.choose(n));
  const controls = new Controls(layout.controls, shown, viewer);
  listenToKeys(viewer, controls);
  panel.choose(0);
  viewer.frameAll();
  (window as unknown as Record<string, unknown>)["footfallPlayer"] = { viewer, timeline };
  root.dataset["ready"] = "true";
  // A page that is opened plays, unless its reader wishes for less motion.
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) viewer.clock.play();
}

void start();
