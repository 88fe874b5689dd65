// Finds the heading or block that an edit targets; refuses missing and ambiguous ones.
import { type Choice, type InputIssue, VaultgraphError } from '../../base/errors.ts';
import type { Block, Heading } from '../../base/note.ts';
import { nearestParts } from '../links/nearest-parts.ts';
import { type LineSpan, resolvePart } from '../links/section.ts';
import { lineIndexAt } from '../parse/lines.ts';
import { contentEnd, type EditedNote, headingLines, laneEnd, lineAt } from './edited-note.ts';
import { findLookalike } from './lookalike.ts';

/** Lines are 0-based and inclusive. */
export type EditTarget =
  | {
      readonly kind: 'heading';
      readonly heading: Heading;
      readonly first: number;
      readonly last: number;
      readonly sectionEnd: number;
    }
  | { readonly kind: 'block'; readonly block: Block; readonly first: number; readonly last: number };

export interface TargetName {
  /** `#Heading`, `#A#B` or `#^block`; the first `#` is optional. */
  readonly target: string;
  /** The 1-based line on which the target starts, if several match. */
  readonly line?: number | undefined;
  /** The path of the edit in the tool's arguments. */
  readonly at: string;
}

const MAX_CHOICES = 10;
const MAX_HEADINGS = 40;
const MAX_LABEL_LENGTH = 120;

/** @throws EDIT_TARGET_NOT_FOUND, EDIT_TARGET_AMBIGUOUS */
export function locateTarget(edited: EditedNote, name: TargetName): EditTarget {
  const { target: written, line } = name;
  const target = written.startsWith('^') ? `#${written}` : written;
  const { note, lines } = edited;
  // Beyond the end are headings of a plugin, which its caller refuses.
  const part = resolvePart(target, note, contentEnd(edited)) ?? resolvePart(target, note, lines.starts.length);
  const all = part === null ? [] : [part, ...part.others];
  const spans = line === undefined ? all : all.filter((span) => span.line === line);
  const [span, further] = spans;
  if (span === undefined) throw missingTarget(edited, target);
  if (further !== undefined)
    throw ambiguousTarget(
      edited,
      name,
      spans.map((each) => each.line),
    );
  return targetAt(edited, span, target);
}

function targetAt(edited: EditedNote, span: LineSpan, target: string): EditTarget {
  const id = /#\s*\^([^#]*)$/.exec(target)?.[1]?.trim().toLowerCase();
  const isNamed = (each: Block): boolean => each.id.toLowerCase() === id && each.line === span.line;
  const block = edited.note.blocks.find((each) => isNamed(each) && each.endLine === span.endLine);
  if (block !== undefined) return { kind: 'block', block, first: span.line - 1, last: span.endLine - 1 };
  const heading = edited.note.headings.find((each) => each.line === span.line);
  if (heading === undefined) throw missingTarget(edited, target);
  return { kind: 'heading', heading, ...headingLines(edited, heading), sectionEnd: laneEnd(edited, span.endLine - 1) };
}

/** What a target must be: a heading or block, a task, or a text on the given line. */
export type WantedTarget = 'part' | 'task' | 'line';

const MAX_LINES = 5;

function missingTarget({ path, note, text, lines }: EditedNote, target: string): VaultgraphError {
  const title = target.replace(/^#+/, '').trim();
  const matching = linesWith(text, title, lines);
  if (matching.length > 0)
    return new VaultgraphError('EDIT_TARGET_NOT_FOUND', {
      path,
      target: title,
      count: 0,
      found: { wanted: 'part', lines: matching },
    });
  const alike = findLookalike(text, title);
  if (alike !== undefined) return new VaultgraphError('EDIT_TARGET_NOT_FOUND', { path, target, count: 0, alike });
  const outline = note.headings.slice(0, MAX_HEADINGS).map(headingLabel);
  const similar = nearestParts(target, note);
  return new VaultgraphError('EDIT_TARGET_NOT_FOUND', {
    path,
    target,
    count: 0,
    outline,
    ...(similar.length > 0 && { similar }),
  });
}

/** The first lines on which the text begins. */
function linesWith(text: string, sought: string, lines: EditedNote['lines']): readonly number[] {
  const rows = new Set<number>();
  let at = sought === '' ? -1 : text.indexOf(sought);
  while (at !== -1 && rows.size < MAX_LINES) {
    rows.add(lineIndexAt(lines, at) + 1);
    at = text.indexOf(sought, at + sought.length);
  }
  return [...rows];
}

function headingLabel({ level, text }: Heading): string {
  return `${'#'.repeat(level)} ${text}`;
}

/**
 * Offers the lines that contain the target as often as expected.
 * @param rows the 1-based line of each occurrence
 */
export function ambiguousTarget(edited: EditedNote, { target, at }: TargetName, rows: readonly number[], expected = 1) {
  const { path } = edited;
  const times = new Map<number, number>();
  for (const line of rows) times.set(line, (times.get(line) ?? 0) + 1);
  const items = [...times].flatMap(([line, count]): Choice[] =>
    count === expected ? [{ value: String(line), path, line, label: lineLabel(edited, line) }] : [],
  );
  const lines = [...times.keys()].slice(0, MAX_CHOICES);
  const choices = { items: items.slice(0, MAX_CHOICES), total: items.length, retryWith: `${at}.line` };
  const details = { path, target, count: rows.length, expected, lines };
  return new VaultgraphError('EDIT_TARGET_AMBIGUOUS', details, items.length === 0 ? {} : { choices });
}

/** The line's text, shortened for a list of choices. */
function lineLabel(edited: EditedNote, line: number): string {
  const text = lineAt(edited, line - 1).trim();
  return text.length <= MAX_LABEL_LENGTH ? text : `${text.slice(0, MAX_LABEL_LENGTH).toWellFormed()}…`;
}

const ACCEPTED = {
  edit_note: ['note', 'edits', 'create', 'if_match', 'confirm', 'dry_run', 'plan_id', 'detail'],
  set_properties: [
    ...['note', 'notes', 'filter', 'set', 'remove', 'add_tags', 'remove_tags', 'add_aliases', 'remove_aliases'],
    ...['if_match', 'confirm', 'dry_run', 'plan_id', 'detail'],
  ],
} as const;

/** @param at the path in the arguments, such as `edits.0.text` */
export function editRefusal(tool: keyof typeof ACCEPTED, at: string, rule: string): VaultgraphError<'INVALID_INPUT'> {
  const issue: InputIssue = { path: at, rule };
  return new VaultgraphError('INVALID_INPUT', { tool, issues: [issue], accepted: ACCEPTED[tool] });
}
