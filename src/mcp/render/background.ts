// What stands behind an answer beside its data: the index, the vectors, the provider, what was exchanged. Knows no tool.
import type { AnswerNotes, Warning } from '../../contracts/tool.ts';
import type { IndexView } from './index-view.ts';
import type { PathMask } from './path-mask.ts';
import { type PlainObject, toPlainObject } from './plain-value.ts';
import { escapeControls } from './shown-text.ts';

type Degraded = NonNullable<AnswerNotes['degraded']>;
type Vectors = NonNullable<AnswerNotes['index']>;

export interface Background {
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
export function backgroundOf(index: IndexView | undefined, told: readonly AnswerNotes[], mask: PathMask): Background {
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
export function degradedLine({ from, to, reason_code, opted_in_by }: Degraded): string {
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
