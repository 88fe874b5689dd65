// Downloads a model to an Ollama server and reports the progress.
import * as z from 'zod';
import type { Attempt } from '../model-server/attempt.ts';
import { badResponse, inShape, streamedFailure } from '../model-server/failures.ts';
import { bodyLines, openRequest, parseJson } from '../model-server/send.ts';

const PATH = '/api/pull';

const RECORD = z.object({
  status: z.string().optional(),
  /** Identifies one file of the model. */
  digest: z.string().optional(),
  /** Bytes of that file. */
  total: z.number().optional(),
  completed: z.number().optional(),
  error: z.unknown().optional(),
});
type PullRecord = z.infer<typeof RECORD>;

/**
 * Ends when the server reports success.
 * @param onProgress takes a share from 0 to 1, never less than before
 * @throws PROVIDER_*, the signal's reason
 */
export async function pullModel(attempt: Attempt, onProgress: (share: number) => void): Promise<void> {
  const reply = await openRequest({ path: PATH, body: { model: attempt.model, stream: true } }, attempt);
  const shareAfter = createShare();
  for await (const line of bodyLines(reply, attempt)) {
    const record = inShape(RECORD, parseJson(line, attempt), attempt);
    if (record.error) throw streamedFailure(line, PATH, attempt);
    onProgress(shareAfter(record));
    if (record.status === 'success') return;
  }
  throw badResponse('a final record', 'a stream without one', attempt);
}

/** The server announces files one by one, so the share of the known total can fall; the reported share does not. */
function createShare(): (record: PullRecord) => number {
  const files = new Map<string, { readonly total: number; readonly completed: number }>();
  let reported = 0;
  return ({ status, digest, total, completed = 0 }) => {
    if (status === 'success') return 1;
    if (digest !== undefined && total !== undefined) files.set(digest, { total, completed });
    const sum = (key: 'total' | 'completed'): number => [...files.values()].reduce((all, file) => all + file[key], 0);
    reported = Math.max(reported, sum('total') > 0 ? Math.min(1, sum('completed') / sum('total')) : 0);
    return reported;
  };
}
