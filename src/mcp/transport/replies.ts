// Where the answers to the requests of one line go: each on a line of its own, or those of a batch together.

export interface Replies {
  /** @param json one answer */
  add(json: string): void;
  /** One message gets no answer: a notification, or a request that the client cancelled. */
  drop(): void;
}

/** Sends the answers of a batch as one list once every message of it has been answered or dropped; nothing if there are none. */
export class BatchReplies implements Replies {
  readonly #send: (json: string) => void;
  readonly #answers: string[] = [];
  #open: number;

  constructor(messages: number, send: (json: string) => void) {
    this.#open = messages;
    this.#send = send;
  }

  add(json: string): void {
    this.#answers.push(json);
    this.drop();
  }

  drop(): void {
    this.#open -= 1;
    if (this.#open === 0 && this.#answers.length > 0) this.#send(`[${this.#answers.join(',')}]`);
  }
}
