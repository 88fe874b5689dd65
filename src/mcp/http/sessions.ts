// The open sessions: finds them by id, and ends those that are idle for too long or too many.
import type { Log } from '../../base/log.ts';
import type { HttpSession } from './http-session.ts';

export interface SessionLimits {
  readonly maxSessions: number;
  readonly maxIdleMs: number;
}

export class Sessions {
  readonly #limits: SessionLimits;
  readonly #log: Log;
  readonly #open = new Map<string, HttpSession>();

  constructor(limits: SessionLimits, log: Log) {
    this.#limits = limits;
    this.#log = log;
  }

  get size(): number {
    return this.#open.size;
  }

  find(id: string): HttpSession | undefined {
    return this.#open.get(id);
  }

  readonly add = (session: HttpSession): void => {
    this.#open.set(session.id, session);
  };

  readonly remove = (session: HttpSession): void => {
    if (this.#open.delete(session.id)) this.#log('info', 'session_ended', session.logFields);
  };

  /** Ends the session that is idle for the longest time if there are too many. False if none is idle. */
  makeRoom(): boolean {
    if (this.#open.size < this.#limits.maxSessions) return true;
    const now = performance.now();
    const [longest] = [...this.#open.values()].sort((one, other) => other.idleFor(now) - one.idleFor(now));
    if (longest === undefined || longest.idleFor(now) === 0) return false;
    this.#end(longest, 'limit');
    return true;
  }

  /** Ends the sessions that are idle for too long, and those of principals that may no longer use the server. */
  sweep(now: number, isValid: (session: HttpSession) => boolean): void {
    for (const session of this.#open.values()) {
      session.sweep(now);
      if (!isValid(session)) this.#end(session, 'revoked');
      else if (session.idleFor(now) >= this.#limits.maxIdleMs) this.#end(session, 'idle');
    }
  }

  async closeAll(): Promise<void> {
    await Promise.allSettled([...this.#open.values()].map((session) => session.close()));
  }

  #end(session: HttpSession, reason: string): void {
    this.#open.delete(session.id);
    this.#log('info', 'session_ended', { reason, ...session.logFields });
    // It fails only if it is closed already.
    void session.close().catch(() => undefined);
  }
}
