/** The playback clock that all motions of a page share. */

export type ClockListener = (clock: Clock) => void;

export class Clock {
  time = 0;
  speed = 1;
  playing = false;
  loop = true;
  /** Seconds from the first to the last frame of all motions. */
  duration = 0;
  /** Frames a second of a single step. */
  fps = 30;
  private readonly listeners = new Set<ClockListener>();

  /** Call a function whenever time, speed or playing change; returns how to stop that. */
  listen(listener: ClockListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  play(): void {
    if (this.time >= this.duration) this.time = 0;
    this.playing = this.duration > 0;
    this.changed();
  }

  pause(): void {
    this.playing = false;
    this.changed();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Go to a time, seconds. */
  seek(time: number): void {
    this.time = Math.min(this.duration, Math.max(0, time));
    this.changed();
  }

  /** Go some frames forward or back, and stop there. */
  step(frames: number): void {
    this.playing = false;
    this.seek((Math.round(this.time * this.fps) + frames) / this.fps);
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.changed();
  }

  /** Let `seconds` of real time pass. */
  advance(seconds: number): void {
    if (!this.playing) return;
    this.time += seconds * this.speed;
    if (this.time > this.duration) {
      if (this.loop && this.duration > 0) this.time %= this.duration;
      else {
        this.time = this.duration;
        this.playing = false;
      }
    }
    this.changed();
  }

  private changed(): void {
    for (const listener of this.listeners) listener(this);
  }
}
