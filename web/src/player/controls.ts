/** Buttons: play, step, speed, camera, layers and theme. */

import type { Clock } from "../viewer/clock";
import type { MotionDocument } from "../viewer/document";
import type { ThemeName } from "../viewer/stage";
import type { Layer, Viewer } from "../viewer/viewer";
import { make } from "./dom";

/** Paths in a square of 16; fonts do not all have these signs. */
const ICONS = {
  play: "M4 2l10 6-10 6z", pause: "M3 2h4v12H3zM9 2h4v12H9z", start: "M2 2h2v12H2zM14 2v12L5 8z",
  back: "M12 2v12L4 8z", forward: "M4 2l8 6-8 6z", theme: "M8 1a7 7 0 1 0 0 14zM8 2a6 6 0 0 1 0 12z",
};

const SPEEDS = [0.1, 0.25, 0.5, 1, 1.5, 2, 4];

export class Controls {
  private readonly playing: HTMLButtonElement;
  private readonly time = make("output", { class: "time", "aria-label": "Time" });
  private readonly following: HTMLButtonElement;
  private theme: ThemeName;

  constructor(root: HTMLElement, shown: MotionDocument, private readonly viewer: Viewer) {
    const clock = viewer.clock;
    this.playing = button(ICONS.play, "Play (space)", () => clock.toggle());
    this.playing.classList.add("play");
    const back = button(ICONS.start, "Back to the start (Home)", () => clock.seek(0));
    const less = button(ICONS.back, "One frame back (←)", () => clock.step(-1));
    const more = button(ICONS.forward, "One frame forward (→)", () => clock.step(1));
    const speed = make("select", { "aria-label": "Speed", title: "Speed" });
    for (const s of SPEEDS) speed.append(make("option", { value: String(s) }, `${s}×`));
    speed.value = "1";
    speed.addEventListener("change", () => clock.setSpeed(Number(speed.value)));
    this.following = button("Follow", "Let the camera follow (F)", () => this.toggleFollow());
    const all = button("Frame all", "Show everything (A)", () => this.frameAll());
    this.theme = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
    const theme = button(ICONS.theme, "Dark or light theme (T)", () => this.toggleTheme());
    root.append(
      group(back, less, this.playing, more), this.time, speed, group(this.following, all),
      this.layers(shown), theme,
    );
    this.applyTheme();
    clock.listen((c) => this.show(c));
    this.show(clock);
  }

  private layers(shown: MotionDocument): HTMLElement {
    const rows: [Layer, string, boolean][] = [
      ["footprints", "Footprints", shown.motions.some((m) => m.footprints.length > 0)],
      ["rootPath", "Root path", true],
      ["abstraction", "Path abstraction", shown.motions.some((m) => m.lines.abstraction)],
      ["path", "Path to follow", shown.motions.some((m) => m.lines.path)],
      ["ghosts", "Onion skins", shown.motions.length <= 12],
    ];
    const toggles = rows.filter(([, , there]) => there).map(([layer, label]) => {
      const toggle = button(label, `Show ${label.toLowerCase()}`, () => {
        const on = !this.viewer.shown[layer];
        this.viewer.show(layer, on);
        toggle.setAttribute("aria-pressed", String(on));
      });
      toggle.setAttribute("aria-pressed", String(this.viewer.shown[layer]));
      toggle.dataset["layer"] = layer;
      return toggle;
    });
    return group(...toggles);
  }

  toggleFollow(): void {
    const on = this.viewer.followed < 0;
    const first = this.viewer.performances.findIndex((p) => p.visible);
    this.viewer.follow(on ? Math.max(0, first) : -1);
    this.following.setAttribute("aria-pressed", String(on));
  }

  frameAll(): void {
    if (this.viewer.followed >= 0) this.toggleFollow();
    this.viewer.frameAll();
  }

  toggleTheme(): void {
    this.theme = this.theme === "dark" ? "light" : "dark";
    this.applyTheme();
  }

  private applyTheme(): void {
    document.documentElement.dataset["theme"] = this.theme;
    this.viewer.setTheme(this.theme);
  }

  private show(clock: Clock): void {
    const label = clock.playing ? "Pause (space)" : "Play (space)";
    if (this.playing.title !== label) {
      this.playing.replaceChildren(icon(clock.playing ? ICONS.pause : ICONS.play));
      this.playing.title = label;
      this.playing.setAttribute("aria-label", label);
    }
    const frame = Math.round(clock.time * clock.fps);
    this.time.textContent = `${clock.time.toFixed(2)} / ${clock.duration.toFixed(2)} s · frame ${frame}`;
  }
}

function button(text: string, label: string, act: () => void): HTMLButtonElement {
  const element = make("button", { type: "button", "aria-label": label, title: label });
  element.append(Object.values(ICONS).includes(text) ? icon(text) : text);
  element.addEventListener("click", act);
  return element;
}

function icon(path: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("width", "14");
  svg.setAttribute("height", "14");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "path");
  shape.setAttribute("d", path);
  shape.setAttribute("fill", "currentColor");
  svg.append(shape);
  return svg;
}

function group(...children: Node[]): HTMLElement {
  return make("div", { class: "group", role: "group" }, ...children);
}
