/** The contact editor: when heels, toes, hands and seat touch, edited on lanes. */

import { Box3, Vector3 } from "three";
import { api } from "./api";
import type { Contacts } from "./api";
import type { App } from "./app";
import type { Lane } from "./ui/lanes";
import { status, toast } from "./ui/messages";

export const POINTS = ["left_heel", "left_toe", "right_heel", "right_toe", "left_hand", "right_hand", "seat"];
const SHORTEST_S = 0.02;

export class ContactEditor {
  library = "";
  clip = "";
  clips: { name: string; seconds: number }[] = [];
  contacts: Contacts | null = null;
  changed = false;
  onChange: () => void = () => undefined;

  constructor(private app: App) {}

  async open(library: string): Promise<void> {
    this.library = library;
    const found = await api.library(library);
    this.clips = found.clips;
    const first = this.clips.find((each) => each.name === this.clip) ?? this.clips[0];
    if (first) await this.choose(first.name);
    this.onChange();
  }

  async choose(clip: string): Promise<void> {
    this.clip = clip;
    this.contacts = await api.contacts(this.library, clip);
    this.changed = false;
    this.app.shows.clear();
    const show = await this.app.shows.add("clip", await api.clip(this.library, clip));
    if (show) {
      show.actor.poseAt(show.motion, 0);
      this.app.view.frame(new Box3().setFromCenterAndSize(show.actor.root, new Vector3(1, 1.9, 1)));
    }
    this.app.clock.seek(0);
    this.onChange();
  }

  get duration(): number {
    return this.contacts ? this.contacts.frames / this.contacts.fps : 1;
  }

  lanes(): Lane[] {
    return POINTS.map((point) => ({
      name: point.replace("_", " "),
      spans: (this.contacts?.points[point] ?? []).map(([from, to], index) => ({
        from, to, key: `${point}:${index}`, colour: point.startsWith("left") ? "#3d8bf2" : point.startsWith("right") ? "#e08434" : "#7a9cc6",
      })),
    }));
  }

  private snap(time: number): number {
    const fps = this.contacts?.fps ?? 30;
    return Math.round(time * fps) / fps;
  }

  edit(key: string, from: number, to: number, done: boolean): void {
    const [point = "", index = "0"] = key.split(":");
    const spans = this.contacts?.points[point];
    if (!spans) return;
    spans[Number(index)] = [this.snap(from), Math.max(this.snap(to), this.snap(from) + SHORTEST_S)];
    this.changed = true;
    if (!done) return;
    this.tidy(point);
    this.onChange();
  }

  /** Remove a contact, or make one where there is none. */
  toggle(key: string | null, lane: number, time: number): void {
    const points = this.contacts?.points;
    const point = key ? key.split(":")[0]! : POINTS[lane];
    if (!points || !point) return;
    const spans = (points[point] ??= []);
    if (key) spans.splice(Number(key.split(":")[1]), 1);
    else spans.push([this.snap(Math.max(0, time - 0.1)), this.snap(Math.min(this.duration, time + 0.1))]);
    this.changed = true;
    this.tidy(point);
    this.onChange();
  }

  /** Put contacts in order and join those that overlap. */
  private tidy(point: string): void {
    const points = this.contacts?.points;
    if (!points) return;
    const joined: [number, number][] = [];
    for (const span of [...(points[point] ?? [])].sort((a, b) => a[0] - b[0])) {
      const last = joined[joined.length - 1];
      if (last && span[0] <= last[1]) last[1] = Math.max(last[1], span[1]);
      else joined.push([span[0], span[1]]);
    }
    points[point] = joined;
  }

  /** Make a copy of the clip in the work folder, which can be edited. */
  async copy(): Promise<void> {
    const made = await api.copyLibrary(`${this.clip} edited`, this.library, [this.clip]);
    await this.app.list();
    await this.open(made.name);
    toast(`The clip was copied to the library ${made.name}; its contacts can be edited.`, "good");
  }

  async save(): Promise<void> {
    if (!this.contacts) return;
    this.contacts = await api.putContacts(this.library, this.clip, this.contacts.points);
    this.changed = false;
    status(`The contacts of ${this.clip} were saved to library.toml.`);
    toast("Contacts saved.", "good");
    this.onChange();
  }
}
