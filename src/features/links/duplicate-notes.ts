// Groups notes whose texts are nearly the same, and shows what those of a group share.
import type { NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { FileState } from '../../contracts/change-set.ts';
import type { Store } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { estimatedOverlap } from '../../markdown/excerpt/text-signature.ts';
import { textAfterProperties } from '../../markdown/frontmatter/front-matter.ts';
import { readTexts } from '../notes/note-content.ts';

type Sources = Granted<'store' | 'vault'>;

export interface DuplicateGroup {
  /** Ascending; the later ones are compared with the first. */
  readonly notes: readonly NotePath[];
  /** The smallest share of runs of three words in common with the first note, between 0 and 1. */
  readonly overlap: number;
}

const MIN_OVERLAP = 0.6;
const NOTES_PER_READ = 100;
/** Signatures agree in all four numbers of one of sixteen bands with a chance of 97 % at an overlap of 0.7. */
const BAND = 4;

/** Groups of the notes that `isWithin` accepts; those with the largest overlap first, then by path. */
export async function duplicateNotes(isWithin: (path: NotePath) => boolean, sources: Sources, call: CallContext) {
  const states = (await sources.store.fileStates(call.signal)).filter(
    ({ path, kind, hash }) => kind === 'note' && hash !== null && isWithin(path),
  );
  const signatures = await signaturesOf(states, sources, call);
  const groups = new Map<NotePath, { notes: NotePath[]; overlap: number }>();
  const firstOf = new Map<string, { path: NotePath; signature: Uint32Array }[]>();
  for (const { path, hash } of states) {
    await letOthersRun();
    const signature = signatures.get(hash as string);
    if (signature === undefined || signature === null) continue;
    const like = nearest(signature, firstOf);
    if (like === undefined) addBands({ path, signature }, firstOf);
    else {
      const group = groups.get(like.path) ?? { notes: [like.path], overlap: 1 };
      group.notes.push(path);
      group.overlap = Math.min(group.overlap, like.overlap);
      groups.set(like.path, group);
    }
  }
  return [...groups.values()].sort((one, other) => other.overlap - one.overlap) satisfies readonly DuplicateGroup[];
}

type Band = ReadonlyMap<string, readonly { readonly path: NotePath; readonly signature: Uint32Array }[]>;

/** Texts made from one template share a band without being alike, so only the first few of a band are compared. */
const MAX_COMPARED = 8;

function nearest(signature: Uint32Array, firstOf: Band): { path: NotePath; overlap: number } | undefined {
  let best: { path: NotePath; overlap: number } | undefined;
  for (const band of bandsOf(signature)) {
    for (const first of firstOf.get(band) ?? []) {
      const overlap = estimatedOverlap(signature, first.signature);
      if (overlap >= MIN_OVERLAP && overlap > (best?.overlap ?? 0)) best = { path: first.path, overlap };
    }
  }
  return best;
}

function addBands(first: { path: NotePath; signature: Uint32Array }, firstOf: Map<string, (typeof first)[]>): void {
  for (const band of bandsOf(first.signature)) {
    const known = firstOf.get(band);
    if (known === undefined) firstOf.set(band, [first]);
    else if (known.length < MAX_COMPARED) known.push(first);
  }
}

function bandsOf(signature: Uint32Array): string[] {
  const bands: string[] = [];
  for (let at = 0; at < signature.length; at += BAND)
    bands.push(`${at} ${signature.subarray(at, at + BAND).join(' ')}`);
  return bands;
}

/** By the hash of the content; null for a short text. Notes that cannot be read have none. */
async function signaturesOf(states: readonly FileState[], { store, vault }: Sources, call: CallContext) {
  const kept = await call.storeCache.get(keepSignatures, store, call.signal);
  const missing = states.filter(({ hash }) => !kept.has(hash as string));
  for (let at = 0; at < missing.length; at += NOTES_PER_READ) {
    const part = missing.slice(at, at + NOTES_PER_READ);
    const texts = await readTexts(
      part.map(({ path }) => path),
      vault,
      call.signal,
    );
    const read = part.filter(({ path }) => texts.has(path));
    const input = { texts: read.map(({ path }) => texts.get(path) as string) };
    const made = await call.compute.run('signatures', input, call.signal);
    for (const [row, { hash }] of read.entries()) kept.set(hash as string, made[row] ?? null);
    call.progress(at + part.length, missing.length, 'notes compared');
  }
  return kept;
}

/** Whatever the index does, the signature of a content stays the same. */
const keepSignatures = async (
  store: Store,
  signal: AbortSignal,
  previous: Map<string, Uint32Array | null> | undefined,
): Promise<Map<string, Uint32Array | null>> => {
  const hashes = new Set((await store.fileStates(signal)).map(({ hash }) => hash));
  return new Map([...(previous ?? [])].filter(([hash]) => hashes.has(hash)));
};

const MAX_SHARED = 3;
const MIN_SHARED_LENGTH = 20;
const MAX_SHARED_LENGTH = 200;

/** The longest lines that all notes of the group have, after their properties. */
export async function sharedLines(
  { notes }: Pick<DuplicateGroup, 'notes'>,
  { vault }: Sources,
  { signal }: CallContext,
) {
  const texts = [...(await readTexts(notes, vault, signal)).values()];
  const [first = '', ...others] = texts;
  const sets = others.map((text) => new Set(linesOf(text)));
  return [...new Set(linesOf(first))]
    .filter((line) => line.length >= MIN_SHARED_LENGTH && sets.every((set) => set.has(line)))
    .sort((one, other) => other.length - one.length)
    .slice(0, MAX_SHARED)
    .map((line) => line.slice(0, MAX_SHARED_LENGTH));
}

const linesOf = (text: string): string[] =>
  textAfterProperties(text)
    .split('\n')
    .map((line) => line.trim());
