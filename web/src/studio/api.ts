/** The studio's API (docs/reference/studio_api.md), typed. */

import type { MotionDocument } from "../viewer";
import type { SceneTable, Stage } from "./store";
import { getBlob, getJson, postForBlob, sendFile, sendJson } from "./transport";

/** A better solution: when it was found; its cost is at most `bound` times the least. */
export interface Improvement {
  seconds: number;
  cost: number;
  bound: number | null;
}

export interface Job {
  id: string;
  kind: string;
  name: string;
  status: "waiting" | "running" | "done" | "failed" | "cancelled";
  share: number;
  note: string;
  seconds: number;
  cost: number | null;
  bound: number | null;
  improvements: Improvement[];
  plans: string[];
  error: string;
}

export interface PlanFacts {
  id: string;
  name: string;
  kind: "plan" | "recording";
  status: string;
  reason: string;
  found: boolean;
  seconds: number;
  frames: number;
  fps: number;
  method: string;
  cost: number | null;
  bound: number | null;
  seed: number;
  of: string;
}

export interface MethodFacts {
  name: string;
  summary: string;
  stages: string[];
}

export interface Session {
  scene: SceneTable | null;
  scene_name: string;
  task: Record<string, unknown>;
  method: string;
  options: Record<string, unknown>;
  library: string;
  character: string | null;
  plans: string[];
  view: Record<string, unknown>;
}

export interface State {
  version: string;
  session: Session;
  revision: number;
  jobs: Job[];
  plans: PlanFacts[];
  usd: boolean;
}

export interface Contacts {
  fps: number;
  frames: number;
  editable: boolean;
  corrected: string[];
  points: Record<string, [number, number][]>;
}

const name = encodeURIComponent;

export const api = {
  state: () => getJson<State>("/api/state"),
  session: () => getJson<{ revision: number; session: Session }>("/api/session"),
  putSession: (revision: number, client: string, session: Session) =>
    sendJson<{ revision: number }>("PUT", "/api/session", { revision, client, session }),
  sessionFile: () => getBlob("/api/session/file"),
  openSessionFile: (file: Blob) => sendFile<unknown>("POST", "/api/session/file", file),
  scenes: () => getJson<{ name: string; source: string; description: string }[]>("/api/scenes"),
  scene: (scene: string) => getJson<{ name: string; table: SceneTable }>(`/api/scenes/${name(scene)}`),
  sceneDocument: (scene: SceneTable | null) => sendJson<MotionDocument>("POST", "/api/scene/document", { scene }),
  sceneToml: (scene: SceneTable | null) => postForBlob("/api/scene/toml", { scene }),
  taskToml: (task: unknown, scene_name: string) => postForBlob("/api/task/toml", { task, scene_name }),
  sceneStages: (scene: SceneTable | null, obstacle: number) =>
    sendJson<{ label: string; stages: Omit<Stage, "id">[] }[]>("POST", "/api/scene/stages", { scene, obstacle }),
  libraries: () => getJson<{ name: string; source: string; clips: number | null }[]>("/api/libraries"),
  library: (library: string) => getJson<{ name: string; editable: boolean; clips: { name: string; seconds: number; tags: string[] }[] }>(`/api/libraries/${name(library)}`),
  copyLibrary: (to: string, from: string, clips: string[]) => sendJson<{ name: string }>("POST", "/api/libraries", { name: to, from, clips }),
  clip: (library: string, clip: string) => getJson<MotionDocument>(`/api/clip?library=${name(library)}&clip=${name(clip)}`),
  contacts: (library: string, clip: string) => getJson<Contacts>(`/api/clip/contacts?library=${name(library)}&clip=${name(clip)}`),
  putContacts: (library: string, clip: string, points: Contacts["points"]) =>
    sendJson<Contacts>("PUT", `/api/clip/contacts?library=${name(library)}&clip=${name(clip)}`, { points }),
  characters: () => getJson<{ name: string; joints: number }[]>("/api/characters"),
  character: (character: string) => getJson<MotionDocument>(`/api/characters/${name(character)}`),
  methods: () => getJson<MethodFacts[]>("/api/methods"),
  upload: (kind: string, file: File, library = "") =>
    sendFile<{ kind: string; name: string; notes: string[]; task?: Record<string, unknown>; scene?: SceneTable | null }>(
      "POST", `/api/uploads?kind=${kind}&name=${name(file.name)}${library ? `&library=${name(library)}` : ""}`, file),
  startJob: (request: Record<string, unknown>) => sendJson<Job>("POST", "/api/jobs", request),
  job: (id: string) => getJson<Job>(`/api/jobs/${name(id)}`),
  cancelJob: (id: string) => sendJson<unknown>("DELETE", `/api/jobs/${name(id)}`),
  plans: () => getJson<PlanFacts[]>("/api/plans"),
  planDocument: (id: string) => getJson<MotionDocument>(`/api/plans/${name(id)}/document`),
  planQuery: (id: string) => getJson<{ task: Record<string, unknown>; scene: SceneTable | null }>(`/api/plans/${name(id)}/query`),
  removePlan: (id: string) => sendJson<unknown>("DELETE", `/api/plans/${name(id)}`),
  exportPlan: (id: string, format: string) => getBlob(`/api/plans/${name(id)}/export?format=${format}`),
};
