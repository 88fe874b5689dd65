// Paces the progress notifications of a call and adds heartbeats.

export interface ProgressNote {
  /** Rises with every note; by the smallest step if the work starts a new count. */
  readonly progress: number;
  readonly total?: number;
  readonly message: string;
}

export interface ProgressReporter {
  report(done: number, total: number, message: string): void;
  /** Nothing is sent afterwards. */
  close(): void;
}

const MIN_GAP_MS = 250;
/** With checks this often, a call is never silent for more than twice this time. */
const HEARTBEAT_MS = 2_000;
/** A heartbeat raises the value by this, so that it stays below the next real one. */
const MIN_STEP = 0.001;

/** Sends through `send` until closed. A note that follows the last one too soon is dropped. */
export function openProgress(tool: string, send: (note: ProgressNote) => void): ProgressReporter {
  const began = performance.now();
  let last: (ProgressNote & { readonly at: number }) | undefined;
  let isClosed = false;
  const note = (done: number, total: number, message: string): void => {
    const progress = last === undefined ? Math.max(0, done) : Math.max(done, last.progress + MIN_STEP);
    const sent = { progress, message, ...(total >= progress ? { total } : {}) };
    last = { ...sent, at: performance.now() };
    send(sent);
  };
  const heartbeat = setInterval(() => {
    const now = performance.now();
    if (now - (last?.at ?? began) < HEARTBEAT_MS) return;
    const message = last?.message.replace(/, \d+ s$/, '') ?? `${tool} is running`;
    note(0, last?.total ?? 0, `${message}, ${Math.round((now - began) / 1_000)} s`);
  }, HEARTBEAT_MS);
  return {
    report: (done, total, message) => {
      if (isClosed || (last !== undefined && performance.now() - last.at < MIN_GAP_MS)) return;
      note(done, total, message);
    },
    close: () => {
      isClosed = true;
      clearInterval(heartbeat);
    },
  };
}
