// Finds the passages of a note that are about something, each with the date that is nearest to it.
import { partitionPoint } from '../../base/binary-search.ts';
import type { NotePath } from '../../base/note.ts';
import { hasOwnWords, type WeighedTerm } from '../chunk/rated-spans.ts';
import { everyLanguage, type Language } from '../dates/moment-language.ts';
import {
  isoOf,
  type PlainDate,
  type Precision,
  plainDate,
  precisionOf,
  resolvedYear,
  spanOf,
} from '../dates/written/plain-date.ts';
import { type WrittenDate, type WrittenIn, writtenDates } from '../dates/written/written-dates.ts';
import { writtenIn } from '../dates/written/written-language.ts';
import { HeldTerms } from '../excerpt/held-terms.ts';
import { endsSentence, showWindow, windowAround } from '../excerpt/sentence.ts';
import { findTerms, type TermMatch } from '../excerpt/term-matches.ts';
import { splitLines } from '../parse/lines.ts';
import { taskDays, taskStatus } from '../parse/task.ts';
import type { Span } from '../parse/text-run.ts';
import { readFrontMatter } from '../properties/front-matter.ts';
import { type DateOfNote, dateOfNote, propertyPassages } from './note-dates.ts';
import { type TextUnit, textUnits } from './text-units.ts';

/** Where a date comes from, the weakest last. */
export type DateKind = 'text' | 'task' | 'heading' | 'property' | 'name' | 'file';

export interface NoteToDate {
  readonly path: NotePath;
  readonly title: string;
  /** The text as its user sees it. */
  readonly text: string;
  /** Passages on these lines, whatever their words, and what they weigh at least. */
  readonly lines?: readonly number[];
  readonly lineWeight?: number;
  /** The date of the file, for what has no other. */
  readonly fileDate?: string;
}

export interface DatedPassage {
  readonly lines: readonly [number, number];
  readonly text: string;
  readonly heading?: string;
  readonly date: string;
  /** The last of a range. */
  readonly until?: string;
  readonly precision: Precision;
  readonly by: DateKind;
  /** Where the year comes from, if the passage writes its day only. */
  readonly yearBy?: DateKind;
  /** Which day of a task it is. */
  readonly task?: string;
  /** The date of the note, where that is another one. */
  readonly noteDate?: string;
  /** The first moment, and the first one after it, as texts that sort by time. */
  readonly start: string;
  readonly end: string;
  readonly weight: number;
}

export interface NoteInTime {
  /** With the most terms first; without terms in the order of the note. */
  readonly passages: readonly DatedPassage[];
  /** How many passages have a date, and how many have none. */
  readonly dated: number;
  readonly undated: number;
}

export interface PassagesToDate {
  readonly notes: readonly NoteToDate[];
  /** Without terms, every passage counts. */
  readonly terms: readonly WeighedTerm[];
  /** The language that the vault's config names. */
  readonly language?: string;
}

/** More passages of one note are counted only. */
const MAX_PASSAGES = 200;
const MAX_TEXT = 300;
/** A passage under a heading with the terms is about them, and less so one of a note that is called so. */
const HEADING_SHARE = 0.5;
const TITLE_SHARE = 0.25;
/** A passage that is only a link says little. */
const LINK_SHARE = 0.25;

export async function datedPassages(
  note: NoteToDate,
  { terms, language }: Omit<PassagesToDate, 'notes'>,
): Promise<NoteInTime> {
  return new DatedNote(note, terms, await everyLanguage(), language).read();
}

type DateView = Omit<DatedPassage, 'lines' | 'text' | 'heading' | 'weight'>;

interface Dated {
  readonly date: PlainDate;
  readonly until?: PlainDate | undefined;
  readonly by: DateKind;
  readonly yearBy?: DateKind | undefined;
  readonly task?: string;
}

class DatedNote {
  readonly #note: NoteToDate;
  readonly #terms: readonly WeighedTerm[];
  readonly #languages: readonly Language[];
  readonly #setting: string | undefined;
  readonly #readable: string;
  readonly #ofNote: DateOfNote | undefined;
  readonly #headingDates = new Map<TextUnit, Dated | undefined>();
  readonly #units: readonly TextUnit[];
  #matches: readonly TermMatch[] = [];

  constructor(note: NoteToDate, terms: readonly WeighedTerm[], languages: readonly Language[], setting?: string) {
    this.#note = { ...note, text: note.text.normalize('NFC') };
    this.#terms = terms;
    this.#languages = languages;
    this.#setting = setting;
    this.#readable = readableText(this.#note.text);
    const { properties } = readFrontMatter(this.#note.text, splitLines(this.#note.text));
    const noteDate = dateOfNote(note.path, properties, (text) => this.#written(text));
    const ofFile = note.fileDate === undefined ? undefined : { date: plainDate(note.fileDate), by: 'file' as const };
    this.#ofNote = noteDate ?? ofFile;
    this.#units = textUnits(this.#note.text, {
      begins: (line) => this.#begins(line),
      isOnly: (text) => this.#isOnly(text),
    });
    if (terms.length > 0) this.#matches = findTerms(withoutTargets(this.#note.text), terms);
  }

  read(): NoteInTime {
    const passages: DatedPassage[] = [];
    let undated = 0;
    let isNoteShown = false;
    for (const unit of this.#units) {
      const weight = this.#weightOf(unit);
      if (weight === undefined) continue;
      const sentence = this.#bestSentence(unit);
      const dated = this.#dateOf(unit, sentence);
      if (dated === undefined) undated += 1;
      // A note about a day is shown once where nothing is asked for.
      const isOfNote = dated?.by === 'property' || dated?.by === 'name' || dated?.by === 'file';
      if (dated === undefined || (isOfNote && isNoteShown && this.#isUnasked)) continue;
      isNoteShown ||= isOfNote;
      passages.push(this.#passage(unit, sentence, dated, weight));
    }
    passages.push(...this.#propertyPassages());
    const sorted = this.#terms.length === 0 ? passages : passages.toSorted((one, other) => other.weight - one.weight);
    return { passages: sorted.slice(0, MAX_PASSAGES), dated: passages.length, undated };
  }

  #language: WrittenIn | undefined;

  #written(text: string): WrittenDate[] {
    if (!HAS_NUMBER.test(text)) return [];
    this.#language ??= writtenIn(this.#note.text, this.#setting);
    return writtenDates(text, this.#languages, this.#language);
  }

  get #isUnasked(): boolean {
    return this.#terms.length === 0 && this.#note.lines === undefined;
  }

  /** Undefined for a unit that is about something else. */
  #weightOf(unit: TextUnit): number | undefined {
    const { lines, lineWeight = 1 } = this.#note;
    const isOnLine = lines?.some((line) => line >= unit.lines[0] && line <= unit.lines[1]) === true;
    if (this.#terms.length > 0) return this.#weightOfTerms(unit, isOnLine ? lineWeight : 0);
    if (lines !== undefined) return isOnLine ? lineWeight : undefined;
    return unit.level === undefined ? 0 : undefined;
  }

  /** @param least what it weighs without any term */
  #weightOfTerms(unit: TextUnit, least: number): number | undefined {
    const isLink = !hasOwnWords(this.#readable.slice(unit.from, unit.to));
    const weight = this.#held(this.#matchesIn(unit)) * (isLink ? LINK_SHARE : 1);
    const around = HEADING_SHARE * this.#headingWeight(unit) + TITLE_SHARE * this.#titleWeight;
    // A heading stands for what is below it.
    if (weight > 0 || least > 0)
      return unit.level === undefined ? Math.max(least, weight + around) : weight * HEADING_SHARE;
    return around > 0 && unit.level === undefined && this.#ownDate(unit, unit) !== undefined ? around : undefined;
  }

  #headingWeight(unit: TextUnit): number {
    let most = 0;
    for (let above = unit.above; above !== undefined; above = above.above)
      most = Math.max(most, this.#held(this.#matchesIn(above)));
    return most;
  }

  #title: number | undefined;

  get #titleWeight(): number {
    this.#title ??= this.#held(findTerms(this.#note.title.normalize('NFC'), this.#terms));
    return this.#title;
  }

  #held(matches: readonly TermMatch[]): number {
    const sum = new HeldTerms((term) => this.#terms[term]?.weight ?? 0);
    for (const match of matches) sum.add(match);
    return sum.weight;
  }

  #matchesIn({ from, to }: Span): readonly TermMatch[] {
    const first = partitionPoint(this.#matches.length, (at) => (this.#matches[at]?.from ?? 0) < from);
    const last = partitionPoint(this.#matches.length, (at) => (this.#matches[at]?.from ?? 0) < to);
    return this.#matches.slice(first, last);
  }

  /** The sentence with the most terms; of equals the first. */
  #bestSentence(unit: TextUnit): Span {
    // A text without numbers has no date of its own: the sentence decides only what of a long passage is shown.
    if (unit.to - unit.from <= MAX_TEXT && !HAS_NUMBER.test(this.#readable.slice(unit.from, unit.to))) return unit;
    const all = sentencesOf(this.#note.text, unit);
    let [best, most] = [all[0] ?? unit, -1];
    for (const sentence of all) {
      const weight = this.#held(this.#matchesIn(sentence));
      if (weight > most) [best, most] = [sentence, weight];
    }
    return best;
  }

  #dateOf(unit: TextUnit, sentence: Span): Dated | undefined {
    return this.#taskDate(unit) ?? this.#ownDate(unit, sentence) ?? this.#dateAbove(unit) ?? this.#ofNote;
  }

  #taskDate({ task }: TextUnit): Dated | undefined {
    if (task === undefined) return undefined;
    const days = taskDays(task.text);
    const fields = taskStatus(task.mark) === 'open' ? OPEN_TASK : CLOSED_TASK;
    const field = fields.find((name) => days[name] !== undefined);
    const day = field && days[field];
    return day === undefined ? undefined : { date: plainDate(day), by: 'task', task: field as string };
  }

  /** The date in its text that is nearest to the terms: first those of the sentence. */
  #ownDate(unit: TextUnit, sentence: Span): Dated | undefined {
    const dates = this.#datesIn(unit).flatMap((written) => {
      const dated = this.#withYear(written, unit);
      return dated === undefined ? [] : [{ written, dated }];
    });
    const inside = dates.filter(({ written }) => written.from >= sentence.from && written.to <= sentence.to);
    const near = inside.length > 0 ? inside : dates;
    const places = this.#matchesIn(sentence);
    const distance = ({ written }: (typeof dates)[number]): number =>
      Math.min(...places.map(({ from, to }) => Math.max(written.from - to, from - written.to, 0)), Number.MAX_VALUE);
    return near.toSorted((one, other) => distance(one) - distance(other))[0]?.dated;
  }

  /** Offsets in the note. */
  #datesIn({ from, to }: Span): WrittenDate[] {
    const text = this.#readable.slice(from, Math.min(to, from + MAX_SCANNED));
    const dates = this.#written(text);
    return dates.map((one) => ({ ...one, from: from + one.from, to: from + one.to }));
  }

  #withYear({ date, until }: WrittenDate, unit: TextUnit): Dated | undefined {
    if (date.year !== undefined) return { date, until, by: 'text' };
    const around = [this.#dateAbove(unit), this.#ofNote?.by === 'file' ? undefined : this.#ofNote];
    for (const one of around) {
      const year = one && resolvedYear(date, one.date);
      if (year === undefined) continue;
      const last = until && { ...until, year };
      return { date: { ...date, year }, until: last, by: 'text', yearBy: one?.by };
    }
    return undefined;
  }

  /** The date of the nearest heading that has one, or of the list item around it that begins with one. */
  #dateAbove({ above }: TextUnit): Dated | undefined {
    for (let unit = above; unit !== undefined; unit = unit.above) {
      const dated = this.#dateOfHeading(unit);
      if (dated !== undefined) return dated;
    }
    return undefined;
  }

  #dateOfHeading(unit: TextUnit): Dated | undefined {
    if (this.#headingDates.has(unit)) return this.#headingDates.get(unit);
    const dated = this.#readHeading(unit);
    this.#headingDates.set(unit, dated);
    return dated;
  }

  #readHeading(unit: TextUnit): Dated | undefined {
    const isHeading = unit.level !== undefined;
    const text = this.#readable.slice(unit.from, unit.to).trim();
    if (isHeading && YEAR_ALONE.test(text)) return { date: { year: Number(text.match(/\d{4}/)?.[0]) }, by: 'heading' };
    const first = this.#datesIn(unit).find(({ from }) => isHeading || from - unit.from <= MAX_BEFORE_DATE);
    const dated = first && this.#withYear(first, unit);
    return dated && isHeading ? { ...dated, by: 'heading' } : dated;
  }

  #begins(line: string): boolean {
    if (!MAY_BEGIN.test(line)) return false;
    const [first] = this.#written(readableText(line.slice(0, MAX_LINE)));
    return first !== undefined && !/[\p{L}\p{N}]/u.test(line.slice(0, first.from));
  }

  #isOnly(text: string): boolean {
    if (text.length > MAX_LINE || text.includes('\n') || !/\p{N}/u.test(text)) return false;
    const readable = readableText(text);
    const [first, second] = this.#written(readable);
    if (first === undefined || second !== undefined) return false;
    const rest = readable.slice(0, first.from) + readable.slice(first.to);
    return (rest.match(/[\p{L}\p{M}\p{N}]+/gu)?.length ?? 0) <= 1;
  }

  #passage(unit: TextUnit, sentence: Span, dated: Dated, weight: number): DatedPassage {
    const [place = { from: sentence.from, to: sentence.from }] = this.#matchesIn(sentence);
    const text = this.#note.text.slice(unit.from, unit.to);
    const window = windowAround(text, place.from - unit.from, Math.min(place.to, unit.to) - unit.from, MAX_TEXT);
    const heading = this.#headingOf(unit);
    return {
      lines: unit.lines,
      text: showWindow(text, window),
      ...(heading !== undefined && { heading }),
      ...this.#dateView(dated),
      weight,
    };
  }

  #headingOf(unit: TextUnit): string | undefined {
    let above = unit.above;
    while (above !== undefined && above.level === undefined) above = above.above;
    return above && this.#note.text.slice(above.from, above.to).replace(/\s+/g, ' ').slice(0, MAX_LINE);
  }

  readonly #dateViews = new Map<Dated, DateView>();

  /** Most passages have the date of their note. */
  #dateView(dated: Dated): DateView {
    const view = this.#dateViews.get(dated) ?? this.#makeDateView(dated);
    this.#dateViews.set(dated, view);
    return view;
  }

  #makeDateView({ date, until, by, yearBy, task }: Dated): DateView {
    const iso = isoOf(date);
    const noteDate = this.#ofNote && this.#ofNote.by !== 'file' ? isoOf(this.#ofNote.date) : undefined;
    return {
      date: iso,
      ...(until && { until: isoOf(until) }),
      precision: precisionOf(date),
      by,
      ...(yearBy && { yearBy }),
      ...(task !== undefined && { task }),
      ...(noteDate !== undefined && noteDate !== iso && { noteDate }),
      start: spanOf(date).start,
      end: spanOf(until ?? date).end,
    };
  }

  #propertyPassages(): DatedPassage[] {
    if (this.#note.lines !== undefined) return [];
    return propertyPassages(this.#note.text).flatMap(({ line, text, value }) => {
      if (!this.#isOnly(value)) return [];
      const weight = this.#terms.length === 0 ? 0 : this.#held(findTerms(text.normalize('NFC'), this.#terms));
      if (this.#terms.length > 0 && weight === 0) return [];
      const [first] = this.#written(text).filter(({ date }) => date.year !== undefined);
      if (first === undefined) return [];
      const dated = { date: first.date, until: first.until, by: 'property' as const };
      return [
        {
          lines: [line, line] as const,
          text,
          ...this.#dateView(dated),
          weight: weight + TITLE_SHARE * (this.#terms.length === 0 ? 0 : this.#titleWeight),
        },
      ];
    });
  }
}

const OPEN_TASK = ['due', 'scheduled', 'start', 'created'] as const;
const CLOSED_TASK = ['done', 'cancelled', ...OPEN_TASK] as const;
/** A longer paragraph is no passage. */
const MAX_SCANNED = 20_000;
const MAX_LINE = 200;
const HAS_NUMBER = /[\p{N}〇一二三四五六七八九十]/u;
const YEAR_ALONE = /^\P{L}{0,4}(?<!\d)(?:1[5-9]|20)\d\d\P{L}{0,4}$/u;
/** How many characters an item may have before the date that is that of the items below it. */
const MAX_BEFORE_DATE = 16;
const MAY_BEGIN = /^[\s>*_[(~-]*(?:\p{N}|\p{L}{1,20}\.? ?\p{N})/u;

function sentencesOf(text: string, { from, to }: Span): Span[] {
  const most = Math.min(to, from + MAX_SCANNED);
  const spans: Span[] = [];
  let start = from;
  for (let at = from + 1; at < most; at += 1) {
    if (!endsSentence(text, at)) continue;
    spans.push({ from: start, to: at });
    start = at;
  }
  return [...spans, { from: start, to }];
}

type Hidden = readonly (readonly [sign: string, RegExp])[];

/** Embedded files, addresses and the targets of links; each with a sign without which it does not match. */
const TARGETS: Hidden = [
  ['![', /!\[\[[^[\]\n]{1,1000}\]\]|!\[[^[\]\n]{0,1000}\](?:\([^()\n]*\))?/g],
  ['://', /:\/\/\S+/g],
  ['www.', /\bwww\.\S+/g],
  ['](', /\]\([^()\n]*\)/g],
];
const LINK = '[[';
/** Code, tags of HTML, and the folders of links. */
const SIGNS: Hidden = [
  ['`', /(?<!`)(`{1,3})(?!`)[^`\n]*\1/g],
  ['<', /<[^<>\n]{1,1000}>/g],
  [LINK, /\[\[[^[\]|#\n]{1,400}\//g],
];

/** Blanks of the same length: every offset stays the same. The brackets of a link stay, too. */
const blanked = (text: string, hidden: Hidden): string =>
  hidden.reduce((left, [sign, pattern]) => {
    const mark = sign === LINK ? LINK : '';
    return left.includes(sign) ? left.replace(pattern, (match) => mark.padEnd(match.length)) : left;
  }, text);

/** What a text says in words. */
const withoutTargets = (text: string): string => blanked(text, TARGETS);

/** What can have dates. */
const readableText = (text: string): string => blanked(withoutTargets(text), SIGNS);
