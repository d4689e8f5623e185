/** Export: motions, task, scene, session, pictures and videos. */

import { api } from "./api";
import type { App } from "./app";
import { taskOf } from "./store";
import { download, el } from "./ui/dom";
import { attempt, dialog, status, toast } from "./ui/messages";
import { encodeVideo, videoCodec } from "./video/encode";
import type { VideoKind } from "./video/encode";

const MOTIONS: [string, string, string][] = [
  ["glb", "GLB", "skinned, for engines"],
  ["bvh", "BVH", "skeleton, for Blender and Maya"],
  ["usda", "USD", "UsdSkel"],
  ["npz", "NPZ", "arrays, for Python"],
  ["html", "HTML page", "plays without network"],
];
const VIDEO_FPS = 30;

function fileName(app: App, suffix: string): string {
  const base = (app.store.doc.scene_name || "footfall").replace(/[^\w.-]+/g, "_");
  return `${base}.${suffix}`;
}

/** Save the main plan in a format. */
export async function exportMotion(app: App, format: string): Promise<void> {
  const id = app.shown[0];
  if (!id) throw new Error("There is no motion yet: click the floor to make one.");
  download(fileName(app, format), await api.exportPlan(id, format));
  toast(`Saved ${fileName(app, format)}.`, "good");
}

/** Save what the view shows now. */
export async function exportPicture(app: App): Promise<void> {
  app.view.draw();
  const blob = await new Promise<Blob | null>((made) => app.view.canvas.toBlob(made, "image/png"));
  if (!blob) throw new Error("This browser could not make a picture.");
  download(fileName(app, "png"), blob);
}

/** Render the motion frame by frame; nothing is dropped. */
export async function exportVideo(app: App, kind: VideoKind, signal: AbortSignal): Promise<void> {
  if (!app.shows.first || app.clock.duration <= 0) throw new Error("There is no motion yet: click the floor to make one.");
  const { view, clock } = app;
  const even = (value: number): number => Math.max(2, 2 * Math.round(value / 2));
  const [width, height] = [even(view.node.clientWidth), even(view.node.clientHeight)];
  const time = clock.time;
  clock.pause();
  view.held = true;
  view.marks.visible = false;
  view.renderer.setPixelRatio(1);
  view.renderer.setSize(width, height, false);
  try {
    const blob = await encodeVideo({
      kind, width, height, fps: VIDEO_FPS, count: Math.floor(clock.duration * VIDEO_FPS) + 1, canvas: view.canvas, signal,
      draw: (index) => {
        clock.seek(index / VIDEO_FPS);
        app.shows.pose();
        view.draw();
      },
      progress: (share) => status(`Rendering the video: ${Math.round(100 * share)} %`),
    });
    download(fileName(app, kind), blob);
    status(`Saved ${fileName(app, kind)}.`);
  } finally {
    view.held = false;
    view.marks.visible = true;
    view.resize();
    clock.seek(time);
  }
}

/** Save the session: scene, task and plans in one file. */
export async function exportSession(app: App): Promise<void> {
  await app.saveNow();
  download(fileName(app, "session.zip"), await api.sessionFile());
}

/** Save the task; a scene that is not built in is named by the file that exporting it gives. */
async function exportTask(app: App): Promise<void> {
  const { doc } = app.store;
  const listed = app.lists.scenes.find((scene) => scene.name === doc.scene_name);
  const known = listed?.source === "builtin" && JSON.stringify((await api.scene(doc.scene_name)).table) === JSON.stringify(doc.scene);
  const scene = known || !doc.scene ? doc.scene_name : fileName(app, "scene.toml");
  download(fileName(app, "task.toml"), await api.taskToml(taskOf(doc), scene));
  toast(scene.endsWith(".toml") ? `Saved ${fileName(app, "task.toml")}. It reads ${scene}: export the scene into the same folder.` : `Saved ${fileName(app, "task.toml")}.`, "good");
}

/** Show everything that can be saved. */
export async function showExports(app: App): Promise<void> {
  const { doc } = app.store;
  const grid = el("div", { class: "exports" });
  const offer = (id: string, title: string, note: string, work: () => Promise<void>, off = false): void => {
    const entry = el("button", { type: "button", id: `export-${id}`, disabled: off }, el("span", {}, title), el("small", {}, note));
    entry.addEventListener("click", () => {
      box.close();
      attempt(work);
    });
    grid.append(entry);
  };
  const none = !app.shown.length;
  for (const [format, title, note] of MOTIONS) {
    const missing = format === "usda" && !app.usd;
    offer(format, title, missing ? "needs footfall[usd]" : note, () => exportMotion(app, format), none || missing);
  }
  offer("task", "Task", "TOML for the command line", () => exportTask(app), !doc.stages.length);
  offer("scene", "Scene", "TOML", async () => download(fileName(app, "scene.toml"), await api.sceneToml(doc.scene)), !doc.scene);
  offer("picture", "Picture", "PNG of the view", () => exportPicture(app));
  const stop = new AbortController();
  const mp4 = await videoCodec("mp4", 1280, 720, VIDEO_FPS);
  const webm = await videoCodec("webm", 1280, 720, VIDEO_FPS);
  offer("webm", "Video, WebM", webm ? "every frame, 30 fps" : "this browser cannot encode it", () => exportVideo(app, "webm", stop.signal), none || !webm);
  offer("mp4", "Video, MP4", mp4 ? "every frame, 30 fps" : "this browser cannot encode it", () => exportVideo(app, "mp4", stop.signal), none || !mp4);
  offer("session", "Session", "restores everything", () => exportSession(app));
  const lead = none ? "There is no motion yet: click the floor, and the person walks there." : "Of the plan that is shown first:";
  const box = dialog("Export", el("p", { class: "note" }, lead), grid);
}
