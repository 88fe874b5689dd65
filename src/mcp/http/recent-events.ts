// Keeps the last events of the streams of an HTTP session, so that a client whose connection was cut can continue after its last one.

import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { SizedMap } from '../../base/async/sized-map.ts';

const MAX_EVENTS = 200;
/** A longer answer is kept all the same, alone. */
const MAX_CHARACTERS = 256 * 1024;
const MAX_AGE_MS = 60_000;

interface StoredEvent {
  readonly streamId: string;
  /** In JSON, which takes less memory than the objects. The first event of a stream is `{}`: it only gives an id to resume from. */
  readonly json: string;
  readonly isAnswer: boolean;
  readonly at: number;
}

const NO_MESSAGE = '{}';

/**
 * The oldest events are dropped first. It has no `getStreamIdForEventId`, by which the SDK would refuse to resume a stream whose
 * connection is not yet known to be cut, as after a phone has changed its network.
 */
export class RecentEvents implements EventStore {
  readonly #events = new SizedMap<string, StoredEvent>(MAX_CHARACTERS, MAX_EVENTS);
  #last = 0;

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    this.#last += 1;
    const id = String(this.#last);
    const json = JSON.stringify(message);
    const isAnswer = 'result' in message || 'error' in message;
    this.#events.set(id, { streamId, json, isAnswer, at: performance.now() }, json.length);
    return id;
  }

  has(id: string): boolean {
    return this.#events.has(id);
  }

  async replayEventsAfter(
    lastId: string,
    { send }: { readonly send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    for (const [id, { json }] of this.#after(lastId)) await send(id, JSON.parse(json) as JSONRPCMessage);
    return this.#events.get(lastId)?.streamId ?? '';
  }

  /** The messages, in JSON, after an event of a stream that has ended with its answer; undefined for any other stream. */
  restAfter(lastId: string): readonly (readonly [id: string, json: string])[] | undefined {
    const streamId = this.#events.get(lastId)?.streamId;
    const isAnswered = [...this.#events.entries()].some(([, event]) => event.streamId === streamId && event.isAnswer);
    return isAnswered ? this.#after(lastId).map(([id, { json }]) => [id, json]) : undefined;
  }

  /** Drops what no client comes back for. */
  sweep(now: number): void {
    for (const [id, { at }] of this.#events.entries()) {
      if (now - at < MAX_AGE_MS) return;
      this.#events.delete(id);
    }
  }

  #after(lastId: string): readonly (readonly [id: string, event: StoredEvent])[] {
    const streamId = this.#events.get(lastId)?.streamId;
    return [...this.#events.entries()].filter(([id, event]) => {
      return event.streamId === streamId && Number(id) > Number(lastId) && event.json !== NO_MESSAGE;
    });
  }
}
