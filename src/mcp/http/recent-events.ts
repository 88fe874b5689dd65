// Keeps the last events of the streams of an HTTP session, so that a client whose connection was cut can go on after its last one.
import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

const MAX_EVENTS = 200;
/** A longer answer is kept all the same, alone. */
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_AGE_MS = 300_000;

interface StoredEvent {
  readonly streamId: string;
  readonly message: JSONRPCMessage;
  readonly bytes: number;
  readonly at: number;
}

/**
 * The oldest events are dropped first. It has no `getStreamIdForEventId`, by which the SDK would refuse to resume a stream whose
 * connection is not yet known to be cut, as after a phone has changed its network.
 */
export class RecentEvents implements EventStore {
  readonly #events = new Map<string, StoredEvent>();
  #bytes = 0;
  #last = 0;

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    this.#last += 1;
    const id = String(this.#last);
    const bytes = JSON.stringify(message).length;
    this.#events.set(id, { streamId, message, bytes, at: performance.now() });
    this.#bytes += bytes;
    for (const [oldest] of this.#events) {
      if ((this.#events.size <= MAX_EVENTS && this.#bytes <= MAX_BYTES) || oldest === id) break;
      this.#drop(oldest);
    }
    return id;
  }

  has(id: string): boolean {
    return this.#events.has(id);
  }

  async replayEventsAfter(
    lastId: string,
    { send }: { readonly send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const streamId = this.#events.get(lastId)?.streamId ?? '';
    for (const [id, event] of this.#events) {
      // The first event of a stream has no message: it only gives the client an id to resume from.
      const isMessage = 'jsonrpc' in event.message;
      if (event.streamId === streamId && Number(id) > Number(lastId) && isMessage) await send(id, event.message);
    }
    return streamId;
  }

  /** The messages after an event of a stream that has ended with its answer; undefined for any other stream. */
  restAfter(lastId: string): readonly (readonly [id: string, message: JSONRPCMessage])[] | undefined {
    const streamId = this.#events.get(lastId)?.streamId;
    const events = [...this.#events].filter(([, event]) => event.streamId === streamId);
    const [, last] = events.at(-1) ?? [];
    const isAnswered = last !== undefined && ('result' in last.message || 'error' in last.message);
    if (!isAnswered) return undefined;
    return events.filter(([id]) => Number(id) > Number(lastId)).map(([id, { message }]) => [id, message]);
  }

  /** Drops what no client comes back for. */
  sweep(now: number): void {
    for (const [id, { at }] of this.#events) {
      if (now - at < MAX_AGE_MS) return;
      this.#drop(id);
    }
  }

  #drop(id: string): void {
    this.#bytes -= this.#events.get(id)?.bytes ?? 0;
    this.#events.delete(id);
  }
}
