/** Writes encoded frames as a WebM file (Matroska, RFC 9559). */

import { bytes, joined, text } from "./frames";
import type { EncodedVideo } from "./frames";

const CLUSTER_S = 5;

function size(count: number): Uint8Array {
  const out = bytes(count, 8);
  out[0] = 0x01;
  return out;
}

function element(id: number, ...content: Uint8Array[]): Uint8Array {
  const idBytes = bytes(id, id > 0xffffff ? 4 : id > 0xffff ? 3 : id > 0xff ? 2 : 1);
  const body = joined(content);
  return joined([idBytes, size(body.length), body]);
}

function whole(id: number, value: number): Uint8Array {
  return element(id, bytes(value, value > 0xffffffff ? 8 : 4));
}

function float(id: number, value: number): Uint8Array {
  const out = new Uint8Array(8);
  new DataView(out.buffer).setFloat64(0, value);
  return element(id, out);
}

function clusters(video: EncodedVideo): Uint8Array[] {
  const out: Uint8Array[] = [];
  let start = 0;
  let blocks: Uint8Array[] = [];
  const flush = (): void => {
    if (blocks.length) out.push(element(0x1f43b675, whole(0xe7, start), ...blocks));
    blocks = [];
  };
  video.frames.forEach((frame, index) => {
    const time = Math.round((index * 1000) / video.fps);
    if (!blocks.length || time - start >= CLUSTER_S * 1000) {
      flush();
      start = time;
    }
    blocks.push(element(0xa3, Uint8Array.of(0x81), bytes(time - start, 2), Uint8Array.of(frame.key ? 0x80 : 0), frame.data));
  });
  flush();
  return out;
}

/** A WebM file with one track of pictures. */
export function writeWebm(video: EncodedVideo): Blob {
  const head = element(
    0x1a45dfa3,
    whole(0x4286, 1), whole(0x42f7, 1), whole(0x42f2, 4), whole(0x42f3, 8),
    element(0x4282, text("webm")), whole(0x4287, 2), whole(0x4285, 2),
  );
  const info = element(
    0x1549a966,
    whole(0x2ad7b1, 1_000_000),
    float(0x4489, (video.frames.length * 1000) / video.fps),
    element(0x4d80, text("Footfall")), element(0x5741, text("Footfall")),
  );
  const track = element(
    0xae,
    whole(0xd7, 1), whole(0x73c5, 1), whole(0x83, 1), whole(0x9c, 0),
    element(0x86, text(video.codec.startsWith("vp8") ? "V_VP8" : "V_VP9")),
    whole(0x23e383, Math.round(1e9 / video.fps)),
    element(0xe0, whole(0xb0, video.width), whole(0xba, video.height)),
  );
  const segment = element(0x18538067, info, element(0x1654ae6b, track), ...clusters(video));
  return new Blob([joined([head, segment])], { type: "video/webm" });
}
