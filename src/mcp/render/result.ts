// The two outcomes of a call as they go over the wire, each half complete alone.
import { type BatchResult, isBatchResult } from '../../base/batch.ts';
import { type Choices, cut, type ErrorCode, type Retry, VaultgraphError } from '../../base/errors.ts';
import type { AnsweringProvider, AnswerNotes, AnyTool, FileLink, Image, Warning } from '../../contracts/tool.ts';
import { type Failure, failureOf, failureText, itemFailureOf } from './failure.ts';
import type { IndexView } from './index-view.ts';
import { type PlainObject, renderMember, renderText, toPlainObject } from './render-text.ts';
import { escapeControls, type PathMask } from './safe-text.ts';

export interface Success {
  readonly ok: true;
  readonly data: PlainObject;
  readonly partial?: true;
  readonly warnings?: readonly Warning[];
  readonly meta?: Background['meta'];
}

export interface Answer {
  readonly isError: boolean;
  /** One text with every fact of `structured`. */
  readonly text: string;
  readonly structured: Success | Failure;
  readonly images?: readonly Image[];
  readonly links?: readonly FileLink[];
}

export function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

interface AnswerParts {
  readonly warnings: readonly Warning[];
  readonly notes: readonly AnswerNotes[];
  /** Set for a tool that needs the store. */
  readonly index: IndexView | undefined;
  readonly mask: PathMask;
  /** Writes the text of the data; by default it is written member by member. */
  readonly show?: AnyTool['show'];
}

/** @throws BATCH_FAILED when every item of a batch failed; INTERNAL when the value is nothing JSON can carry */
export function successAnswer(value: object, { warnings, notes, index, mask, show }: AnswerParts): Answer {
  const isBatch = isBatchResult(value);
  if (isBatch && value.succeeded.length === 0 && value.failed.length > 0) throw failedBatch(value.failed, mask);
  const data = isBatch ? batchData(value, mask) : toPlainObject(value, mask);
  const background = backgroundOf(index, notes, mask);
  const parts = [...batchPart(value), ...background.parts];
  const masked = [...background.warnings, ...warnings].map((warning) => ({
    ...warning,
    message: mask(warning.message),
  }));
  const structured: Success = {
    ok: true,
    data,
    ...(parts.length === 0 ? {} : { partial: true as const }),
    ...(masked.length === 0 ? {} : { warnings: masked }),
    ...(Object.keys(background.meta).length === 0 ? {} : { meta: background.meta }),
  };
  return {
    isError: false,
    text: successText(structured, parts, (show ?? renderText) as Show),
    structured,
  };
}

/** @param more further details, such as the state of other services */
export function failureAnswer(
  error: VaultgraphError,
  listed: ReadonlySet<string>,
  mask: PathMask,
  more: object = {},
): Answer {
  const structured = failureOf(error, listed, mask, more);
  return { isError: true, text: failureText(structured), structured };
}

function batchPart(value: object): string[] {
  if (!isBatchResult(value) || value.failed.length === 0) return [];
  const [done, failed] = [value.succeeded.length, value.failed.length];
  return [`${done}/${done + failed} succeeded, ${failed} failed`];
}

type Show = (data: PlainObject, render: (data: PlainObject) => string) => string;

function successText({ data, warnings = [], meta = {} }: Success, parts: readonly string[], show: Show): string {
  const { index, provider, reranker, degraded } = meta;
  const lines = [
    ...(degraded === undefined ? [] : [degradedLine(degraded)]),
    ...parts.map((part) => `PARTIAL ${part}`),
    ...warnings.map(warningLine),
    show(data, renderText),
    ...(index === undefined ? [] : renderMember('index', index, '')),
    ...(provider === undefined ? [] : renderMember('provider', provider, '')),
    ...(reranker === undefined ? [] : renderMember('reranker', reranker, '')),
  ];
  return lines.filter((line) => line !== '').join('\n') || 'ok';
}

function warningLine({ code, message, count }: Warning): string {
  const counted = count === undefined || message.includes(String(count)) ? '' : ` (${count})`;
  return `Warning [${code}]: ${escapeControls(message)}${counted}`;
}

type Degraded = NonNullable<AnswerNotes['degraded']>;
type Vectors = NonNullable<AnswerNotes['index']>;

type Background = ReturnType<typeof backgroundOf>;

/**
 * `parts`: why the answer is a part only, one line each.
 * @param notes in the order of reporting; a later note replaces an earlier one of the same kind, except for the parts
 */
function backgroundOf(index: IndexView | undefined, notes: readonly AnswerNotes[], mask: PathMask) {
  const { provider, reranker, degraded, index: vectors }: AnswerNotes = Object.assign({}, ...notes);
  const noted = notes.flatMap(({ part }) => (part === undefined ? [] : [part]));
  const counts = { ...index?.meta, ...(vectors === undefined ? {} : vectorMeta(vectors)) };
  return {
    meta: {
      ...(Object.keys(counts).length === 0 ? {} : { index: counts }),
      ...(provider === undefined ? {} : { provider: providerView(provider, mask) }),
      ...(reranker === undefined ? {} : { reranker: providerView(reranker, mask) }),
      ...(degraded === undefined
        ? {}
        : { degraded: { ...degraded, from: mask(degraded.from), to: mask(degraded.to) } }),
    },
    warnings: [...(index?.warnings ?? []), ...(vectors === undefined ? [] : vectorWarnings(vectors))],
    parts: [...(index?.part === undefined ? [] : [index.part]), ...noted],
  };
}

function providerView(provider: AnsweringProvider, mask: PathMask) {
  return toPlainObject({ ...provider, served_by: mask(provider.served_by), model: mask(provider.model) });
}

/** `DEGRADED: words only, embedding failed with PROVIDER_TIMEOUT (text instead of hybrid, allowed by on_embedding_failure)`. */
function degradedLine({ from, to, reason_code, opted_in_by }: Degraded): string {
  const what = to === 'text' ? 'words only' : `by ${to}`;
  const line = `DEGRADED: ${what}, embedding failed with ${reason_code} (${to} instead of ${from}, allowed by ${opted_in_by})`;
  return escapeControls(line);
}

/** The counts are left out if every note has its vectors. */
function vectorMeta({ total, generation, embedded, ...chunks }: Vectors) {
  const isWhole = embedded === total && (chunks.failed_chunks ?? 0) === 0;
  return { generation, ...(isWhole ? {} : { embedded, embed_total: total, ...chunks }) };
}

/** These warnings, like those of the index, are on every answer from these vectors until the state changes. */
export function vectorWarnings({ embedded, total, chunks, failed_chunks = 0 }: Vectors): Warning[] {
  const lacking = total - embedded;
  const pending = `${lacking === 1 ? '1 note is' : `${lacking} notes are`} not embedded yet`;
  const refused = `${failed_chunks} of ${chunks + failed_chunks} chunks could not be embedded; status lists them`;
  return [
    ...(lacking > 0 ? [{ code: 'INDEX_PENDING', message: pending, count: lacking } as const] : []),
    ...(failed_chunks > 0 ? [{ code: 'QUARANTINED', message: refused, count: failed_chunks } as const] : []),
  ];
}

/**
 * JSON Schema draft 7 that allows additional members: clients validate failures too, and replace one that does not match with a
 * protocol error. The schema therefore does not say which members occur together. It is short, since every tool would list it.
 */
export const OUTPUT_SCHEMA = Object.freeze({
  type: 'object' as const,
  properties: {
    ok: { type: 'boolean' },
    data: { type: 'object' },
    error: { type: 'object' },
    partial: { type: 'boolean' },
    warnings: { type: 'array' },
    meta: { type: 'object' },
  },
  required: ['ok'],
});

/** If there are more causes, they are counted by code instead. */
const MAX_CAUSES = 3;

type FailedItem = BatchResult<unknown>['failed'][number];

/** The id is what the caller wrote. */
function failedItem({ id, error }: FailedItem, mask: PathMask): PlainObject {
  return { id: cut(id), error: itemFailureOf(error, mask) };
}

/** The batch as data: input order inside each list, each error as its four fields. */
function batchData(batch: BatchResult<unknown>, mask: PathMask): PlainObject {
  const failed = batch.failed.map((item) => failedItem(item, mask));
  return toPlainObject({ ...batch, failed });
}

/** The failure of a batch whose items all failed: with their common cause as its message, and retryable only if every item is. */
function failedBatch(failed: readonly FailedItem[], mask: PathMask): VaultgraphError<'BATCH_FAILED'> {
  const errors = failed.map(({ error }) => error);
  const waits = errors.map((error) => error.retryAfterMs ?? 0);
  const choices = failed.length === 1 ? failed[0]?.error.choices : undefined;
  const details = {
    failed: failed.map((item) => failedItem(item, mask)),
    by_code: countByCode(errors),
    why: causeOf(tried(errors)),
    advice: distinct(errors.map((error) => error.hint))
      .slice(0, MAX_CAUSES)
      .join(' '),
  };
  return new VaultgraphError('BATCH_FAILED', details, {
    cause: errors[0],
    retry: retryOf(errors),
    retryAfterMs: Math.max(...waits),
    ...choicesOf(choices),
  });
}

/** Items that were not tried repeat the cause of another one, so they count only if no item was tried. */
function tried(errors: readonly VaultgraphError[]): readonly VaultgraphError[] {
  const attempts = errors.filter((error) => !error.untried);
  return attempts.length === 0 ? errors : attempts;
}

function causeOf(errors: readonly VaultgraphError[]): string {
  const causes = distinct(errors.map((error) => error.message));
  if (causes.length <= MAX_CAUSES) return causes.join('; ');
  return Object.entries(countByCode(errors))
    .map(([code, count]) => `${code} × ${count}`)
    .join(', ');
}

/** `D` if every item may succeed later; else `C` if the caller can fix at least one, else `U` if the user can, else `N`. */
function retryOf(errors: readonly VaultgraphError[]): Retry {
  const classes = new Set(errors.map((error) => error.retry));
  if (errors.every((error) => error.retryable)) return classes.has('D*') ? 'D*' : 'D';
  if (classes.has('C')) return 'C';
  return classes.has('U') || classes.has('D*') ? 'U' : 'N';
}

function countByCode(errors: readonly VaultgraphError[]): Partial<Record<ErrorCode, number>> {
  const counts: Partial<Record<ErrorCode, number>> = {};
  for (const { code } of errors) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

function choicesOf(choices: Choices | undefined): { choices?: Choices } {
  return choices === undefined ? {} : { choices };
}
