/** Talks to the studio's server: requests, and a socket that reconnects. */

/** The token of a server that is not on this computer, from the page's address. */
const TOKEN = new URLSearchParams(location.search).get("token") ?? "";

export class ServerError extends Error {
  constructor(message: string, readonly code: number) {
    super(message);
  }
}

function headers(more: Record<string, string> = {}): Record<string, string> {
  return TOKEN ? { ...more, Authorization: `Bearer ${TOKEN}` } : more;
}

/** The one sentence that the server gives for what is wrong. */
async function reasonOf(answer: Response): Promise<string> {
  const text = await answer.text().catch(() => "");
  try {
    const told = JSON.parse(text) as Record<string, unknown>;
    for (const key of ["error", "detail", "message", "reason"]) {
      const value = told[key];
      if (typeof value === "string") return value;
      if (value && typeof value === "object" && "message" in value) return String(value.message);
    }
  } catch {
    // It is no JSON: then the text itself is the best there is.
  }
  return text.slice(0, 300) || `The server answered ${answer.status}.`;
}

async function send(path: string, init: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ServerError("The studio's server does not answer. Is it still running?", 0);
  }
  if (!answer.ok) throw new ServerError(await reasonOf(answer), answer.status);
  return answer;
}

export async function getJson<T>(path: string): Promise<T> {
  return (await (await send(path, { headers: headers() })).json()) as T;
}

export async function getBytes(path: string): Promise<ArrayBuffer> {
  return (await send(path, { headers: headers() })).arrayBuffer();
}

export async function getBlob(path: string): Promise<Blob> {
  return (await send(path, { headers: headers() })).blob();
}

export async function sendJson<T>(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<T> {
  const init: RequestInit = { method, headers: headers(body === undefined ? {} : { "Content-Type": "application/json" }) };
  if (body !== undefined) init.body = JSON.stringify(body);
  const answer = await send(path, init);
  const text = await answer.text();
  return (text ? JSON.parse(text) : null) as T;
}

/** POST and keep the answer as bytes. */
export async function postForBlob(path: string, body: unknown): Promise<Blob> {
  const answer = await send(path, { method: "POST", headers: headers({ "Content-Type": "application/json" }), body: JSON.stringify(body) });
  return answer.blob();
}

/** Send a file as it is. */
export async function sendFile<T>(method: "POST" | "PUT", path: string, file: Blob): Promise<T> {
  const answer = await send(path, { method, headers: headers({ "Content-Type": "application/octet-stream" }), body: file });
  return (await answer.json()) as T;
}

export interface SocketEvents {
  open?(): void;
  close?(): void;
  text?(message: Record<string, unknown>): void;
  binary?(data: ArrayBuffer): void;
}

/** A WebSocket that opens again after the server was away. */
export class Socket {
  private socket: WebSocket | null = null;
  private wait = 250;
  private wanted = true;
  private timer = 0;

  constructor(private path: string, private events: SocketEvents) {
    this.connect();
  }

  private connect(): void {
    const url = new URL(this.path, location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    if (TOKEN) url.searchParams.set("token", TOKEN);
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.wait = 250;
      this.events.open?.();
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      if (typeof event.data === "string") this.events.text?.(JSON.parse(event.data) as Record<string, unknown>);
      else this.events.binary?.(event.data);
    };
    socket.onclose = () => {
      this.socket = null;
      this.events.close?.();
      if (!this.wanted) return;
      this.timer = window.setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(5000, this.wait * 2);
    };
    this.socket = socket;
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  send(message: unknown): void {
    if (this.isOpen) this.socket?.send(JSON.stringify(message));
  }

  close(): void {
    this.wanted = false;
    clearTimeout(this.timer);
    this.socket?.close();
  }
}
