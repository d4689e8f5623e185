/** The help overlay: what can be done, and with which keys. */

import { dialog } from "./messages";
import { el } from "./dom";

const KEYS: [string, [string, string][]][] = [
  ["Playing", [
    ["Space", "play or pause"],
    ["← →", "one frame back or on"],
    ["Shift ← →", "half a second back or on"],
    ["Home, End", "first or last frame"],
  ]],
  ["View", [
    ["Drag", "turn the view"],
    ["Right drag, two fingers", "move the view"],
    ["Wheel, pinch", "nearer or farther"],
    ["F", "frame what is chosen"],
    ["C", "follow the character"],
    ["O", "onion skins"],
  ]],
  ["Editing", [
    ["Click the floor", "walk there"],
    ["V, S, P, A, B", "choose, start, path, via point, obstacle"],
    ["G", "move what is chosen with the pointer"],
    ["R", "turn what is chosen with the pointer"],
    ["Delete", "remove what is chosen"],
    ["Ctrl Z, Ctrl Shift Z", "undo, redo"],
    ["Enter", "plan"],
    ["Esc", "give up a drag or a job"],
  ]],
  ["Live", [
    ["W A S D", "walk and turn"],
    ["Shift", "run"],
    ["Pointer", "hold and the character follows"],
    ["Gamepad", "left stick walks"],
    ["T", "record"],
  ]],
  ["Files", [
    ["Drop a file", "scene (.toml, .glb, .obj), clips (.bvh, .glb, .npz), task or session"],
    ["Ctrl S", "save the session"],
    ["Ctrl E", "export"],
  ]],
];

/** Show all shortcuts. */
export function showHelp(): void {
  const columns = el("div", { class: "columns" });
  for (const [title, rows] of KEYS) {
    const list = el("dl", { class: "keys" });
    for (const [key, what] of rows) list.append(el("dt", {}, el("kbd", {}, key)), el("dd", {}, what));
    columns.append(el("section", {}, el("h3", {}, title), list));
  }
  const first = el("p", {}, "Click the floor: the person walks there. Click an object to sit on it, stand on it, pick something from it or duck under it. Drag marks to move them; drag their arrows to turn them.");
  dialog("Footfall Studio", first, columns);
}
