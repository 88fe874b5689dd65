// Failed chats of the fake Ollama, with the real messages.
import type { Fault } from '../http/exchange.ts';
import { otherParts } from '../http/stream-faults.ts';
import { says } from './faults.ts';

// biome-ignore lint/suspicious/noExplicitAny: a record as it goes over the wire.
type Stream = any[];

/** The real records, changed; a text is sent as it is. */
const otherRecords = (change: (records: Stream) => Stream): Fault =>
  otherParts((parts) =>
    change(parts.map((part) => JSON.parse(part))).map((record) =>
      typeof record === 'string' ? record : `${JSON.stringify(record)}\n`,
    ),
  );

const withLast = (some: object): Fault =>
  otherRecords((records) => [...records.slice(0, -1), { ...records.at(-1), ...some }]);

/** The stream ends without its last record. */
export const withoutLast = (): Fault => otherRecords((records) => records.slice(0, -1));
/** How the server ends a repetition loop. */
export const neverDone = (): Fault => withLast({ done: false, done_reason: undefined });
export const endedBy = (reason: string | undefined): Fault => withLast({ done_reason: reason });
export const counting = (counts: { prompt_eval_count?: number; eval_count?: number }): Fault => withLast(counts);
export const noRecords = (): Fault => otherRecords(() => []);
/** An invalid line of JSON in the middle. */
export const brokenLine = (): Fault => otherRecords(([first, ...rest]) => [first, '{"message": {"con\n', ...rest]);
/** This many records, then an error record. */
export const errorAfter = (count: number, error: string): Fault =>
  otherRecords((records) => [...records.slice(0, count), { error }]);
export const runnerCrashed = (): Fault =>
  says(
    500,
    'model runner has unexpectedly stopped, this may be due to resource limitations or an internal error, check ollama server logs for details',
  );
export const cannotChat = (name = 'llama3.2'): Fault => says(400, `"${name}" does not support chat`);
export const cannotThink = (name = 'llama3.2'): Fault => says(400, `"${name}" does not support thinking`);
