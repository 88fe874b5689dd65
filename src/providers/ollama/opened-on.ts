// What is open on an Ollama server, whatever its model is asked for: nothing to close, and a model to fetch where that is allowed.
import * as z from 'zod';
import type { Opened } from '../../contracts/provider.ts';
import { type Attempt, beginAttempt, type ModelServer } from '../model-server/attempt.ts';
import { bodyLines } from '../model-server/body-lines.ts';
import { streamedFailure } from '../model-server/failure-table.ts';
import { badResponse, inShape } from '../model-server/found-failures.ts';
import { openAnswer, parseJson, wired } from '../model-server/send.ts';

export function openedOn<T>(server: ModelServer, capability: T, probe: Opened<T>['probe']): Opened<T> {
  const pull = (onProgress: (share: number) => void, signal: AbortSignal): Promise<void> =>
    pullModel(beginAttempt(server, signal), onProgress);
  return Object.freeze({
    ...{ capability, probe },
    close: async () => undefined,
    ...(server.autoPull === 'once' ? { pull } : {}),
  });
}

const PATH = '/api/pull';

const RECORD = z.object({
  status: z.string().optional(),
  /** Of one file of the model. */
  digest: z.string().optional(),
  /** Bytes. */
  total: z.number().optional(),
  completed: z.number().optional(),
  error: z.unknown().optional(),
});
type PullRecord = z.infer<typeof RECORD>;

/**
 * Ends when the server says that all of it is there.
 * @param onProgress from 0 to 1, never less than before
 * @throws PROVIDER_*, the signal's reason
 */
async function pullModel(attempt: Attempt, onProgress: (share: number) => void): Promise<void> {
  const request = { path: PATH, body: { model: attempt.model, stream: true } };
  const reply = await openAnswer(...wired(request, attempt), attempt);
  const shareAfter = createShare();
  for await (const line of bodyLines(reply, attempt)) {
    const record = inShape(RECORD, parseJson(line, attempt), attempt);
    if (record.error) throw streamedFailure(line, PATH, attempt);
    onProgress(shareAfter(record));
    if (record.status === 'success') return;
  }
  throw badResponse('a last record', 'a stream without it', attempt);
}

/** The files are told of one by one, so the share of what is known may fall; what is shown does not. */
function createShare(): (record: PullRecord) => number {
  const files = new Map<string, { readonly total: number; readonly completed: number }>();
  let shown = 0;
  return ({ status, digest, total, completed = 0 }) => {
    if (status === 'success') return 1;
    if (digest !== undefined && total !== undefined) files.set(digest, { total, completed });
    const sum = (of: 'total' | 'completed'): number => [...files.values()].reduce((all, file) => all + file[of], 0);
    shown = Math.max(shown, sum('total') > 0 ? Math.min(1, sum('completed') / sum('total')) : 0);
    return shown;
  };
}
