// The two outcomes of a call as they go over the wire, each half complete alone.
import { isBatchResult } from '../../base/batch.ts';
import type { VaultgraphError } from '../../base/errors.ts';
import type { AnswerNotes, Warning } from '../../contracts/tool.ts';
import { batchData, failedBatch } from './batch-result.ts';
import { type Failure, failureOf } from './failure.ts';
import { failureText } from './failure-text.ts';
import type { IndexView } from './index-view.ts';
import type { PathMask } from './path-mask.ts';
import { type PlainObject, toPlainObject } from './plain-value.ts';
import { renderMember, renderText } from './render-text.ts';
import { escapeControls } from './shown-text.ts';

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
}

interface Circumstances {
  readonly warnings: readonly Warning[];
  readonly told: readonly AnswerNotes[];
  /** Of a tool that needs the store. */
  readonly index: IndexView | undefined;
  readonly mask: PathMask;
}

/** @throws BATCH_FAILED when every item of a batch failed; INTERNAL when the value is nothing JSON can carry */
export function successAnswer(value: object, { warnings, told, index, mask }: Circumstances): Answer {
  const isBatch = isBatchResult(value);
  if (isBatch && value.succeeded.length === 0 && value.failed.length > 0) throw failedBatch(value.failed, mask);
  const data = isBatch ? batchData(value, mask) : toPlainObject(value);
  const background = backgroundOf(index, told, mask);
  const parts = [...batchPart(value), ...background.parts];
  const masked = [...background.warnings, ...warnings].map((given) => ({ ...given, message: mask(given.message) }));
  const structured: Success = {
    ok: true,
    data,
    ...(parts.length === 0 ? {} : { partial: true as const }),
    ...(masked.length === 0 ? {} : { warnings: masked }),
    ...(Object.keys(background.meta).length === 0 ? {} : { meta: background.meta }),
  };
  return { isError: false, text: successText(structured, parts), structured };
}

/** @param health how other services are, by their names; stands among the details */
export function failureAnswer(
  error: VaultgraphError,
  listed: ReadonlySet<string>,
  mask: PathMask,
  health: Readonly<Record<string, string>> = {},
): Answer {
  const structured = failureOf(error, listed, mask, health);
  return { isError: true, text: failureText(structured), structured };
}

function batchPart(value: object): string[] {
  if (!isBatchResult(value) || value.failed.length === 0) return [];
  const [done, failed] = [value.succeeded.length, value.failed.length];
  return [`${done}/${done + failed} succeeded, ${failed} failed`];
}

function successText({ data, warnings = [], meta = {} }: Success, parts: readonly string[]): string {
  const { index, provider, degraded } = meta;
  const lines = [
    ...(degraded === undefined ? [] : [degradedLine(degraded)]),
    ...parts.map((part) => `PARTIAL ${part}`),
    ...warnings.map(warningLine),
    renderText(data),
    ...(index === undefined ? [] : renderMember('index', { ...index }, '')),
    ...(provider === undefined ? [] : renderMember('provider', provider, '')),
  ];
  return lines.filter((line) => line !== '').join('\n') || 'ok';
}

function warningLine({ code, message, count }: Warning): string {
  const counted = count === undefined || message.includes(String(count)) ? '' : ` (${count})`;
  return `Warning [${code}]: ${escapeControls(message)}${counted}`;
}

type Degraded = NonNullable<AnswerNotes['degraded']>;
type Vectors = NonNullable<AnswerNotes['index']>;

interface Background {
  readonly meta: {
    /** Of the notes, and of their vectors where those were asked: `embed_total` counts what may have vectors. */
    readonly index?: Partial<IndexView['meta']> & Omit<Partial<Vectors>, 'total'> & { readonly embed_total?: number };
    readonly provider?: PlainObject;
    readonly degraded?: Degraded;
  };
  readonly warnings: readonly Warning[];
  /** Why the answer is a part only, one line each. */
  readonly parts: readonly string[];
}

/** @param told in the order it was told; what is told twice counts as told last, but for the parts */
function backgroundOf(index: IndexView | undefined, told: readonly AnswerNotes[], mask: PathMask): Background {
  const { provider, degraded, index: vectors }: AnswerNotes = Object.assign({}, ...told);
  const said = told.flatMap(({ part }) => (part === undefined ? [] : [part]));
  const counts = { ...index?.meta, ...(vectors === undefined ? {} : vectorMeta(vectors)) };
  return {
    meta: {
      ...(Object.keys(counts).length === 0 ? {} : { index: counts }),
      ...(provider === undefined
        ? {}
        : {
            provider: toPlainObject({ ...provider, served_by: mask(provider.served_by), model: mask(provider.model) }),
          }),
      ...(degraded === undefined
        ? {}
        : { degraded: { ...degraded, from: mask(degraded.from), to: mask(degraded.to) } }),
    },
    warnings: [...(index?.warnings ?? []), ...(vectors === undefined ? [] : vectorWarnings(vectors))],
    parts: [...(index?.part === undefined ? [] : [index.part]), ...said],
  };
}

/** `DEGRADED: words only, embedding failed with PROVIDER_TIMEOUT (text instead of hybrid, allowed by on_embedding_failure)`. */
function degradedLine({ from, to, reason_code, opted_in_by }: Degraded): string {
  const what = to === 'text' ? 'words only' : `by ${to}`;
  const line = `DEGRADED: ${what}, embedding failed with ${reason_code} (${to} instead of ${from}, allowed by ${opted_in_by})`;
  return escapeControls(line);
}

function vectorMeta({ total, ...vectors }: Vectors) {
  return { ...vectors, embed_total: total };
}

/** As those of the index, they stand on every answer from these vectors until the state changes. */
function vectorWarnings({ embedded, total, chunks, failed_chunks = 0 }: Vectors): Warning[] {
  const lacking = total - embedded;
  const pending = `${lacking === 1 ? '1 note is' : `${lacking} notes are`} not embedded yet`;
  const refused = `${failed_chunks} of ${chunks + failed_chunks} chunks could not be embedded; status lists them`;
  return [
    ...(lacking > 0 ? [{ code: 'INDEX_PENDING', message: pending, count: lacking } as const] : []),
    ...(failed_chunks > 0 ? [{ code: 'QUARANTINED', message: refused, count: failed_chunks } as const] : []),
  ];
}
