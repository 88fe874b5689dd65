// Keeps the last events of the streams of an HTTP session, so that a client whose connection was cut can go on after its last one.
import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

const MAX_EVENTS = 500;
const MAX_BYTES = 8 * 1024 * 1024;

interface StoredEvent {
  readonly streamId: string;
  readonly message: JSONRPCMessage;
  readonly bytes: number;
}

/** The oldest events are dropped first; a client that asks for one of them is told that it is unknown. */
export class RecentEvents implements EventStore {
  readonly #events = new Map<string, StoredEvent>();
  #bytes = 0;
  #last = 0;

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    this.#last += 1;
    const id = String(this.#last);
    const bytes = JSON.stringify(message).length;
    this.#events.set(id, { streamId, message, bytes });
    this.#bytes += bytes;
    this.#dropOldest(id);
    return id;
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.#events.get(id)?.streamId;
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

  #dropOldest(newest: string): void {
    for (const [id, { bytes }] of this.#events) {
      if ((this.#events.size <= MAX_EVENTS && this.#bytes <= MAX_BYTES) || id === newest) return;
      this.#events.delete(id);
      this.#bytes -= bytes;
    }
  }
}
