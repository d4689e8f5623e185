/** Buttons: play, step, speed, camera, layers and theme. */

import type { Clock } from "../viewer/clock";
import type { MotionDocument } from "../viewer/document";
import type { ThemeName } from "../viewer/stage";
import type { Layer, Viewer } from "../viewer/viewer";
import { make } from "./dom";

const SPEEDS = [0.1, 0.25, 0.5, 1, 1.5, 2, 4];

export class Controls {
  private readonly playing: HTMLButtonElement;
  private readonly time = make("output", { class: "time", "aria-label": "Time" });
  private readonly following: HTMLButtonElement;
  private theme: ThemeName;

  constructor(root: HTMLElement, shown: MotionDocument, private readonly viewer: Viewer) {
    const clock = viewer.clock;
    this.playing = button("▶", "Play (space)", () => clock.toggle());
    this.playing.classList.add("play");
    const back = button("⏮", "Back to the start (Home)", () => clock.seek(0));
    const less = button("◂", "One frame back (←)", () => clock.step(-1));
    const more = button("▸", "One frame forward (→)", () => clock.step(1));
    const speed = make("select", { "aria-label": "Speed", title: "Speed" });
    for (const s of SPEEDS) speed.append(make("option", { value: String(s) }, `${s}×`));
    speed.value = "1";
    speed.addEventListener("change", () => clock.setSpeed(Number(speed.value)));
    this.following = button("Follow", "Let the camera follow (F)", () => this.toggleFollow());
    const all = button("Frame all", "Show everything (A)", () => this.frameAll());
    this.theme = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
    const theme = button("◐", "Dark or light theme (T)", () => this.toggleTheme());
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
      this.playing.textContent = clock.playing ? "⏸" : "▶";
      this.playing.title = label;
      this.playing.setAttribute("aria-label", label);
    }
    const frame = Math.round(clock.time * clock.fps);
    this.time.textContent = `${clock.time.toFixed(2)} / ${clock.duration.toFixed(2)} s · frame ${frame}`;
  }
}

function button(text: string, label: string, act: () => void): HTMLButtonElement {
  const element = make("button", { type: "button", "aria-label": label, title: label }, text);
  element.addEventListener("click", act);
  return element;
}

function group(...children: Node[]): HTMLElement {
  return make("div", { class: "group", role: "group" }, ...children);
}
