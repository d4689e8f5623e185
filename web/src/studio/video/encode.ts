/** Encodes pictures of a canvas frame by frame, in their own time, with WebCodecs. */

import type { EncodedFrame, EncodedVideo } from "./frames";
import { writeMp4 } from "./mp4";
import { writeWebm } from "./webm";

export type VideoKind = "webm" | "mp4";

const CODECS: Record<VideoKind, string[]> = {
  webm: ["vp09.00.31.08", "vp8"],
  mp4: ["avc1.640028", "avc1.4d0028", "avc1.42002a"],
};
const KEY_EVERY_S = 2;

function settings(codec: string, width: number, height: number, fps: number): VideoEncoderConfig {
  const config: VideoEncoderConfig = { codec, width, height, framerate: fps, bitrate: Math.round(width * height * fps * 0.14), latencyMode: "quality" };
  if (codec.startsWith("avc1")) config.avc = { format: "avc" };
  return config;
}

/** The codec that this browser can encode for a kind of file, or null. */
export async function videoCodec(kind: VideoKind, width: number, height: number, fps: number): Promise<string | null> {
  if (typeof VideoEncoder === "undefined") return null;
  for (const codec of CODECS[kind]) {
    const answer = await VideoEncoder.isConfigSupported(settings(codec, width, height, fps)).catch(() => null);
    if (answer?.supported) return codec;
  }
  return null;
}

export interface VideoJob {
  kind: VideoKind;
  width: number;
  height: number;
  fps: number;
  count: number;
  canvas: HTMLCanvasElement;
  /** Draw one frame to the canvas. */
  draw(index: number): void;
  progress(share: number): void;
  signal: AbortSignal;
}

/** Draw and encode every frame; nothing is dropped, however slow the computer is. */
export async function encodeVideo(job: VideoJob): Promise<Blob> {
  const codec = await videoCodec(job.kind, job.width, job.height, job.fps);
  if (!codec) throw new Error(`This browser cannot encode ${job.kind === "mp4" ? "MP4" : "WebM"} videos.`);
  const frames: EncodedFrame[] = [];
  let description: Uint8Array | null = null;
  let failure: Error | null = null;
  const encoder = new VideoEncoder({
    output: (chunk, meta) => {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      frames.push({ data, key: chunk.type === "key" });
      const told = meta?.decoderConfig?.description;
      if (told) description = new Uint8Array(ArrayBuffer.isView(told) ? told.buffer.slice(told.byteOffset, told.byteOffset + told.byteLength) : told.slice(0));
    },
    error: (error) => (failure = error),
  });
  encoder.configure(settings(codec, job.width, job.height, job.fps));
  try {
    for (let index = 0; index < job.count; index += 1) {
      job.signal.throwIfAborted();
      if (failure) throw failure as Error;
      job.draw(index);
      const frame = new VideoFrame(job.canvas, { timestamp: Math.round((index * 1e6) / job.fps), duration: Math.round(1e6 / job.fps) });
      encoder.encode(frame, { keyFrame: index % Math.round(KEY_EVERY_S * job.fps) === 0 });
      frame.close();
      while (encoder.encodeQueueSize > 4) await new Promise((next) => setTimeout(next, 1));
      job.progress((index + 1) / job.count);
      if (index % 4 === 0) await new Promise((next) => setTimeout(next, 0));
    }
    await encoder.flush();
  } finally {
    if (encoder.state !== "closed") encoder.close();
  }
  const video: EncodedVideo = { codec, width: job.width, height: job.height, fps: job.fps, frames, description };
  return job.kind === "mp4" ? writeMp4(video) : writeWebm(video);
}
