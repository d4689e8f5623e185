/** Keys: space plays, arrows step, F follows, A frames all, T changes the theme. */

import type { Viewer } from "../viewer/viewer";
import type { Controls } from "./controls";

export function listenToKeys(viewer: Viewer, controls: Controls): void {
  const clock = viewer.clock;
  const act: Record<string, (event: KeyboardEvent) => void> = {
    " ": () => clock.toggle(),
    ArrowLeft: (e) => clock.step(e.shiftKey ? -10 : -1),
    ArrowRight: (e) => clock.step(e.shiftKey ? 10 : 1),
    Home: () => clock.seek(0),
    End: () => clock.seek(clock.duration),
    f: () => controls.toggleFollow(),
    a: () => controls.frameAll(),
    t: () => controls.toggleTheme(),
  };
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLSelectElement) return;
    const one = act[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!one) return;
    event.preventDefault();
    if (event.target instanceof HTMLButtonElement) event.target.blur();
    one(event);
  });
}
