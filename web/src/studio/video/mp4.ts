/** Writes encoded H.264 frames as an MP4 file (ISO 14496-12 and -15). */

import { bytes, joined, text } from "./frames";
import type { EncodedVideo } from "./frames";

const SCALE = 90_000;
const MATRIX = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];

function box(kind: string, ...content: Uint8Array[]): Uint8Array {
  const body = joined(content);
  return joined([bytes(body.length + 8, 4), text(kind), body]);
}

function numbers(...values: number[]): Uint8Array {
  return joined(values.map((value) => bytes(value, 4)));
}

/** A box with version and flags before its content. */
function full(kind: string, flags: number, ...content: Uint8Array[]): Uint8Array {
  return box(kind, numbers(flags), ...content);
}

function sampleEntry(video: EncodedVideo): Uint8Array {
  const name = new Uint8Array(32);
  return box(
    "avc1",
    numbers(0), bytes(1, 4), numbers(0, 0, 0, 0),
    bytes(video.width, 2), bytes(video.height, 2), numbers(0x480000, 0x480000, 0), bytes(1, 2),
    name, bytes(24, 2), bytes(0xffff, 2),
    box("avcC", video.description ?? new Uint8Array()),
  );
}

function samples(video: EncodedVideo, offset: number): Uint8Array {
  const frames = video.frames;
  const keys = frames.flatMap((frame, index) => (frame.key ? [index + 1] : []));
  return box(
    "stbl",
    full("stsd", 0, numbers(1), sampleEntry(video)),
    full("stts", 0, numbers(1, frames.length, Math.round(SCALE / video.fps))),
    full("stss", 0, numbers(keys.length, ...keys)),
    full("stsc", 0, numbers(1, 1, frames.length, 1)),
    full("stsz", 0, numbers(0, frames.length, ...frames.map((frame) => frame.data.length))),
    full("stco", 0, numbers(1, offset)),
  );
}

function movie(video: EncodedVideo, offset: number): Uint8Array {
  const long = video.frames.length * Math.round(SCALE / video.fps);
  const header = full(
    "mvhd", 0,
    numbers(0, 0, SCALE, long, 0x10000, 0x1000000, 0, 0), numbers(...MATRIX), numbers(0, 0, 0, 0, 0, 0, 2),
  );
  const track = full(
    "tkhd", 3,
    numbers(0, 0, 1, 0, long, 0, 0, 0, 0), numbers(...MATRIX), numbers(video.width * 0x10000, video.height * 0x10000),
  );
  const media = box(
    "mdia",
    full("mdhd", 0, numbers(0, 0, SCALE, long), bytes(0x55c4, 2), bytes(0, 2)),
    full("hdlr", 0, numbers(0), text("vide"), numbers(0, 0, 0), text("Footfall\0")),
    box(
      "minf",
      full("vmhd", 1, numbers(0, 0)),
      box("dinf", full("dref", 0, numbers(1), full("url ", 1))),
      samples(video, offset),
    ),
  );
  return box("moov", header, box("trak", track, media));
}

/** An MP4 file with one track of pictures; it can be played while it is loaded. */
export function writeMp4(video: EncodedVideo): Blob {
  const kind = box("ftyp", text("isom"), numbers(0x200), text("isomiso2avc1mp41"));
  const offset = kind.length + movie(video, 0).length + 8;
  const data = box("mdat", ...video.frames.map((frame) => frame.data));
  return new Blob([joined([kind, movie(video, offset), data])], { type: "video/mp4" });
}
