// Merges the answers of several vaults: ranked lists by rank, others side by side; and says which vault did not answer.
import { plural, type VaultgraphError } from '../../base/errors.ts';
import type { AnswerNotes, Warning } from '../../contracts/tool.ts';
import type { Outcome } from '../dispatch/run-tool.ts';
import { vectorWarnings } from '../render/result.ts';

export interface VaultAnswer {
  readonly name: string;
  readonly outcome: Outcome;
}

export interface VaultFailure {
  readonly name: string;
  readonly error: VaultgraphError;
}

/** One row of a merged list, and the vault that it is of. */
export interface RankedRow {
  readonly name: string;
  readonly row: object;
}

interface RankedList {
  readonly name: string;
  readonly rows: readonly object[];
  /** The rank of its first row. */
  readonly rank?: number;
}

/** The first of each vault, then the second of each, and so on. */
export function byRank(lists: readonly RankedList[]): RankedRow[] {
  const ranked = lists.flatMap(({ name, rows, rank = 0 }) => rows.map((row, at) => ({ rank: rank + at, name, row })));
  return ranked.toSorted((one, other) => one.rank - other.rank).map(({ name, row }) => ({ name, row }));
}

export const withVault = ({ name, row }: RankedRow): object => ({ vault: name, ...row });

/** The members of an answer that are none of its lists, beside those of the other vaults. */
export function besides(answer: VaultAnswer, lists: readonly string[]): object {
  const others = Object.entries(answer.outcome.value).filter(([key]) => !lists.includes(key) && key !== 'next_cursor');
  return { vault: answer.name, ...Object.fromEntries(others) };
}

export const missingView = ({ name, error }: VaultFailure): object => {
  const { code, message, hint, retryable } = error;
  return { vault: name, code, message, hint, retryable };
};

/** Warnings and notes of several vaults, each with the name of its own. */
export function background(
  answers: readonly VaultAnswer[],
  missing: readonly VaultFailure[],
): Pick<Outcome, 'index' | 'warnings' | 'notes' | 'images'> {
  const [only] = answers;
  if (only !== undefined && answers.length === 1 && missing.length === 0) return only.outcome;
  const all = answers.length + missing.length;
  const names = missing.map(({ name, error }) => `${name} [${error.code}]`).join(', ');
  const part = `${answers.length}/${plural(all, 'vault')} answered; missing: ${names}`;
  return {
    index: undefined,
    warnings: [
      ...missing.map(missingWarning),
      ...answers.flatMap(({ name, outcome }) => warningsOf(outcome).map(of(name))),
    ],
    notes: [...(missing.length === 0 ? [] : [{ part }]), ...answers.flatMap(notesOf)],
    images: answers.flatMap(({ outcome }) => outcome.images),
  };
}

function warningsOf({ index, notes, warnings }: Outcome): readonly Warning[] {
  const vectors = notes.flatMap((note) => (note.index === undefined ? [] : vectorWarnings(note.index)));
  return [...(index?.warnings ?? []), ...vectors, ...warnings];
}

const missingWarning = ({ name, error }: VaultFailure): Warning => ({
  code: 'VAULT_MISSING',
  message: `${name} did not answer: [${error.code}] ${error.message}`,
});

const of =
  (name: string) =>
  (warning: Warning): Warning => ({ ...warning, message: `${name}: ${warning.message}` });

/** How much of each index there is stays with its vault; a later note of the same kind would replace an earlier one. */
function notesOf({ name, outcome }: VaultAnswer): AnswerNotes[] {
  const built = outcome.index?.part;
  return [
    ...(built === undefined ? [] : [{ part: `${name}: ${built}` }]),
    ...outcome.notes.map(({ index: _, part, ...note }) => ({
      ...note,
      ...(part === undefined ? {} : { part: `${name}: ${part}` }),
    })),
  ];
}
