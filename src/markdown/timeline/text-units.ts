// Cuts the body of a note into headings, paragraphs, list items and rows, each with what it is below.
import type { Task } from '../../base/note.ts';
import { scanBlocks } from '../parse/blocks.ts';
import { type Lines, lineIndexAt, splitLines } from '../parse/lines.ts';
import { offsetIn, type Span } from '../parse/text-run.ts';
import { bodyStart } from '../properties/front-matter.ts';

export interface TextUnit extends Span {
  /** First and last line, from 1. */
  readonly lines: readonly [number, number];
  /** The level of a heading; deeper than every heading for a line that is only a date. */
  readonly level?: number;
  readonly task?: Task;
  /** The nearest unit that it is below: a heading, or the list item that it is part of. */
  readonly above?: TextUnit;
}

interface Placed extends Span {
  readonly line: number;
  readonly isCell: boolean;
}

/** Below real headings. */
const DATE_LINE = 7;
const ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]/;
const MAX_DEPTH = 100;

/** What the caller knows of dates. */
export interface DateLines {
  /** Whether a line of a paragraph begins something of its own with its date. */
  readonly begins: (line: string) => boolean;
  /** Whether the text is a date and nothing else, as a heading of what follows. */
  readonly isOnly: (text: string) => boolean;
}

/** In the order of the text. Comments and code are not among them. */
export function textUnits(text: string, dates: DateLines): TextUnit[] {
  const lines = splitLines(text);
  const { runs, headings, tasks } = scanBlocks(text, lines, bodyStart(text, lines).bodyLine);
  const levels = new Map(headings.map(({ line, level }) => [line, level]));
  const byLine = new Map(tasks.map((task) => [task.line, task]));
  const placed = [...runs]
    .filter((run) => run.of !== 'comment' && run.text !== '')
    .map((run) => {
      const from = offsetIn(run, 0);
      const to = offsetIn(run, run.text.length - 1) + 1;
      return { from, to, line: lineIndexAt(lines, from) + 1, isCell: run.of === 'cell' };
    })
    .sort((one, other) => one.from - other.from);
  const outline = new Outline(text, lines);
  for (const span of rowsOf(placed).flatMap((one) => datedLines(one, text, lines, dates))) {
    const level = levels.get(span.line) ?? (dates.isOnly(text.slice(span.from, span.to)) ? DATE_LINE : undefined);
    outline.add(span, level, byLine.get(span.line));
  }
  return outline.units;
}

/** The cells of a row are one. */
function rowsOf(placed: readonly Placed[]): Placed[] {
  const rows: Placed[] = [];
  for (const one of placed) {
    const last = rows.at(-1);
    if (one.isCell && last?.isCell === true && last.line === one.line) rows[rows.length - 1] = { ...last, to: one.to };
    else rows.push(one);
  }
  return rows;
}

/** A paragraph of lines that begin with dates is several. */
function datedLines(one: Placed, text: string, lines: Lines, { begins }: DateLines): Placed[] {
  const parts: Placed[] = [];
  let { from, line } = one;
  for (let next = one.line; (lines.starts[next] ?? one.to) < one.to; next += 1) {
    const [start = 0, end = 0] = [lines.starts[next], lines.ends[next]];
    if (!begins(text.slice(start, end))) continue;
    parts.push({ ...one, from, line, to: lines.ends[next - 1] ?? start });
    [from, line] = [start, next + 1];
  }
  return [...parts, { ...one, from, line }];
}

interface Open {
  readonly unit: TextUnit;
  readonly column: number;
}

/** Knows the open headings and list items. */
class Outline {
  readonly units: TextUnit[] = [];
  readonly #text: string;
  readonly #lines: Lines;
  #headings: TextUnit[] = [];
  #items: Open[] = [];

  constructor(text: string, lines: Lines) {
    this.#text = text;
    this.#lines = lines;
  }

  add({ from, to, line }: Placed, level: number | undefined, task: Task | undefined): void {
    const start = this.#lines.starts[line - 1] ?? from;
    const column = from - start;
    const isItem = ITEM.test(this.#text.slice(start, from));
    if (level !== undefined && !isItem) this.#items = [];
    while ((this.#items.at(-1)?.column ?? -1) >= column) this.#items.pop();
    if (level !== undefined && !isItem) this.#headings = this.#headings.filter((one) => (one.level ?? 0) < level);
    const above = this.#items.at(-1)?.unit ?? this.#headings.at(-1);
    const lines = [line, lineIndexAt(this.#lines, Math.max(from, to - 1)) + 1] as const;
    const unit = {
      from,
      to,
      lines,
      ...(level !== undefined && !isItem && { level }),
      ...(task && { task }),
      ...(above && { above }),
    };
    this.units.push(unit);
    if (unit.level !== undefined) this.#headings.push(unit);
    if (isItem && this.#items.length < MAX_DEPTH) this.#items.push({ unit, column });
  }
}
