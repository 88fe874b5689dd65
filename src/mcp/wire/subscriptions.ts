// Notifies the client when a subscribed note changes.
import { VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { errorOf } from '../../base/outcome.ts';
import type { NoteSigns } from '../../contracts/store.ts';

export interface Subscriptions {
  /** Without effect for a URI that is followed already. @throws LIMIT_EXCEEDED; the store's errors */
  add(uri: string, path: string, signal: AbortSignal): Promise<void>;
  remove(uri: string): void;
  /** Ends all notifications. */
  close(): void;
}

export const MAX_SUBSCRIPTIONS = 500;
const LOOK_EVERY_MS = 500;

function refuseMoreThan(limit: number, actual: number): void {
  if (actual > limit)
    throw new VaultgraphError('LIMIT_EXCEEDED', {
      field: 'the number of subscriptions',
      limit,
      actual,
      of: 'subscription',
    });
}

/** The state of a note that the index does not have yet, as while it is built: it may be gone again before the first look. */
const UNKNOWN = Symbol();

interface Followed {
  readonly path: string;
  sign: string | undefined | typeof UNKNOWN;
}

/** @param onChange called with the URI as written, once for all changes between two polls; false if it is to be called again later */
export function createSubscriptions(notes: NoteSigns, onChange: (uri: string) => boolean, log: Log): Subscriptions {
  const followed = new Map<string, Followed>();
  const closing = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let lastMark: number | undefined;
  let lastFault: string | undefined;

  async function lookOnce(): Promise<void> {
    const before = [...followed];
    const paths = [...new Set(before.map(([, { path }]) => path))];
    const mark = await notes.mark(closing.signal, paths);
    if (mark === lastMark) return;
    const signs = await notes.signs(paths, closing.signal);
    for (const [uri, one] of before) {
      const sign = signs.get(one.path);
      if (sign === one.sign || followed.get(uri) !== one) continue;
      if (!onChange(uri)) return;
      one.sign = sign;
    }
    // Set last: after a failure, or while the client does not read, the same notes are checked again.
    lastMark = mark;
  }

  async function look(): Promise<void> {
    const fault = await errorOf(lookOnce());
    if (fault !== undefined && fault.code !== lastFault && !closing.signal.aborted)
      log('warn', 'subscription_look_failed', { code: fault.code, error_id: fault.errorId });
    lastFault = fault?.code;
    timer = undefined;
    plan();
  }

  function plan(): void {
    if (followed.size === 0 || timer !== undefined || closing.signal.aborted) return;
    timer = setTimeout(() => void look(), LOOK_EVERY_MS);
    timer.unref();
  }

  return Object.freeze({
    async add(uri: string, path: string, signal: AbortSignal) {
      if (followed.has(uri)) return;
      refuseMoreThan(MAX_SUBSCRIPTIONS, followed.size + 1);
      const signs = await notes.signs([path], signal);
      refuseMoreThan(MAX_SUBSCRIPTIONS, followed.size + 1);
      followed.set(uri, { path, sign: signs.get(path) ?? UNKNOWN });
      plan();
    },
    remove: (uri: string) => void followed.delete(uri),
    close() {
      closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
      clearTimeout(timer);
      followed.clear();
    },
  });
}
