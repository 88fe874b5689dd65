// Compares two versions of a note by the hashes of their lines: how many were added and removed, and in which sections.
import type { Heading } from '../../../base/note.ts';
import type { NoteLines } from '../../../contracts/change-set.ts';
import type { LineChange, SectionChange } from '../../../contracts/feed.ts';

/** Each with its first line, ascending. */
export type Sections = readonly (readonly [line: number, label: string])[];

export interface SectionedLines {
  readonly hashes: Int32Array;
  readonly sections: Sections;
}

const PROPERTIES = '(properties)';
const BEGINNING = '(beginning)';
const MAX_LABEL = 300;

export function sectionsOf(headings: readonly Heading[], { bodyLine }: NoteLines): Sections {
  const above: Heading[] = [];
  const begin = bodyLine > 1 ? [[1, PROPERTIES] as const] : [];
  const sections = headings.map((heading) => {
    while ((above.at(-1)?.level ?? 0) >= heading.level) above.pop();
    above.push(heading);
    const label = above.map(({ text }) => text).join(' > ');
    return [heading.line, label.slice(0, MAX_LABEL)] as const;
  });
  return [...begin, [bodyLine, BEGINNING], ...sections];
}

const MAX_SECTIONS = 20;

export function compareLines(before: SectionedLines, now: SectionedLines): LineChange {
  const { removed, added } = differingLines(before.hashes, now.hashes);
  const sections = new Map<string, { heading: string; added: number; removed: number }>();
  const count = ({ sections: all }: SectionedLines, lines: readonly number[], side: 'added' | 'removed'): void => {
    const keys = keysOf(all);
    for (const line of lines) {
      const at = sectionAt(all, line + 1);
      const key = keys[at] ?? '';
      const entry = sections.get(key) ?? { heading: all[at]?.[1] ?? BEGINNING, added: 0, removed: 0 };
      entry[side] += 1;
      sections.set(key, entry);
    }
  };
  count(now, added, 'added');
  count(before, removed, 'removed');
  const order = new Map(keysOf(now.sections).map((key, at) => [key, at]));
  const placeOf = (key: string): number => order.get(key) ?? order.size;
  const sorted = [...sections].sort(([one], [other]) => placeOf(one) - placeOf(other));
  const shown = sorted.slice(0, MAX_SECTIONS).map(([, section]): SectionChange => section);
  return { added: added.length, removed: removed.length, sections: shown, sectionCount: sorted.length };
}

/** Sections with the same label differ by their number. */
function keysOf(sections: Sections): readonly string[] {
  const seen = new Map<string, number>();
  return sections.map(([, label]) => {
    const number = seen.get(label) ?? 0;
    seen.set(label, number + 1);
    return `${number} ${label}`;
  });
}

function sectionAt(sections: Sections, line: number): number {
  let [low, high] = [0, sections.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sections[middle]?.[0] ?? 0) <= line) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

interface Differences {
  /** Indexes in the old lines. */
  readonly removed: readonly number[];
  /** Indexes in the new ones. */
  readonly added: readonly number[];
}

function differingLines(before: Int32Array, now: Int32Array): Differences {
  let start = 0;
  while (start < before.length && start < now.length && before[start] === now[start]) start += 1;
  let [oldEnd, newEnd] = [before.length, now.length];
  while (oldEnd > start && newEnd > start && before[oldEnd - 1] === now[newEnd - 1]) {
    oldEnd -= 1;
    newEnd -= 1;
  }
  const [old, fresh] = [before.subarray(start, oldEnd), now.subarray(start, newEnd)];
  const { removed, added } = shortestScript(old, fresh) ?? byCounts(old, fresh);
  return { removed: removed.map((at) => at + start), added: added.map((at) => at + start) };
}

/** With more differences than this, lines are compared without their order. */
const MAX_STEPS = 400;

/** By Myers: after `steps` insertions and removals, the furthest old line reached on each diagonal. Undefined for too many. */
function shortestScript(old: Int32Array, now: Int32Array): Differences | undefined {
  const most = Math.min(MAX_STEPS, old.length + now.length);
  const furthest = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  for (let steps = 0; steps <= most; steps += 1) {
    trace.push(furthest.slice());
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      let at = nextOld(furthest, diagonal, steps, most + 1);
      while (at < old.length && at - diagonal < now.length && old[at] === now[at - diagonal]) at += 1;
      furthest[diagonal + most + 1] = at;
      if (at >= old.length && at - diagonal >= now.length) return scriptOf(trace, old.length, now.length, most + 1);
    }
  }
  return undefined;
}

function isInsertion(furthest: Int32Array, diagonal: number, steps: number, middle: number): boolean {
  if (diagonal === -steps) return true;
  return diagonal !== steps && (furthest[diagonal - 1 + middle] ?? 0) < (furthest[diagonal + 1 + middle] ?? 0);
}

function nextOld(furthest: Int32Array, diagonal: number, steps: number, middle: number): number {
  return isInsertion(furthest, diagonal, steps, middle)
    ? (furthest[diagonal + 1 + middle] ?? 0)
    : (furthest[diagonal - 1 + middle] ?? 0) + 1;
}

function scriptOf(trace: readonly Int32Array[], oldLength: number, newLength: number, middle: number): Differences {
  const [removed, added]: [number[], number[]] = [[], []];
  let diagonal = oldLength - newLength;
  for (let steps = trace.length - 1; steps > 0; steps -= 1) {
    const furthest = trace[steps] ?? new Int32Array();
    const inserts = isInsertion(furthest, diagonal, steps, middle);
    diagonal += inserts ? 1 : -1;
    const at = furthest[diagonal + middle] ?? 0;
    if (inserts) added.push(at - diagonal);
    else removed.push(at);
  }
  return { removed: removed.reverse(), added: added.reverse() };
}

function byCounts(old: Int32Array, now: Int32Array): Differences {
  return { removed: surplus(old, now), added: surplus(now, old) };
}

/** The lines of which there are more than in the other. */
function surplus(lines: Int32Array, other: Int32Array): number[] {
  const counts = new Map<number, number>();
  for (const hash of other) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  const places: number[] = [];
  for (const [at, hash] of lines.entries()) {
    const left = counts.get(hash) ?? 0;
    if (left > 0) counts.set(hash, left - 1);
    else places.push(at);
  }
  return places;
}
