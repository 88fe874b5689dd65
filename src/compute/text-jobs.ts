// The jobs that read or edit the text of one note.
import {
  fileKindOf,
  type Heading,
  type Link,
  type NotePath,
  type ParsedNote,
  type PropertyChanges,
} from '../base/note.ts';
import { letOthersRun } from '../base/threads/turns.ts';
import type { Job } from '../contracts/compute.ts';
import { bestChunks, type ChunksToRate } from '../markdown/chunk/halves.ts';
import { type PartToCut, promptSections } from '../markdown/chunk/prompt-sections.ts';
import { ratedSpans, type SpansToRate } from '../markdown/chunk/rated-spans.ts';
import type { ConflictQuery } from '../markdown/claims/conflicts.ts';
import { editCanvas } from '../markdown/edit/canvas.ts';
import { lostParts } from '../markdown/edit/check.ts';
import { setProperties } from '../markdown/edit/fields.ts';
import { findLookalike } from '../markdown/edit/lookalike.ts';
import { mergedTexts, type NotesToMerge } from '../markdown/edit/merge.ts';
import { editNote, type NoteEdit } from '../markdown/edit/note.ts';
import type { TextToReplace } from '../markdown/edit/replace-text.ts';
import type { TaskDates } from '../markdown/edit/task.ts';
import { boundedDiff, briefDiff, type FileDifference } from '../markdown/edit/unified-diff.ts';
import type { WeightedTerm } from '../markdown/excerpt/excerpt.ts';
import { leftoversIn } from '../markdown/excerpt/leftovers.ts';
import { type QuotesToFind, quotePlaces } from '../markdown/excerpt/quote-places.ts';
import { type Snippet, type SnippetSource, snippetOf } from '../markdown/excerpt/snippet.ts';
import { followLinks } from '../markdown/links/follow-links.ts';
import { insertLinks, type LinksToInsert } from '../markdown/links/insert-links.ts';
import { locatePart } from '../markdown/links/locate-part.ts';
import { firstMentions, type MentionsToFind, mentionsWithin } from '../markdown/links/mentions.ts';
import { type LinksToFind, movedPlaces } from '../markdown/links/moved-places.ts';
import type { ReferencePart } from '../markdown/links/reference.ts';
import { type LinksToRetarget, retargetLinks } from '../markdown/links/retarget-links.ts';
import { rewriteSubpaths, type SubpathChange } from '../markdown/links/rewrite-subpaths.ts';
import type { LineSpan } from '../markdown/links/section.ts';
import { type ComparedTexts, compareParsed, compareTexts } from '../markdown/links/text-names.ts';
import { baseBlocks } from '../markdown/parse/base-blocks.ts';
import { canvasOutline } from '../markdown/parse/canvas-outline.ts';
import { parseContent } from '../markdown/parse/parse-content.ts';
import { parseNote } from '../markdown/parse/parse-note.ts';
import { hiddenData, lineCountOfFile, shownAs, shownHeadings } from '../markdown/parse/shown-text.ts';
import { editProperties } from '../markdown/properties/edit-properties.ts';
import type { TagRename } from '../markdown/properties/tag-name.ts';
import { renameTags } from '../markdown/properties/tag-rename.ts';
import { tagSpellings } from '../markdown/properties/tag-spellings.ts';
import { datedPassages, type NoteInTime, type PassagesToDate } from '../markdown/timeline/dated-passages.ts';

export const job = <Input, Output>(one: Job<Input, Output>): Job<Input, Output> => Object.freeze(one);

/** Hands over an input that the caller continues to use. */
export const copied = <Input>(input: Input) => ({ input, transfer: [] });

/** Texts of this many characters together are parsed, edited and parsed again in some ten milliseconds. */
const SMALL_TEXT = 64 * 1024;

/** A job whose cost is that of the texts in its input. */
function textJob<Input, Output>(run: (input: Input) => Output, textsOf: (input: Input) => readonly string[]) {
  const isSmall = (input: Input): boolean => textsOf(input).reduce((sum, { length }) => sum + length, 0) <= SMALL_TEXT;
  return job<Input, Output>({ run, isSmall, handOver: copied, buffersOf: () => [] });
}

interface Edits {
  readonly path: string;
  readonly text: string;
  readonly edits: readonly NoteEdit[];
  readonly taskDates?: TaskDates | undefined;
}

interface PropertyEdits {
  readonly path: string;
  readonly text: string;
  readonly changes: PropertyChanges;
}

/** To parse YAML takes so many times as long as to parse text. */
const YAML_TIMES = 8;

/** Each change of a property parses all of them again. */
function parsedForEach({ text, changes }: PropertyEdits): readonly string[] {
  const { set = {}, ...lists } = changes;
  const count = Object.values(lists).reduce((sum, list) => sum + (list?.length ?? 0), Object.keys(set).length);
  return Array.from({ length: YAML_TIMES * Math.max(1, count) }, () => text);
}

interface TagInText {
  readonly path: string;
  readonly text: string;
  readonly rename: TagRename;
}

interface LinksToChange {
  readonly path: string;
  readonly text: string;
  readonly changes: readonly SubpathChange[];
}

interface PartsToFind {
  readonly path: NotePath;
  readonly before: string;
  readonly after: string;
  readonly subpaths: readonly string[];
}

interface Differences {
  readonly files: readonly FileDifference[];
  readonly longest: number;
}

const movable = (bytes: Uint8Array | undefined): ArrayBuffer[] =>
  bytes !== undefined && bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer as ArrayBuffer] : [];

interface Rows {
  readonly path: NotePath;
  readonly text: string;
  readonly of: 'headings' | 'links';
  readonly span: LineSpan;
  readonly from: number;
  readonly limit: number;
}

/** Those on the lines, from one on; how many there are on the lines, and the number of the first one among all of the note. */
function rowsWithin({ path, text, of, span, from, limit }: Rows) {
  const all: readonly (Heading | Link)[] = of === 'headings' ? shownHeadings(path, text) : parseContent(path, text)[of];
  const within = all.filter(({ line }) => line >= span.line && line <= span.endLine);
  const rows = within.slice(from, from + limit);
  return { rows, total: within.length, first: rows[0] === undefined ? 0 : all.indexOf(rows[0]) };
}

interface Cards {
  readonly text: string;
  readonly span: LineSpan;
  readonly limit: number;
}

/** The first cards of a canvas that have an id and lines in the span, and how many there are. */
function cardsWithin({ text, span, limit }: Cards) {
  const { cards } = canvasOutline(text);
  const within = cards.filter(({ id, line, endLine }) => id !== '' && endLine >= span.line && line <= span.endLine);
  return { rows: within.slice(0, limit), total: within.length };
}

interface Outlined {
  readonly path: NotePath;
  readonly text: string;
  readonly parts: readonly (keyof ParsedNote)[];
}

function outlineOf({ path, text, parts }: Outlined): Partial<ParsedNote> {
  const parsed = parseContent(path, text);
  return Object.fromEntries(parts.map((part) => [part, parsed[part]]));
}

interface NamedPart {
  readonly path: NotePath;
  readonly text: string;
  readonly part: ReferencePart;
  readonly argument: string;
}

function locate({ path, text, part, argument }: NamedPart): LineSpan {
  return locatePart(
    { path, outline: parseContent(path, text), lineCount: lineCountOfFile(path, text) },
    part,
    argument,
  );
}

export const textJobs = Object.freeze({
  rows_within: textJob(rowsWithin, ({ text }) => [text]),
  cards: textJob(cardsWithin, ({ text }) => [text]),
  outline: textJob(outlineOf, ({ text }) => [text]),
  locate: textJob(locate, ({ text }) => [text]),
  base_blocks: textJob(
    ({ text }: { readonly text: string }) => baseBlocks(text),
    ({ text }) => [text],
  ),
  shown: textJob(shownAs, ({ text }) => [text]),
  hidden: textJob(
    ({ path, text }: { readonly path: string; readonly text: string }) => hiddenData(path, text),
    ({ text }) => [text],
  ),
  edit: textJob(
    ({ path, text, edits, taskDates }: Edits) => {
      if (fileKindOf(path) === 'canvas') {
        const { text: after, facts } = editCanvas(path, text, edits, taskDates);
        return { text: after, facts, changes: compareTexts({ path, before: text, after }) };
      }
      const { text: after, parsed } = editNote(path, text, edits, taskDates);
      return { text: after, facts: {}, changes: compareParsed(parsed.before, parsed.after) };
    },
    ({ text }) => [text],
  ),
  properties: textJob(({ path, text, changes }: PropertyEdits) => editProperties(path, text, changes), parsedForEach),
  /** Inline fields too. */
  all_properties: textJob(
    ({ path, text, changes }: PropertyEdits) => setProperties(path, text, changes),
    parsedForEach,
  ),
  rename_tag: textJob(
    ({ path, text, rename }: TagInText) => {
      const renamed = renameTags(path, text, rename);
      return { ...renamed, spellings: tagSpellings(path, renamed.text, rename) };
    },
    ({ text }) => [text],
  ),
  merge: textJob(mergedTexts, ({ text, sources }: NotesToMerge) => [text, ...sources.map((source) => source.text)]),
  compare_texts: textJob(compareTexts, ({ before = '', after }: ComparedTexts) => [before, after]),
  subpaths: textJob(
    ({ path, text, changes }: LinksToChange) => rewriteSubpaths(path, text, changes),
    ({ text }) => [text],
  ),
  retarget: textJob(retargetLinks, ({ text }: LinksToRetarget) => [text]),
  replace: job({
    // Imported here, so that the main thread never loads the engine.
    run: async (input: TextToReplace) => (await import('../markdown/edit/replace-text.ts')).replaceText(input),
    // Never inline: a search can be aborted only by ending its thread.
    isSmall: () => false,
    handOver: copied,
    buffersOf: () => [],
  }),
  lookalike: textJob(
    ({ text, passage }: { readonly text: string; readonly passage: string }) => findLookalike(text, passage),
    ({ text }) => [text],
  ),
  lost_parts: textJob(
    ({ path, before, after, subpaths }: PartsToFind) => lostParts(path, before, after, subpaths),
    ({ before, after }) => [before, after],
  ),
  diff: textJob(
    ({ files, longest }: Differences) => boundedDiff(files, longest),
    ({ files }) => files.flatMap(({ before = '', after = '' }) => [before, after]),
  ),
  brief_diff: textJob(
    ({ files, maxLines }: Omit<Differences, 'longest'> & { readonly maxLines: number }) => briefDiff(files, maxLines),
    ({ files }) => files.flatMap(({ before = '', after = '' }) => [before, after]),
  ),
  moved_places: textJob(movedPlaces, ({ text }: LinksToFind) => [text]),
  mentions: textJob(mentionsWithin, ({ text }: MentionsToFind) => [text]),
  names: textJob(
    ({ text, names }: Pick<MentionsToFind, 'text' | 'names'>) => firstMentions(text, names),
    ({ text }) => [text],
  ),
  tasks: textJob(
    ({ text }: Pick<MentionsToFind, 'text'>) => parseNote(text).tasks,
    ({ text }) => [text],
  ),
  leftovers: textJob(leftoversIn, ({ text }) => [text]),
  conflicts: job({
    // Imported here, so that the main thread never loads the names of months for it.
    run: async (input: ConflictQuery) => (await import('../markdown/claims/conflicts.ts')).conflictsAmong(input),
    isSmall: () => false,
    handOver: copied,
    buffersOf: () => [],
  }),
  sections: textJob(promptSections, ({ text }: PartToCut) => [text]),
  chunks: textJob(bestChunks, (input: ChunksToRate) => input.notes.map(({ text }) => text)),
  quotes: textJob(quotePlaces, ({ text }: QuotesToFind) => [text]),
  insert: textJob(insertLinks, ({ text }: LinksToInsert) => [text]),
  follow: job({
    run: followLinks,
    // Never inline: it would index the paths of the whole vault for one file.
    isSmall: () => false,
    handOver: copied,
    buffersOf: (followed: ReturnType<typeof followLinks>) => movable(followed?.file.changed?.bytes),
  }),
});

// Picks what to show of found notes: snippets and passages. Long texts are read on the compute thread.

export interface SnippetsToPick {
  readonly hits: readonly SnippetSource[];
  readonly terms: readonly WeightedTerm[];
  readonly maxChars: number;
}

/** Texts of this many characters together are read in some ten milliseconds, less than the start of a thread. */
const SMALL_SNIPPETS = 200_000;
const SMALL_PASSAGES = 40_000;
/** The length of a note after which others may run. */
const SMALL_NOTE = 20_000;

/** In the order of the hits. */
export function pickSnippets({ hits, terms, maxChars }: SnippetsToPick): Promise<readonly Snippet[]> {
  return ofEach(hits, (hit) => snippetOf(hit, terms, maxChars));
}

export function areSmallSnippets({ hits }: { readonly hits: readonly { readonly text: string }[] }): boolean {
  return hits.reduce((sum, { text }) => sum + text.length, 0) <= SMALL_SNIPPETS;
}

/** For each text the spans of its passages. */
export function pickPassages(texts: readonly SpansToRate[]) {
  return ofEach(texts, ratedSpans);
}

/** A small job runs on the thread of its caller, where other calls wait for it. */
async function ofEach<Item, Result>(items: readonly Item[], pick: (item: Item) => Result): Promise<readonly Result[]> {
  const picked: Result[] = [];
  for (const item of items) {
    picked.push(pick(item));
    await letOthersRun();
  }
  return picked;
}

/** For each note, in their order. */
export async function datePassages({ notes, ...asked }: PassagesToDate): Promise<readonly NoteInTime[]> {
  const dated: NoteInTime[] = [];
  for (const note of notes) {
    dated.push(await datedPassages(note, asked));
    await letOthersRun();
  }
  return dated;
}

/** Together a text of snippets, in notes of some milliseconds each. */
export function areSmallToDate(notes: PassagesToDate['notes']): boolean {
  return notes.every(({ text }) => text.length <= SMALL_NOTE) && areSmallSnippets({ hits: notes });
}

export function areSmallPassages(texts: readonly SpansToRate[]): boolean {
  return texts.reduce((sum, { text }) => sum + text.length, 0) <= SMALL_PASSAGES;
}
