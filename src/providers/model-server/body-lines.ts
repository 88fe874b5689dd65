// Reads an answer that comes line by line, each as soon as it is whole.
import type { Attempt } from './attempt.ts';
import { lostFailure } from './failure-table.ts';
import { badResponse } from './found-failures.ts';

/** A line of progress or of a few words has some hundred characters. */
const MAX_LINE_LENGTH = 1_000_000;

/** Without empty lines. @throws PROVIDER_BAD_RESPONSE, PROVIDER_UNAVAILABLE, the signal's reason */
export async function* bodyLines(reply: Response, attempt: Attempt): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of reply.body ?? []) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > MAX_LINE_LENGTH) throw badResponse('an answer in lines', 'a line without end', attempt);
      yield* lines.filter((line) => line.trim() !== '');
    }
  } catch (thrown) {
    throw lostFailure(thrown, attempt);
  }
  if (rest.trim() !== '') yield rest;
}
