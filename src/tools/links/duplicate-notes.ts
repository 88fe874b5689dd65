// Groups notes whose texts are nearly the same, and shows what those of a group share.
import { FNV_START, fnvWith } from '../../base/fnv.ts';
import type { NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { jobs } from '../../compute/jobs.ts';
import { firstLinesAt, inOne, type Sketched, sketchAt } from '../../compute/sketch-jobs.ts';
import type { FileState } from '../../contracts/change-set.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { Store } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { HashedTexts } from '../../contracts/vault.ts';
import { foldText } from '../../markdown/excerpt/fold-text.ts';
import { areSameShort, estimatedOverlap, wordOverlap } from '../../markdown/excerpt/text-signature.ts';
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
  const cached = await call.storeCache.get(noGroups, sources.store, call.signal);
  const key = JSON.stringify(filter);
  const groups = cached.get(key);
  if (groups !== undefined) return groups;
  const states = (await sources.store.fileStates(call.signal)).filter(
    ({ kind, hash }) => kind !== 'base' && kind !== 'attachment' && hash !== null,
  );
  const sketches = await noteSketches(states, sources, call);
  const isWithin = await pathsWithin(filter, sources.store, call.signal);
  const paths = states.map(({ path }) => path).filter((path) => isWithin(path) && sketches.has(path));
  const all = await groupsOf(paths, sketches);
  // A note that cannot be read now may be readable in the next call.
  if (sketches.size < states.length) return all;
  cached.clear();
  cached.set(key, all);
  return all;
}

/** By the filter. Emptied with every change of the index. */
const noGroups = async () => new Map<string, readonly DuplicateGroup[]>();

async function groupsOf(
  paths: readonly NotePath[],
  sketches: ReadonlyMap<NotePath, NoteSketch>,
): Promise<readonly DuplicateGroup[]> {
  const groups = new Map<NotePath, { notes: NotePath[]; overlap: number }>();
  const notes = await plainNamesFirst(paths.map((path) => ({ path, sketch: sketches.get(path) as NoteSketch })));
  const knownNotes = new KnownNotes(await sharedBands(notes));
  for (const note of notes) {
    await letOthersRun();
    const like = knownNotes.nearestOrAdd(note);
    if (like !== undefined) {
      const group = groups.get(like.path) ?? { notes: [like.path], overlap: 1 };
      group.notes.push(note.path);
      group.overlap = Math.min(group.overlap, like.overlap);
      groups.set(like.path, group);
    }
  }
  return [...groups.values()].sort((one, other) => other.overlap - one.overlap);
}

async function plainNamesFirst(notes: readonly KnownNote[]): Promise<readonly KnownNote[]> {
  const byAdditions: KnownNote[][] = [];
  for (const note of notes) {
    await letOthersRun();
    const { length } = note.sketch.names;
    byAdditions[length] ??= [];
    byAdditions[length].push(note);
  }
  return byAdditions.flat();
}

/** Those that two notes have, and some of one note: most notes are like no other. */
async function sharedBands(notes: readonly KnownNote[]): Promise<(band: number) => boolean> {
  const slots = new Uint8Array(2 ** Math.ceil(Math.log2(1 + notes.length * BANDS * 8)));
  const slotOf = (band: number): number => (band ^ (band / BANDS)) & (slots.length - 1);
  for (const { sketch } of notes) {
    await letOthersRun();
    for (const band of bandsOf(sketch)) if ((slots[slotOf(band)] as number) < 2) (slots[slotOf(band)] as number) += 1;
  }
  return (band) => slots[slotOf(band)] === 2;
}

interface KnownNote {
  readonly path: NotePath;
  readonly sketch: NoteSketch;
}

/** The notes that are the first of a group, or in none yet. */
class KnownNotes {
  readonly #byBand = new Map<number, KnownNote[]>();
  readonly #byName = new Map<string, KnownNote[]>();
  readonly #isShared: (band: number) => boolean;

  /** @param isShared false for the bands of one note */
  constructor(isShared: (band: number) => boolean) {
    this.#isShared = isShared;
  }

  /** A note that is like none of them becomes one of them. */
  nearestOrAdd(note: KnownNote): { path: NotePath; overlap: number } | undefined {
    const bands = bandsOf(note.sketch).filter(this.#isShared);
    const nearest = this.#nearest(note, bands);
    if (nearest !== undefined) return nearest;
    for (const band of bands) append(this.#byBand, band, note);
    for (const name of note.sketch.names) append(this.#byName, name, note);
    return undefined;
  }

  #nearest(note: KnownNote, bands: readonly number[]): { path: NotePath; overlap: number } | undefined {
    let best: { path: NotePath; overlap: number } | undefined;
    const take = (first: KnownNote, overlap: number): void => {
      if (overlap > (best?.overlap ?? 0)) best = { path: first.path, overlap };
    };
    for (const band of bands) {
      for (const first of this.#byBand.get(band) ?? []) {
        const overlap = overlapOf(note.sketch.runs, first.sketch.runs);
        if (overlap >= MIN_OVERLAP) take(first, overlap);
      }
    }
    for (const name of note.sketch.names) {
      for (const first of this.#byName.get(name) ?? [])
        if (areVariants(note.sketch, first.sketch)) take(first, variantOverlap(note.sketch, first.sketch));
    }
    return best;
  }
}

function append<Key>(lists: Map<Key, KnownNote[]>, key: Key, note: KnownNote): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [note]);
  else if (list.length < MAX_COMPARED) list.push(note);
}

/** One has the name of the other, perhaps with an addition: "Part 1" and "Part 2" are no variants of each other. */
function areVariants({ names: one }: NoteSketch, { names: other }: NoteSketch): boolean {
  return one.includes(other[0] ?? '') || other.includes(one[0] ?? '');
}

/** 0 for notes that are not alike. Nearly equal ones are copies even if many notes have their lines. */
function variantOverlap(one: NoteSketch, other: NoteSketch): number {
  const whole = areSameShort(one, other) ? 1 : overlapOf(wholeOf(one), wholeOf(other));
  if (whole >= MIN_WHOLE_OVERLAP) return whole;
  const words = wordOverlap(one.words, other.words);
  return words >= MIN_WORDS_OF_VARIANTS ? Math.max(overlapOf(one.runs, other.runs), words) : 0;
}

const wholeOf = ({ runs, whole = runs }: NoteSketch): Uint32Array | null => whole;

const overlapOf = (one: Uint32Array | null, other: Uint32Array | null): number =>
  one === null || other === null ? 0 : estimatedOverlap(one, other);

/** Two bands with the same hash by chance cost one more comparison. */
function bandsOf({ runs }: NoteSketch): number[] {
  const bands: number[] = [];
  for (let at = 0; runs !== null && at < runs.length; at += BAND) {
    let hash = FNV_START;
    for (let place = at; place < at + BAND; place += 1) hash = fnvWith(hash, runs[place] as number);
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

/** Some milliseconds of work for a file thread; a search may wait for it. */
const NOTES_PER_READ = 128;
/** A third file thread stays free for others. */
const READS_AT_ONCE = 2;
/** A line that this many different notes have comes from a template or a page's footer. */
const MIN_NOTES_WITH_LINE = 4;
/** Numbers of hashed texts that are held until the lines of all notes are known; the other texts are read twice. */
const MAX_HELD = 16 * 2 ** 20;

interface NoteSketch extends Sketched {
  readonly names: readonly string[];
}

interface KeptSketch {
  readonly lines: Uint32Array;
  own?: { readonly without: string; readonly isNamedLikeOthers: boolean; readonly sketch: Sketched };
}

const NO_SKETCH: KeptSketch = { lines: new Uint32Array(0) };

interface HashedNotes {
  /** One for each text; undefined for one that the index does not have. */
  readonly states: readonly (FileState | undefined)[];
  readonly texts: HashedTexts;
}

/** By path. Notes that cannot be read have none. */
async function noteSketches(states: readonly FileState[], sources: Sources, call: CallContext) {
  const kept = await call.storeCache.get(keepSketches, sources.store, call.signal);
  const names = await namesOf(states);
  const held: HashedNotes[] = [];
  let room = MAX_HELD;
  const unknown = await statesWhere(states, ({ hash }) => !kept.has(hash as string));
  await eachHashed(unknown, sources, call, async (notes) => {
    for (const [row, state] of notes.states.entries())
      if (state !== undefined) kept.set(state.hash as string, { lines: firstLinesAt(notes.texts, row) });
    room -= notes.texts.words.length + notes.texts.lines.length;
    if (room > 0) held.push(notes);
  });
  await sketchAll(held, states, kept, names, sources, call);
  const sketches = new Map<NotePath, NoteSketch>();
  for (const { path, hash } of states) {
    await letOthersRun();
    const { own } = kept.get(hash as string) ?? {};
    if (own !== undefined) sketches.set(path, { ...own.sketch, names: names.of.get(path) ?? [] });
  }
  return sketches;
}

type Names = Awaited<ReturnType<typeof namesOf>>;

async function namesOf(states: readonly FileState[]) {
  const counts = new Map<string, number>();
  const of = new Map<NotePath, readonly string[]>();
  for (const { path } of states) {
    await letOthersRun();
    const names = baseNames(path);
    of.set(path, names);
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const areLikeOthers = (path: NotePath): boolean => of.get(path)?.some((name) => (counts.get(name) ?? 0) > 1) === true;
  return { of, areLikeOthers };
}

async function statesWhere(states: readonly FileState[], isWanted: (state: FileState) => boolean) {
  const toSketch: FileState[] = [];
  for (const state of states) {
    await letOthersRun();
    if (isWanted(state)) toSketch.push(state);
  }
  return toSketch;
}

/** Those of notes that are held, then those that have none or had other lines in common with many notes. */
async function sketchAll(
  held: readonly HashedNotes[],
  states: readonly FileState[],
  kept: ReadonlyMap<string, KeptSketch>,
  names: Names,
  sources: Sources,
  call: CallContext,
): Promise<void> {
  const common = await commonLines(kept, call);
  const commonOf = ({ lines }: KeptSketch = NO_SKETCH): Uint32Array => lines.filter((line) => common.has(line));
  const sketchNotes = async ({ states: hashed, texts }: HashedNotes): Promise<void> => {
    const sketches = hashed.map((state) => kept.get(state?.hash as string));
    const without = sketches.map(commonOf);
    const isNamedLikeOthers = Uint8Array.from(hashed, (state) =>
      Number(state !== undefined && names.areLikeOthers(state.path)),
    );
    const { all, ends } = inOne(without);
    const toSketch = { texts, common: all, commonEnds: ends, isNamedLikeOthers };
    const made = await call.compute.run(jobs.sketches, toSketch, call.signal);
    for (const [row, sketch] of sketches.entries()) {
      const isNamed = isNamedLikeOthers[row] === 1;
      if (sketch !== undefined)
        sketch.own = { without: String(without[row]), isNamedLikeOthers: isNamed, sketch: sketchAt(made, row) };
    }
  };
  for (const notes of held) await sketchNotes(notes);
  const stale = await statesWhere(states, ({ path, hash }) => {
    const sketch = kept.get(hash as string);
    if (sketch?.own === undefined) return sketch !== undefined;
    const { without, isNamedLikeOthers } = sketch.own;
    return without !== String(commonOf(sketch)) || (!isNamedLikeOthers && names.areLikeOthers(path));
  });
  await eachHashed(stale, sources, call, sketchNotes);
}

async function commonLines(sketches: ReadonlyMap<string, KeptSketch>, call: CallContext): Promise<ReadonlySet<number>> {
  let count = 0;
  for (const { lines } of sketches.values()) count += lines.length;
  const all = new Uint32Array(count);
  for (const { lines } of sketches.values()) {
    await letOthersRun();
    count -= lines.length;
    all.set(lines, count);
  }
  return new Set(await call.compute.run(jobs.frequent_lines, { lines: all, min: MIN_NOTES_WITH_LINE }, call.signal));
}

async function eachHashed(
  states: readonly FileState[],
  { vault }: Sources,
  call: CallContext,
  use: (notes: HashedNotes) => Promise<void>,
): Promise<void> {
  let [next, done] = [0, 0];
  const readOn = async (): Promise<void> => {
    while (next < states.length) {
      const part = states.slice(next, next + NOTES_PER_READ);
      next += part.length;
      const byPath = new Map<string, FileState>(part.map((state) => [state.path, state]));
      const { succeeded, texts } = await vault.readHashes(
        part.map(({ path }) => path),
        call.signal,
      );
      await use({
        states: succeeded.map(({ id, result }) => (result.differsHere ? undefined : byPath.get(id))),
        texts,
      });
      done += part.length;
      call.progress(done, states.length, 'notes compared');
    }
  };
  try {
    await Promise.all(Array.from({ length: READS_AT_ONCE }, readOn));
  } finally {
    // After a failure, nothing more is read.
    next = states.length;
  }
}

/** Whatever the index does, the sketch of a content stays the same. */
const keepSketches = async (
  store: Store,
  signal: AbortSignal,
  previous: Map<string, KeptSketch> | undefined,
): Promise<Map<string, KeptSketch>> => {
  if (previous === undefined) return new Map();
  const hashes = new Set((await store.fileStates(signal)).map(({ hash }) => hash));
  return new Map([...previous].filter(([hash]) => hashes.has(hash)));
};
