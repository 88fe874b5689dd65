// Full-text search: finds the notes that match a query, best first.
import { asNoteFiles, type NotePath, noteName } from '../../../base/note.ts';
import type { NoteFilter, Page } from '../../../contracts/note-filter.ts';
import type { Store } from '../../../contracts/store.ts';
import type { TextHit, TextHits, TextQuery, TextTerm } from '../../../contracts/text-query.ts';
import { foldName } from '../../../markdown/links/fold.ts';
import { fieldBits } from '../../../postings/fields.ts';
import { takesSteps } from '../../../postings/matches.ts';
import { bestOf, type Scores } from '../../../postings/rank.ts';
import type { FoundWords, TextIndex, WeighedWord } from '../../../postings/text-index.ts';
import { type SoughtWords, soughtWords } from '../../../postings/words.ts';
import { FILES_PER_SLICE, readAndFinish, readInSlices, type Slice, type Source } from '../database/read-in-slices.ts';
import { checkLimit, checkPage, type Rows } from '../database/rows.ts';
import type { TextIndexes } from '../texts/read-index.ts';
import {
  addDates,
  createDatesOfNotes,
  type DatesOfNotes,
  datedNotes,
  type WantedDate,
  wantedDate,
} from './dated-notes.ts';
import type { KnownFiles, PassingFiles } from './known-files.ts';
import { hasFilter } from './note-conditions.ts';
import { type FileRow, withoutAttachments } from './note-rows.ts';
import { MAX_RAISED, type RankedNote, raiseNamed } from './raise-named.ts';

/** Common terms are left out only if at least this many notes are indexed. */
const MIN_NOTES = 50;
const COMMON_SHARE = 0.5;
/** In a larger index, counting the common words of a query takes too long. */
const MAX_WITH_COMMON = 5_000;
/** A query of at least this many words keeps its common words if fewer other words are left. */
const ENOUGH_WORDS = 4;

/** @returns the method of the store. Phrases and beginnings of words are found in slices, because the words can be in all notes. */
export function createTextSearch(
  { rows, read }: Source,
  knownFiles: () => KnownFiles,
  passingFiles: PassingFiles,
  texts: TextIndexes,
): Store['searchText'] {
  const op = 'searchText';
  const datesOf = createDatesOfNotes(rows);
  return async (query, filter, page, signal) => {
    checkPage(page);
    const textIndex = filter.excluded === undefined ? texts.listed : texts.whole;
    const terms = query.terms.map((term) => soughtTerm(term, query.match));
    const all = terms.flatMap(({ sought, formsSought }) => [...(sought ? [sought] : []), ...formsSought]);
    const dated = query.match === 'all' ? [] : (query.dated ?? []).map(wantedDate);
    const slow = [...all, ...dated.flatMap(({ sought }) => sought)].filter(takesSteps);
    const answer = (index: TextIndex) =>
      searchText({ known: knownFiles(), passingFiles, datesOf }, index, { ...query, terms, dated }, filter, page);
    if (slow.length === 0) return read(op, signal, () => answer(textIndex()));
    const finding = new Finding(textIndex, slow);
    const step = (place: true | undefined) => finding.step(place);
    return readAndFinish({ rows, read, op, signal }, step, () => finding.use(answer));
  };
}

/** What of a query is found in steps, in the index that they began in. */
class Finding {
  readonly #textIndex: () => TextIndex;
  readonly #sought: readonly SoughtWords[];
  #index: TextIndex | undefined;
  #steps: ReturnType<TextIndex['find']> | undefined;
  #found: FoundWords | undefined;

  constructor(textIndex: () => TextIndex, sought: readonly SoughtWords[]) {
    this.#textIndex = textIndex;
    this.#sought = sought;
  }

  /** @param place undefined to begin */
  step(place: true | undefined): Slice<never, true> {
    const index = this.#textIndex();
    if (place === undefined) {
      this.#index = index;
      this.#steps = index.find(this.#sought);
    }
    // The rows of a former index may be gone: what is left is found at once.
    const step = index === this.#index ? this.#steps?.next() : undefined;
    this.#found = step?.done === true ? step.value : undefined;
    return { items: [], next: step?.done === false ? true : undefined };
  }

  use<T>(answer: (index: TextIndex) => T): T {
    const index = this.#textIndex();
    return this.#found === undefined ? answer(index) : index.withFound(this.#found, () => answer(index));
  }
}

interface SearchedFiles {
  readonly known: KnownFiles;
  readonly passingFiles: PassingFiles;
  readonly datesOf: DatesOfNotes;
}

interface SoughtTerm extends TextTerm {
  /** Undefined if the text has no word. */
  readonly sought: SoughtWords | undefined;
  readonly formsSought: readonly SoughtWords[];
}

function soughtTerm(term: TextTerm, match: TextQuery['match']): SoughtTerm {
  const forms = match === 'all' ? [] : (term.forms ?? []);
  const formsSought = forms.flatMap((text) => soughtWords({ text, kind: 'word' }) ?? []);
  return { ...term, sought: soughtWords(term), formsSought };
}

/** A query with what each of its terms looks for. */
interface SoughtQuery extends Omit<TextQuery, 'dated'> {
  readonly terms: readonly SoughtTerm[];
  readonly dated: readonly WantedDate[];
}

function searchText(
  { known, passingFiles, datesOf }: SearchedFiles,
  index: TextIndex,
  query: SoughtQuery,
  filter: NoteFilter,
  page: Page,
): TextHits {
  const { rows } = known;
  // The index that is searched has no excluded files.
  const isFiltered = hasFilter(rows, { ...filter, excluded: filter.excluded ?? 'include' });
  const referred = referredNotes(known, index, query);
  // Without a filter, the number of hits of a single term without forms, and without named notes, is its count.
  const isPlain =
    referred.length + query.dated.length === 0 && query.terms.length === 1 && query.terms[0]?.forms === undefined;
  const needsCounts = !isPlain || isFiltered;
  const terms = countTerms(query, needsCounts ? index : undefined);
  const { wanted, left, unwanted, dropped } = sortTerms(terms, query.match);
  if (wanted.length + referred.length === 0)
    return { hits: [], total: 0, dropped, indexed: index.live, docFrequencies: terms.map(() => 0) };
  const scores = index.scores();
  const weighed = wanted.flatMap((term) => addScores(scores, term, index));
  const common = index.live > MAX_WITH_COMMON ? [] : left;
  weighed.push(...common.flatMap((term) => addScores(scores, term, index, 'raise')));
  const dated = datedNotes(datesOf, index, scores, query.dated);
  for (const sought of unwanted) scores.exclude(index.tally(sought));
  const found = withNotes(scores.matching(query.match === 'any' ? 1 : wanted.length), referred);
  const matching = filter.attachmentTexts === true ? found : withoutAttachments(rows, index, found);
  const passing = isFiltered ? passingNotes(index, matching, filter, passingFiles) : matching;
  if (wanted.length + common.length >= MIN_PASSAGE_WORDS) addPassages(index, passing, scores.scores, weighed);
  addDates(scores.scores, dated);
  const ranked = { index, notes: passing, scores: scores.scores, asked: askedOf(query, wanted) };
  const end = page.offset + page.limit;
  const best = bestFiles(known, ranked, rankedNames(rows, index, query.called, referred), end);
  const total = passing.length;
  const hits = best.slice(page.offset, end).map((file) => hitOf(known, file));
  return {
    hits,
    total,
    dropped,
    indexed: index.live,
    docFrequencies: needsCounts ? terms.map(({ count }) => count) : [total],
  };
}

/** In the order of the query. */
function referredNotes(known: KnownFiles, index: TextIndex, { named = [] }: TextQuery): number[] {
  const files = named.flatMap((path) => known.at(path)?.id ?? []);
  return files.flatMap((file) => index.noteOf(file) ?? []);
}

function withNotes(found: Int32Array, notes: readonly number[]): Int32Array {
  if (notes.length === 0) return found;
  const others = new Set(notes);
  for (const note of found) others.delete(note);
  return Int32Array.from([...found, ...others]);
}

/** The notes that the query refers to are before those that have its text as a name. */
function rankedNames(
  rows: Rows,
  index: TextIndex,
  called: string | undefined,
  referred: readonly number[],
): NamedFiles {
  const named = filesWithName(rows, called);
  const best = referred.map((note, at) => [index.files[note] as number, BEST_NAME + referred.length - at] as const);
  return best.length === 0 ? named : new Map([...named, ...best]);
}

/** The word and its forms together count so much of a word that has forms, the word alone the rest. */
const FORMS_SHARE = 0.7;

/** @returns what was counted as one word */
function addScores(
  scores: Scores,
  { sought, forms }: WantedTerm,
  index: TextIndex,
  how: 'add' | 'raise' = 'add',
): WeighedWord[] {
  const share = forms.length === 0 ? 0 : FORMS_SHARE;
  const add = (words: readonly SoughtWords[], part: number): WeighedWord => {
    const tally = index.tally(...words);
    return { sought: words, weight: scores[how](tally, index, part), isWhole: words.length > forms.length };
  };
  const alone = add([sought], 1 - share);
  return share === 0 ? [alone] : [alone, add([sought, ...forms], share)];
}

/** A word alone cannot be apart from others in a note. */
const MIN_PASSAGE_WORDS = 2;
/** The number of best notes that are also scored by their best passage. */
const MAX_WITH_PASSAGES = 50;

/** The score of each of the best notes becomes the mean of its own and that of its best passage; the others stay below them. */
function addPassages(index: TextIndex, notes: Int32Array, scores: Float64Array, words: readonly WeighedWord[]): void {
  const { better, tied } = bestOf(notes, scores, MAX_WITH_PASSAGES);
  // Which of many equal ones come first is not known yet.
  const equals = better.length + tied.length > 2 * MAX_WITH_PASSAGES ? [] : tied;
  const best = Int32Array.from([...better, ...equals]).sort();
  const passages = index.bestPassages(words, best);
  if (passages === undefined) return;
  const means = Float64Array.from(best, (note, at) => ((scores[note] as number) + (passages[at] as number)) / 2);
  const least = Math.min(...means);
  for (let at = 0; at < notes.length; at++) {
    const note = notes[at] as number;
    scores[note] = Math.min(scores[note] as number, least);
  }
  for (const [at, note] of best.entries()) scores[note] = means[at] as number;
}

const MENTIONS = fieldBits('headings', 'body');

/** @returns the method of the store. The files are read in slices, because a phrase can be in all of them. */
export function createMentions({ rows, read }: Source, textIndex: () => TextIndex): Store['mentions'] {
  return async (phrase, limit, signal) => {
    checkLimit(limit);
    let files: readonly number[] = [];
    const after = (from = 0): Slice<NotePath, number> => {
      if (from === 0) files = mentioningFiles(rows, textIndex(), phrase, limit);
      const to = from + FILES_PER_SLICE;
      const found = files.slice(from, to).flatMap((id) => rows.checked<FileRow>(BY_ID, id));
      return { items: found.map(({ path }) => path), next: to < files.length ? to : undefined };
    };
    return readInSlices({ rows, read, op: 'mentions', signal }, after);
  };
}

const BY_ID = 'SELECT * FROM files WHERE id = ?';

/** Notes whose headings or body contain the words of the phrase next to each other, ascending by path. */
function mentioningFiles(rows: Rows, index: TextIndex, phrase: string, limit: number): number[] {
  const sought = soughtWords({ text: phrase, kind: 'phrase' });
  if (sought === undefined) return [];
  const { notes, count, fields } = index.tally(sought);
  const mentioning = notes.subarray(0, count).filter((note) => ((fields[note] as number) & MENTIONS) !== 0);
  const files = Array.from(withoutAttachments(rows, index, mentioning), (note) => index.files[note] as number);
  return inPathOrder(rows, files).slice(0, limit);
}

/** With a single term a name that is in the query equals it. */
function askedOf({ called, match }: TextQuery, wanted: readonly WantedTerm[]): Found['asked'] {
  if (called === undefined || match === 'all' || wanted.length < 2) return undefined;
  return { asked: called, wanted: wanted.map(({ sought }) => sought) };
}

interface CountedTerm extends SoughtTerm {
  readonly count: number;
  readonly isCommon: boolean;
}

/** @param index undefined if no counts are needed */
function countTerms({ terms }: SoughtQuery, index: TextIndex | undefined): readonly CountedTerm[] {
  const indexed = index?.live ?? 0;
  const max = Math.floor(indexed * COMMON_SHARE);
  return terms.map((term) => {
    const { sought } = term;
    const count = sought === undefined || index === undefined ? 0 : index.count(sought, max);
    return { ...term, count, isCommon: indexed >= MIN_NOTES && count > max };
  });
}

interface WantedTerm {
  readonly sought: SoughtWords;
  readonly forms: readonly SoughtWords[];
}

interface SortedTerms {
  readonly wanted: readonly WantedTerm[];
  /** They find no note, but count in the notes that the wanted ones find. */
  readonly left: readonly WantedTerm[];
  readonly unwanted: readonly SoughtWords[];
  readonly dropped: readonly string[];
}

interface UsableTerm extends CountedTerm {
  readonly sought: SoughtWords;
}

const asWanted = ({ sought, formsSought }: UsableTerm): WantedTerm => ({ sought, forms: formsSought });

/** An `any` query leaves out the terms that most notes contain, unless it has no others, or only few of many. */
function sortTerms(terms: readonly CountedTerm[], match: TextQuery['match']): SortedTerms {
  const usable = terms.filter((term): term is UsableTerm => term.sought !== undefined);
  const positive = usable.filter((term) => !term.negated);
  const rare = match === 'any' ? positive.filter((term) => !term.isCommon) : positive;
  const wanted = rare.length === 0 || (rare.length < ENOUGH_WORDS && positive.length >= ENOUGH_WORDS) ? positive : rare;
  const unwanted = usable.filter((term) => term.negated);
  const used = new Set<CountedTerm>([...wanted, ...unwanted]);
  return {
    wanted: wanted.map(asWanted),
    left: positive.filter((term) => !used.has(term)).map(asWanted),
    unwanted: unwanted.map(({ sought }) => sought),
    dropped: terms.filter((term) => !used.has(term)).map(({ text }) => text),
  };
}

function passingNotes({ files }: TextIndex, notes: Int32Array, filter: NoteFilter, passing: PassingFiles): Int32Array {
  const fileOf = (note: number): number => files[note] as number;
  const isPassing = passing.among(Array.from(notes, fileOf), filter);
  return notes.filter((note) => isPassing(fileOf(note)));
}

interface Found {
  readonly index: TextIndex;
  readonly notes: Int32Array;
  readonly scores: Float64Array;
  /** Undefined where names count only if they equal the query. */
  readonly asked: { readonly asked: string; readonly wanted: readonly SoughtWords[] } | undefined;
}

interface RankedFile extends RankedNote {
  /** The rank of its name; 0 without one. */
  readonly rank: number;
}

function hitOf(known: KnownFiles, { id, bm25, score, rank, inQuery, named: by }: RankedFile): TextHit {
  const { path, title, modified } = known.withId(id);
  return {
    path,
    title,
    bm25,
    score,
    modifiedMs: modified,
    ...(rank > 0 ? { named: true } : {}),
    ...(inQuery === undefined ? {} : { nameInQuery: inQuery }),
    ...(by === undefined ? {} : { namedBy: { path: known.withId(by.by).path, share: by.share } }),
  };
}

/** By rank of the name, then by score, then by path. */
function bestFiles(known: KnownFiles, found: Found, named: NamedFiles, wanted: number): RankedFile[] {
  const { rows } = known;
  const { index, notes, scores, asked } = found;
  const rankOf = (note: number): number => named.get(index.files[note] as number) ?? 0;
  const byName = named.size === 0 ? notes.subarray(0, 0) : notes.filter((note) => rankOf(note) > 0);
  const others = named.size === 0 ? notes : notes.filter((note) => rankOf(note) === 0);
  const depth = asked === undefined ? wanted : Math.max(wanted, MAX_RAISED);
  const places = Math.max(0, depth - byName.length);
  const { better, tied } = bestOf(others, scores, places);
  const last = firstByPath(rows, index, tied, places - better.length);
  const ranked = [...byName, ...better, ...last].map((note): RankedFile => {
    const score = scores[note] as number;
    return { note, id: index.files[note] as number, bm25: score, score, rank: rankOf(note) };
  });
  const inOrder = sorted(known, ranked);
  if (asked === undefined) return inOrder;
  const raised = raiseNamed(rows, index, inOrder.slice(0, MAX_RAISED), asked);
  return sorted(known, [...raised.map((one) => ({ ...one, rank: rankOf(one.note) })), ...inOrder.slice(MAX_RAISED)]);
}

function sorted(known: KnownFiles, ranked: RankedFile[]): RankedFile[] {
  const compare = (one: RankedFile, other: RankedFile): number => other.rank - one.rank || other.score - one.score;
  const paths = new Map<number, Buffer>();
  const pathOf = ({ id }: RankedFile): Buffer => {
    const path = paths.get(id) ?? Buffer.from(known.withId(id).path);
    paths.set(id, path);
    return path;
  };
  return ranked.sort((one, other) => compare(one, other) || Buffer.compare(pathOf(one), pathOf(other)));
}

/** Only these are made objects of: a word of every note can tie in thousands of them. */
function firstByPath(rows: Rows, { files }: TextIndex, notes: Int32Array, count: number): Int32Array {
  if (notes.length <= count) return notes;
  const among = JSON.stringify(Array.from(notes, (note) => files[note] as number));
  const first = new Set(rows.column<number>(`SELECT id ${IN_PATH_ORDER} LIMIT ?`, among, count));
  return notes.filter((note) => first.has(files[note] as number));
}

const IN_PATH_ORDER = 'FROM files WHERE id IN (SELECT value FROM json_each(?)) ORDER BY path';

function inPathOrder(rows: Rows, files: readonly number[]): number[] {
  return rows.column<number>(`SELECT id ${IN_PATH_ORDER}`, JSON.stringify(files));
}

/** By the id of a file: 1 if an alias or a title is the name, 2 if its file name is, 3 if that is written in the same way. */
type NamedFiles = ReadonlyMap<number, number>;

const BEST_NAME = 3;

/** Names are compared without regard to case. */
function filesWithName(rows: Rows, name: string | undefined): NamedFiles {
  const named = new Map<number, number>();
  if (name === undefined) return named;
  const key = foldName(name);
  const normalized = name.normalize('NFC');
  for (const file of rows.column<number>('SELECT file FROM names WHERE key = ?', key)) named.set(file, 1);
  const keys = [key, ...asNoteFiles(key)];
  const sql = `SELECT id, path FROM files WHERE name_key IN (${keys.map(() => '?')})`;
  for (const { id, path } of rows.all<{ id: number; path: NotePath }>(sql, ...keys)) {
    named.set(id, noteName(path) === normalized ? BEST_NAME : 2);
  }
  return named;
}
