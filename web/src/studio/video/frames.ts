/** What a video is made of, whatever its container. */

export interface EncodedFrame {
  data: Uint8Array;
  key: boolean;
}

export interface EncodedVideo {
  codec: string;
  width: number;
  height: number;
  fps: number;
  frames: EncodedFrame[];
  /** What the encoder says of itself: the avcC record of H.264. */
  description: Uint8Array | null;
}

/** Join arrays of bytes. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Write a number as big-endian bytes. */
export function bytes(value: number, count: number): Uint8Array {
  const out = new Uint8Array(count);
  for (let i = count - 1, rest = value; i >= 0; i -= 1) {
    out[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return out;
}

export function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}
