// Tool: notes similar in meaning, by stored vectors.
import * as z from 'zod';
import { isNoteOrCanvas, type NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import type { NoteHit } from '../../contracts/vectors.ts';
import { excerptAround } from '../../markdown/excerpt/excerpt.ts';
import { sentenceFinder } from '../../markdown/excerpt/sentence.ts';
import { isStopWord } from '../../markdown/excerpt/stop-words.ts';
import { formsOf, termOf } from '../../markdown/excerpt/terms.ts';
import { textOfLines } from '../../markdown/links/section.ts';
import { lineCountOf } from '../../markdown/parse/lines.ts';
import { folderArgument } from '../notes/filters.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { readTexts } from '../notes/note-content.ts';
import { noteArgument, RESOLVE_FAILURES, resolveNote } from '../notes/note-reference.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { vaultFilter, warnOfFilters } from '../notes/vault-filter.ts';
import {
  EVIDENCE_CHARS,
  type Evidence,
  linkedNotes,
  relatedView,
  sharedLinksAndTags,
} from '../related/related-view.ts';
import { noteVector, reportVectors } from './vector-space.ts';

const input = z.strictObject({
  note: noteArgument,
  unlinked_only: z.boolean().default(false).describe('leave out linked notes'),
  folder: folderArgument,
  ...pageShape,
});
const paging = createPaging('find_similar', input.shape);

export const findSimilar = defineTool({
  name: 'find_similar',
  title: 'Similar notes',
  summary: 'Finds notes alike in meaning to a note, nearest first. Returns each with score and sentences as evidence.',
  others: { find_related: 'shared words', get_neighbors: 'linked notes' },
  words: 'related, semantic, see also',
  effect: 'reads',
  references: ['note'],
  needs: ['store', 'vault', 'indexer', 'embedding'],
  instead: ['find_related'],
  index: 'part',
  fails: [...RESOLVE_FAILURES, 'INVALID_INPUT', 'EMBEDDER_MISMATCH', 'INDEX_JOB_FAILED'],
  input,
  run: async (args, granted, call) => {
    const page = paging.pageOf(args);
    const { store } = granted;
    const filter = await vaultFilter({ folder: args.folder }, store, call);
    const { path, match } = await resolveNote(args.note, 'note', granted, call);
    if (!isNoteOrCanvas(path)) throw noNote(path);
    const { vector, generation } = await noteVector(path, granted, call);
    const linked = await linkedNotes(path, store, call);
    const without = args.unlinked_only ? [path, ...linked] : [path];
    // One more than the page, to know whether another page follows.
    const most = page.offset + page.limit + 1;
    const nearest = await store.nearestNotes(generation.id, vector, filter, without, most, call.signal);
    await warnOfFilters(filter, store, call);
    reportVectors(generation, call);
    const hits = nearest.slice(page.offset, page.offset + page.limit);
    const evidence = await evidenceFor(path, hits, generation.id, granted, call);
    return {
      path,
      match,
      related: hits.map((hit) =>
        relatedView({ ...hit, score: hit.cosine }, linked.has(hit.path), evidence.get(hit.path) ?? []),
      ),
      method: `cosine of embedding centroids, model ${generation.fingerprint.model}`,
      ...paging.next(args, page, { shown: hits.length, total: nearest.length }),
    };
  },
});

function noNote(path: NotePath) {
  return inputRefusal('find_similar', Object.keys(input.shape), {
    path: 'note',
    rule: `${path} is not a note or canvas: only these are embedded`,
  });
}

/** For each hit: a sentence of each of the two closest passages (the hit's first), and the shared links and tags. */
async function evidenceFor(
  path: NotePath,
  hits: readonly NoteHit[],
  generation: number,
  { store, vault }: Granted<'store' | 'vault'>,
  call: CallContext,
): Promise<ReadonlyMap<NotePath, readonly Evidence[]>> {
  const others = hits.map((hit) => hit.path);
  const pairs = await store.nearestPairs(generation, path, others, call.signal);
  const places = [...pairs].map(
    ([other, { lines, otherLines }]) =>
      [
        { path: other, lines: otherLines },
        { path, lines },
      ] as const,
  );
  const sentences = await pairedSentences(places, EVIDENCE_CHARS, vault, call);
  const ties = await sharedLinksAndTags(path, others, store, call);
  const passages = new Map([...pairs.keys()].map((other, at) => [other, sentences[at] ?? []] as const));
  return new Map(others.map((other) => [other, [...(passages.get(other) ?? []).map(textEvidence), ...ties(other)]]));
}

function textEvidence(passage: Passage): Evidence {
  return { kind: 'text', ...passage };
}

interface PassagePlace {
  readonly path: NotePath;
  readonly lines: readonly [number, number];
}

interface Passage extends PassagePlace {
  readonly text: string;
}

type Pair = readonly [PassagePlace, PassagePlace];

/**
 * For each pair of passages the sentence of each that has most words of the other, or its beginning if they share none.
 * Passages that cannot be read or no longer have text are left out and counted in a warning.
 */
async function pairedSentences(pairs: readonly Pair[], maxChars: number, vault: Vault, call: CallContext) {
  const texts = await readTexts([...new Set(pairs.flat().map(({ path }) => path))], vault, call);
  const missing = new Set<NotePath>();
  const sentences = pairs.map((pair) => {
    const passages = pair.map((place) => passageAt(place, texts.get(place.path)));
    for (const [at, passage] of passages.entries()) if (passage === undefined) missing.add(pair[at as 0 | 1].path);
    const shared = sharedTerms(passages.map((passage) => passage?.text ?? ''));
    return passages.flatMap((passage) => (passage === undefined ? [] : sentenceOf(passage, shared, maxChars)));
  });
  if (missing.size > 0) {
    const message = `${missing.size} notes without their passage: they cannot be read or have changed`;
    call.warn({ code: 'EXTRA_MISSING', message, count: missing.size });
  }
  return sentences;
}

function passageAt({ path, lines }: PassagePlace, text: string | undefined): Passage | undefined {
  if (text === undefined || lines[1] > lineCountOf(text)) return undefined;
  const passage = textOfLines(text, { line: lines[0], endLine: lines[1] });
  return passage.trim() === '' ? undefined : { path, lines, text: passage };
}

function sharedTerms([one = '', other = '']: readonly string[]): ReadonlySet<string> {
  const terms = new Set([...formsOf(other).keys()].map(termOf));
  const shared = [...formsOf(one).keys()].filter((form) => !isStopWord(form)).map(termOf);
  return new Set(shared.filter((term) => terms.has(term)));
}

function sentenceOf({ path, lines, text }: Passage, shared: ReadonlySet<string>, maxChars: number): Passage[] {
  const sought = [...formsOf(text).keys()].filter((form) => shared.has(termOf(form)));
  const weighed = sought.map((form) => ({ text: form, weight: 1 }));
  const sentence = sentenceFinder(text)(weighed, maxChars) ?? beginning(text, maxChars);
  const [from, to] = sentence.lines;
  return [{ path, lines: [lines[0] + from - 1, lines[0] + to - 1], text: sentence.text }];
}

function beginning(text: string, maxChars: number) {
  const { snippet, from, to } = excerptAround(text, [], maxChars);
  return { text: snippet, lines: [from, to] as const };
}
