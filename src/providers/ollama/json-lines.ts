// Reads an answer that comes as one JSON object a line, each as soon as it is whole. Knows nothing of what they hold.
import type { Attempt } from '../model-server/attempt.ts';
import { lostFailure } from '../model-server/failure-table.ts';
import { badResponse } from '../model-server/found-failures.ts';

/** A line of progress has some hundred characters. */
const LONGEST_LINE = 1_000_000;

/** @throws PROVIDER_BAD_RESPONSE, PROVIDER_UNAVAILABLE, the signal's reason */
export async function* jsonLines(reply: Response, attempt: Attempt): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of reply.body ?? []) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > LONGEST_LINE) throw badResponse('one object a line', 'a line without end', attempt);
      yield* lines.filter((line) => line.trim() !== '');
    }
  } catch (thrown) {
    throw lostFailure(thrown, attempt);
  }
  if (rest.trim() !== '') yield rest;
}
