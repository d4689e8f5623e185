/**
 * The motion document: one JSON value that holds everything a page shows.
 *
 * Written by `footfall.render.player.document`. Metres, seconds, radians; Y up, +Z forward;
 * quaternions are w, x, y, z. Arrays are `Packed`: slices of one buffer that is compressed
 * with deflate and written in base64.
 */

export interface Packed {
  /** First byte in the buffer. */
  at: number;
  /** "f4", "u4", "i2", "u2", "i1" or "u1", little-endian. */
  type: "f4" | "u4" | "i2" | "u2" | "i1" | "u1";
  shape: number[];
  /** Values are differences to the row before, and bytes lie in planes (low bytes first). */
  delta?: boolean;
  /** Value = stored * scale + offset (per column). */
  scale?: number[];
  offset?: number[];
}

export interface MaterialDocument {
  name: string;
  /** Linear r, g, b. */
  colour: [number, number, number];
  roughness: number;
}

export interface BodyDocument {
  names: string[];
  parents: number[];
  roles: Record<string, number>;
  /** (J, 3) rest offsets; every rest rotation is the identity. */
  offsets: Packed;
  vertices: Packed;
  normals: Packed;
  triangles: Packed;
  /** (F,) index into `materials`. */
  faceMaterials: Packed;
  materials: MaterialDocument[];
  /** (V, 4) joints and weights (bytes that sum to 255). */
  joints: Packed;
  weights: Packed;
}

export interface ShapeDocument {
  name: string;
  /** "ground", "water", "hole" or the kind of an obstacle: "chair", "stairs", "bar", … */
  kind: string;
  /** The obstacle's index in the scene; -1 for ground, water and holes. */
  index: number;
  vertices: Packed;
  normals: Packed;
  triangles: Packed;
  /** (F,) index into `palette`. */
  faceColours: Packed;
  /** Linear r, g, b. */
  palette: [number, number, number][];
  position: [number, number, number];
  rotation: [number, number, number, number];
  motion?: { times: number[]; positions: number[][]; rotations: number[][]; loop: boolean };
  /** Named points in the shape's frame: "seat", "item", … */
  points?: Record<string, [number, number, number]>;
}

export interface SceneDocument {
  name: string;
  /** Lowest and highest x, z of the floor. */
  bounds: [number, number, number, number];
  shapes: ShapeDocument[];
  queries: { name: string; start: [number, number, number]; goal: [number, number, number] }[];
}

export interface FootprintDocument {
  foot: 0 | 1;
  p: [number, number, number];
  q: [number, number, number, number];
  t: number;
  delta: number;
}

export interface SegmentDocument {
  first: number;
  stop: number;
  why: string;
  label: string;
}

/** One row of the panel: a value with its unit and, if it was checked, its limit. */
export interface ValueDocument {
  label: string;
  value: number | null;
  unit: string;
  limit?: number | null;
  least?: boolean;
  ok?: boolean;
}

export interface FindingDocument {
  sentence: string;
  seconds: number;
  first: number;
  stop: number;
  hard: boolean;
}

export interface MotionEntry {
  name: string;
  /** Index into `bodies`. */
  body: number;
  fps: number;
  frames: number;
  /** When it begins on the common clock, seconds. */
  start: number;
  /** (T, 3) metres. */
  root: Packed;
  /** (T, J, 4) w, x, y, z, rounded to 1/32767. */
  rotations: Packed;
  footprints: FootprintDocument[];
  /** (N, 3) points of lines on the ground. */
  lines: { root?: Packed; abstraction?: Packed; path?: Packed };
  /** Lanes of contacts: name and frames [first, stop) in pairs. */
  contacts: { name: string; spans: number[] }[];
  segments: SegmentDocument[];
  seams: number[];
  status: string;
  reason: string;
  method: string;
  cost: number | null;
  bound: number | null;
  verified: ValueDocument[];
  flow: ValueDocument[];
  findings: FindingDocument[];
  notes: string[];
}

export interface MotionDocument {
  format: "footfall-motion";
  version: 1;
  title: string;
  /** Deflated bytes of all arrays, base64. */
  buffer: string;
  scene: SceneDocument | null;
  /** Seats that are sat on, where there is no scene that has them. */
  seats?: ShapeDocument[];
  bodies: BodyDocument[];
  motions: MotionEntry[];
}

/** The arrays of a document, inflated. */
export class Arrays {
  constructor(private readonly bytes: Uint8Array) {}

  static async inflate(buffer: string): Promise<Arrays> {
    const packed = Uint8Array.from(atob(buffer), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Arrays(new Uint8Array(await new Response(stream).arrayBuffer()));
  }

  /** Return an array as it was before it was packed. */
  floats(packed: Packed): Float32Array<ArrayBuffer> {
    const raw = this.raw(packed);
    const out = Float32Array.from(raw);
    const { scale, offset } = packed;
    if (scale) {
      const columns = scale.length;
      for (let n = 0; n < out.length; n++) {
        out[n] = raw[n]! * scale[n % columns]! + (offset?.[n % columns] ?? 0);
      }
    }
    return out;
  }

  /** Return whole numbers. */
  ints(packed: Packed): Uint32Array<ArrayBuffer> {
    return Uint32Array.from(this.raw(packed));
  }

  private raw(packed: Packed): Float32Array | Uint32Array | Int16Array | Uint16Array | Int8Array | Uint8Array {
    const kinds = {
      f4: Float32Array, u4: Uint32Array, i2: Int16Array, u2: Uint16Array, i1: Int8Array, u1: Uint8Array,
    };
    const kind = kinds[packed.type];
    const count = packed.shape.reduce((a, b) => a * b, 1);
    const size = kind.BYTES_PER_ELEMENT;
    const bytes = new Uint8Array(count * size);
    for (let plane = 0; plane < size; plane++) {
      const from = packed.at + plane * count;
      for (let n = 0; n < count; n++) bytes[n * size + plane] = this.bytes[from + n]!;
    }
    const values = new kind(bytes.buffer);
    if (packed.delta) {
      const row = count / Math.max(1, packed.shape[0]!);
      // Typed arrays wrap around, as the differences did.
      for (let n = row; n < count; n++) values[n] = values[n]! + values[n - row]!;
    }
    return values;
  }
}
