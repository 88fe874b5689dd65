// Groups notes whose texts are nearly the same, and shows what those of a group share.
import { FNV_START, fnvWith } from '../../base/fnv.ts';
import type { NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { jobs } from '../../compute/jobs.ts';
import type { FileState } from '../../contracts/change-set.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { Store } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { foldText } from '../../markdown/excerpt/fold-text.ts';
import { areSameShort, estimatedOverlap, type TextSketch, wordOverlap } from '../../markdown/excerpt/text-signature.ts';
import { textAfterProperties } from '../../markdown/properties/front-matter.ts';
import { readTexts } from '../notes/note-content.ts';
import { pathsWithin, type Sources } from './gap-query.ts';

export interface DuplicateGroup {
  /** Plain names before those with additions, then ascending; the later ones are compared with the first. */
  readonly notes: readonly NotePath[];
  /** The smallest share of runs of three words in common with the first note, between 0 and 1. */
  readonly overlap: number;
}

const MIN_OVERLAP = 0.6;
const MIN_WHOLE_OVERLAP = 0.8;
/** The share of words from which two notes are duplicates if one has the other's name and an addition. */
const MIN_WORDS_OF_VARIANTS = 0.33;
/** Signatures agree in all four numbers of one of sixteen bands with a chance of 97 % at an overlap of 0.7. */
const BAND = 4;
const BANDS = 16;
/** Texts made from one template share a band without being alike, so only the first few of a band are compared. */
const MAX_COMPARED = 8;

/** Groups of the notes that pass the filter; those with the largest overlap first, then by path. */
export async function duplicateNotes(
  filter: NoteFilter,
  sources: Sources,
  call: CallContext,
): Promise<readonly DuplicateGroup[]> {
  const known = await call.storeCache.get(noGroups, sources.store, call.signal);
  const key = JSON.stringify(filter);
  const groups = known.get(key);
  if (groups !== undefined) return groups;
  const states = (await sources.store.fileStates(call.signal)).filter(
    ({ kind, hash }) => kind !== 'base' && kind !== 'attachment' && hash !== null,
  );
  const sketches = await noteSketches(states, sources, call);
  const isWithin = await pathsWithin(filter, sources.store, call.signal);
  const paths = states.map(({ path }) => path).filter((path) => isWithin(path) && sketches.has(path));
  const found = await groupsOf(paths, sketches);
  // A note that cannot be read now may be readable in the next call.
  if (sketches.size < states.length) return found;
  known.clear();
  known.set(key, found);
  return found;
}

/** By the filter. Emptied with every change of the index. */
const noGroups = async () => new Map<string, readonly DuplicateGroup[]>();

async function groupsOf(
  paths: readonly NotePath[],
  sketches: ReadonlyMap<NotePath, NoteSketch>,
): Promise<readonly DuplicateGroup[]> {
  const groups = new Map<NotePath, { notes: NotePath[]; overlap: number }>();
  const known = new KnownNotes();
  for (const path of await plainNamesFirst(paths)) {
    await letOthersRun();
    const sketch = sketches.get(path) as NoteSketch;
    const like = known.nearest(path, sketch);
    if (like === undefined) known.add(path, sketch);
    else {
      const group = groups.get(like.path) ?? { notes: [like.path], overlap: 1 };
      group.notes.push(path);
      group.overlap = Math.min(group.overlap, like.overlap);
      groups.set(like.path, group);
    }
  }
  return [...groups.values()].sort((one, other) => other.overlap - one.overlap);
}

async function plainNamesFirst(paths: readonly NotePath[]): Promise<readonly NotePath[]> {
  const byAdditions: NotePath[][] = [];
  for (const path of paths) {
    await letOthersRun();
    const { length } = baseNames(path);
    byAdditions[length] ??= [];
    byAdditions[length].push(path);
  }
  return byAdditions.flat();
}

interface KnownNote {
  readonly path: NotePath;
  readonly sketch: NoteSketch;
}

/** The notes that are the first of a group, or in none yet. */
class KnownNotes {
  readonly #byBand = new Map<number, KnownNote[]>();
  readonly #byName = new Map<string, KnownNote[]>();

  add(path: NotePath, sketch: NoteSketch): void {
    const note = { path, sketch };
    for (const band of bandsOf(sketch.own)) append(this.#byBand, band, note);
    for (const name of baseNames(path)) append(this.#byName, name, note);
  }

  nearest(path: NotePath, sketch: NoteSketch): { path: NotePath; overlap: number } | undefined {
    let best: { path: NotePath; overlap: number } | undefined;
    const take = (first: KnownNote, overlap: number): void => {
      if (overlap > (best?.overlap ?? 0)) best = { path: first.path, overlap };
    };
    for (const band of bandsOf(sketch.own)) {
      for (const first of this.#byBand.get(band) ?? []) {
        const overlap = overlapOf(sketch.own, first.sketch.own);
        if (overlap >= MIN_OVERLAP) take(first, overlap);
      }
    }
    for (const name of baseNames(path)) {
      for (const first of this.#byName.get(name) ?? [])
        if (areVariants(path, first.path)) take(first, variantOverlap(sketch, first.sketch));
    }
    return best;
  }
}

function append<Key>(lists: Map<Key, KnownNote[]>, key: Key, note: KnownNote): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [note]);
  else if (known.length < MAX_COMPARED) known.push(note);
}

/** One has the name of the other, perhaps with an addition: "Part 1" and "Part 2" are no variants of each other. */
function areVariants(one: NotePath, other: NotePath): boolean {
  const [name = ''] = baseNames(one);
  const [otherName = ''] = baseNames(other);
  return baseNames(one).includes(otherName) || baseNames(other).includes(name);
}

/** 0 for notes that are not alike. Nearly equal ones are copies even if many notes have their lines. */
function variantOverlap(one: NoteSketch, other: NoteSketch): number {
  const whole = areSameShort(one.own, other.own) ? 1 : overlapOf(one.whole, other.whole);
  if (whole >= MIN_WHOLE_OVERLAP) return whole;
  const words = wordOverlap(one.own.words, other.own.words);
  return words >= MIN_WORDS_OF_VARIANTS ? Math.max(overlapOf(one.own, other.own), words) : 0;
}

const overlapOf = ({ runs: one }: TextSketch, { runs: other }: TextSketch): number =>
  one === null || other === null ? 0 : estimatedOverlap(one, other);

/** Two bands with the same hash by chance cost one more comparison. */
function bandsOf({ runs: signature }: TextSketch): number[] {
  const bands: number[] = [];
  for (let at = 0; signature !== null && at < signature.length; at += BAND) {
    const hash = signature.subarray(at, at + BAND).reduce(fnvWith, FNV_START);
    bands.push((hash >>> 0) * BANDS + at / BAND);
  }
  return bands;
}

const MAX_SHARED = 3;
const MIN_SHARED_LENGTH = 20;
const MAX_SHARED_LENGTH = 200;

/** The longest lines that all notes of the group have, after their properties. */
export async function sharedLines({ notes }: Pick<DuplicateGroup, 'notes'>, { vault }: Sources, call: CallContext) {
  const texts = [...(await readTexts(notes, vault, call)).values()];
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

/** The words that operating systems and sync clients add to the name of a copy, in several languages. */
const COPY = ['copy', 'kopie', 'copie', 'copia', 'kopia', 'kopi', 'копия', '副本', 'コピー', '복사본']
  .map(foldText)
  .join('|');
const COPY_MARKS = [
  /\.sync-conflict-[\w-]+$/, // Syncthing
  /\s*[([（][^()[\]（）]*[)\]）]$/, // "(2)", "(course notes)", "(Ada's conflicted copy 2026-01-02)"
  new RegExp(`(?:\\s+[-–—])?(?:\\s+|(?<=[^\\x00-\\x7f])|の)(?:${COPY})(?:\\s*\\d{1,2})?$`, 'u'),
  /(?<=\D)\s+\d{1,2}$/, // iCloud, Finder
  new RegExp(`^(?:${COPY}) (?:of|von|van|de|di|av|af) `, 'u'),
];
const PLURAL = /(?<=\p{L}{3})(?<!s)s$/u;

/** Case, accents, separators and width do not count. */
function plainName(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/(?:\.excalidraw)?\.(?:md|canvas)$/i, '');
  return foldText(name)
    .replace(/[\s_]+/g, ' ')
    .trim();
}

/** The names that a name may be a variant of, and the name itself, each without a plural. */
function baseNames(path: string): readonly string[] {
  const names = [plainName(path)];
  for (const name of names) {
    for (const mark of COPY_MARKS) {
      const base = name.replace(mark, '').trim();
      if (base !== name && base !== '' && !names.includes(base)) names.push(base);
    }
  }
  return [...new Set(names.map((name) => name.replace(PLURAL, '')))];
}

const NOTES_PER_READ = 100;
/** A line that this many different notes have comes from a template or a page's footer. */
const MIN_NOTES_WITH_LINE = 4;

interface NoteSketch {
  readonly whole: TextSketch;
  /** Without the lines of many notes. */
  readonly own: TextSketch;
}

interface KeptSketch {
  readonly lines: Uint32Array;
  whole?: TextSketch;
  /** Without these lines of many notes. */
  own?: { readonly without: string; readonly sketch: TextSketch };
}

/** By path. Notes that cannot be read have none. */
async function noteSketches(states: readonly FileState[], sources: Sources, call: CallContext) {
  const kept = await call.storeCache.get(keepSketches, sources.store, call.signal);
  await eachText(
    await statesWhere(states, ({ hash }) => !kept.has(hash as string)),
    sources,
    call,
    async (read, texts) => {
      const made = await call.compute.run(jobs.lineHashes, { texts }, call.signal);
      for (const [row, lines] of made.entries()) kept.set(read[row]?.hash as string, { lines });
    },
  );
  const common = await commonLines(kept);
  await sketchOwnTexts(states, kept, common, sources, call);
  await sketchWholeTexts(states, kept, sources, call);
  const sketches = new Map<NotePath, NoteSketch>();
  for (const { path, hash } of states) {
    await letOthersRun();
    const { own, whole } = kept.get(hash as string) ?? {};
    if (own !== undefined) sketches.set(path, { own: own.sketch, whole: whole ?? own.sketch });
  }
  return sketches;
}

async function statesWhere(states: readonly FileState[], isWanted: (state: FileState) => boolean) {
  const wanted: FileState[] = [];
  for (const state of states) {
    await letOthersRun();
    if (isWanted(state)) wanted.push(state);
  }
  return wanted;
}

async function sketchOwnTexts(
  states: readonly FileState[],
  kept: ReadonlyMap<string, KeptSketch>,
  common: ReadonlySet<number>,
  sources: Sources,
  call: CallContext,
): Promise<void> {
  const unknown = await statesWhere(states, ({ hash }) => {
    const sketch = kept.get(hash as string);
    return sketch !== undefined && sketch.own?.without !== linesKey(sketch, common);
  });
  await eachText(unknown, sources, call, async (read, texts) => {
    const sketches = read.map(({ hash }) => kept.get(hash as string) as KeptSketch);
    const lines = new Set(sketches.flatMap((sketch) => sharedWith(common, sketch)));
    const made = await call.compute.run(jobs.sketches, { texts, common: [...lines] }, call.signal);
    for (const [row, sketch] of made.entries()) {
      const found = sketches[row] as KeptSketch;
      found.own = { without: linesKey(found, common), sketch };
    }
  });
}

/** Only notes whose names are like those of others are compared whole. */
async function sketchWholeTexts(
  states: readonly FileState[],
  kept: ReadonlyMap<string, KeptSketch>,
  sources: Sources,
  call: CallContext,
): Promise<void> {
  const counts = new Map<string, number>();
  const namesOf = new Map<NotePath, readonly string[]>();
  for (const { path } of states) {
    await letOthersRun();
    const names = baseNames(path);
    namesOf.set(path, names);
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const unknown = await statesWhere(states, ({ path, hash }) => {
    const sketch = kept.get(hash as string);
    const isLikeOthers = namesOf.get(path)?.some((name) => (counts.get(name) as number) > 1);
    return isLikeOthers === true && sketch !== undefined && sketch.own?.without !== '' && sketch.whole === undefined;
  });
  await eachText(unknown, sources, call, async (read, texts) => {
    const made = await call.compute.run(jobs.sketches, { texts, common: [] }, call.signal);
    for (const [row, sketch] of made.entries()) (kept.get(read[row]?.hash as string) as KeptSketch).whole = sketch;
  });
}

const sharedWith = (common: ReadonlySet<number>, sketch: KeptSketch): number[] =>
  [...sketch.lines].filter((line) => common.has(line));

const linesKey = (sketch: KeptSketch, common: ReadonlySet<number>): string => sharedWith(common, sketch).join(' ');

async function commonLines(kept: ReadonlyMap<string, KeptSketch>): Promise<ReadonlySet<number>> {
  const counts = new Map<number, number>();
  const common = new Set<number>();
  for (const { lines } of kept.values()) {
    await letOthersRun();
    for (const line of lines) {
      const count = (counts.get(line) ?? 0) + 1;
      counts.set(line, count);
      if (count === MIN_NOTES_WITH_LINE) common.add(line);
    }
  }
  return common;
}

async function eachText(
  states: readonly FileState[],
  { vault }: Sources,
  call: CallContext,
  use: (read: readonly FileState[], texts: readonly string[]) => Promise<void>,
): Promise<void> {
  const partAt = (at: number) => states.slice(at, at + NOTES_PER_READ);
  const textsAt = (at: number) =>
    readTexts(
      partAt(at).map(({ path }) => path),
      vault,
      call,
      'lines',
    );
  let texts = await textsAt(0);
  for (let at = 0; at < states.length; at += NOTES_PER_READ) {
    const [part, current] = [partAt(at), texts];
    const read = part.filter(({ path }) => current.has(path));
    const used = use(
      read,
      read.map(({ path }) => current.get(path) as string),
    );
    // The next texts are read meanwhile.
    [texts] = await Promise.all([textsAt(at + NOTES_PER_READ), used]);
    call.progress(at + part.length, states.length, 'notes compared');
  }
}

/** Whatever the index does, the sketch of a content stays the same. */
const keepSketches = async (
  store: Store,
  signal: AbortSignal,
  previous: Map<string, KeptSketch> | undefined,
): Promise<Map<string, KeptSketch>> => {
  const hashes = new Set((await store.fileStates(signal)).map(({ hash }) => hash));
  return new Map([...(previous ?? [])].filter(([hash]) => hashes.has(hash)));
};
