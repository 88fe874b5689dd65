// Rule: notes whose texts are nearly the same.
import { fileKindOf, type NotePath } from '../../base/note.ts';
import { duplicateNotes } from '../links/duplicate-notes.ts';
import { type Call, type CheckRule, type Finding, fixedBy } from './check-rule.ts';

interface Copies extends Finding {
  readonly notes: readonly NotePath[];
  readonly overlap: number;
}

const MAX_SHOWN = 5;

/** Those with the largest overlap first. */
export const duplicates: CheckRule<Copies> = {
  find: async ({ granted, call, filter }) => {
    const groups = await duplicateNotes(filter, granted, call);
    return groups.map(({ notes, overlap }) => ({ names: notes, notes, overlap }));
  },
  show: (findings, query) =>
    findings.map(({ notes: [into = '', ...notes], overlap }) => ({
      notes: [into, ...notes].slice(0, MAX_SHOWN),
      count: notes.length + 1,
      overlap: Math.round(overlap * 100) / 100,
      ...fixedBy(query, ...merging(into, notes), ['read_notes', { notes: [into, ...notes].slice(0, MAX_SHOWN) }]),
    })),
};

/** Only Markdown notes can be merged. */
const merging = (into: string, notes: readonly string[]): Call[] =>
  [into, ...notes].every((path) => fileKindOf(path) === 'note')
    ? [['merge_notes', { notes, into, dry_run: true }]]
    : [];
