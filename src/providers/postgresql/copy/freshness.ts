// Asks PostgreSQL how far the index is: once for all questions of one call that follow closely.
import { untilAborted } from '../../../base/async/waits.ts';
import type { Database } from '../connection/database.ts';
import { emptied } from '../connection/failures.ts';
import { DAMAGE } from '../sharing/damage.ts';
import type { Original } from './position.ts';

/** Within a call, the index is asked again after this time. */
const MAX_AGE_MS = 1_000;
const SQL = `SELECT identity, history, epoch, seq, ${DAMAGE} FROM $schema.head`;

export interface Asked extends Original {
  /** When a server rebuilds the index because it is damaged: `now`, or a time; null if no damage is known. */
  readonly rebuild: string | null;
  /** When a server last rebuilt it. */
  readonly rebuilt: string | null;
}

interface Known {
  readonly at: number;
  readonly original: Asked;
}

/** A statement that several calls wait for. */
interface Question {
  readonly answer: Promise<Asked>;
  readonly over: AbortController;
  callers: number;
  isAnswered: boolean;
}

export class Freshness {
  readonly #database: Database;
  #byCall = new WeakMap<AbortSignal, Known>();
  #asking: Question | undefined;
  #last: Asked | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The last answer, of any caller. */
  get last(): Asked | undefined {
    return this.#last;
  }

  /** @param signal of the call */
  async original(signal: AbortSignal): Promise<Asked> {
    const answer = this.#byCall.get(signal);
    if (answer !== undefined && performance.now() - answer.at < MAX_AGE_MS) return answer.original;
    return this.present(signal);
  }

  /** Returns the original as it is now, whatever the call has learned before. */
  async present(signal: AbortSignal): Promise<Asked> {
    const at = performance.now();
    const original = await this.#ask(signal);
    this.#byCall.set(signal, { at, original });
    return original;
  }

  /** What was known may be outdated: the leader has answered, or this server has changed the index. */
  forget(): void {
    this.#byCall = new WeakMap();
  }

  /**
   * Questions of one turn of the event loop share an answer, which is as of a moment after all of them. The statement ends when the
   * last caller gives up.
   */
  async #ask(signal: AbortSignal): Promise<Asked> {
    const question = this.#asking ?? this.#begin();
    question.callers += 1;
    try {
      const original = await untilAborted(question.answer, signal);
      question.isAnswered = true;
      return original;
    } finally {
      question.callers -= 1;
      if (question.callers === 0) this.#end(question);
    }
  }

  #begin(): Question {
    const over = new AbortController();
    const question: Question = { answer: this.#query(over.signal), over, callers: 0, isAnswered: false };
    this.#asking = question;
    setImmediate(() => this.#separate(question));
    return question;
  }

  #end(question: Question): void {
    this.#separate(question);
    // An abort makes an error with a stack, which costs more than the rest of this.
    if (!question.isAnswered) question.over.abort();
  }

  /** Later calls ask a question of their own. */
  #separate(question: Question): void {
    if (this.#asking === question) this.#asking = undefined;
  }

  async #query(signal: AbortSignal): Promise<Asked> {
    const [original] = await this.#database.query<Asked>('open', SQL, [], signal);
    if (original === undefined) throw emptied({ op: 'open', settings: this.#database.settings });
    this.#last = original;
    return original;
  }
}
