// Runs work in one vault within the limit of its call, or in each of several.
import { plural, VaultgraphError } from '../../base/errors.ts';
import { outcomeOf } from '../../base/outcome.ts';
import type { NoteSigns } from '../../contracts/store.ts';
import type { AnswerNotes, Warning } from '../../contracts/tool.ts';
import type { Exposed } from '../dispatch/expose.ts';
import type { Caller, Outcome } from '../dispatch/run-tool.ts';
import { vectorWarnings } from '../render/result.ts';

export type Limited = Caller & { readonly limitMs: number };

/** Runs a tool with these arguments in the vault. */
export type RunIn = (member: VaultMember, args: object) => Promise<Outcome>;

interface EachAnswer<T> {
  readonly answers: readonly { readonly name: string; readonly value: T }[];
  readonly missing: readonly VaultFailure[];
}

/**
 * @param onMissing called for each vault that did not answer, if another one did
 * @throws the first failure, if every vault failed
 */
export async function runEach<T>(
  members: readonly VaultMember[],
  work: (member: VaultMember) => Promise<T>,
  onMissing: (failure: VaultFailure) => void,
): Promise<EachAnswer<T>> {
  const outcomes = await Promise.all(
    members.map(async (member) => ({ name: member.name, ...(await outcomeOf(work(member))) })),
  );
  const answers = outcomes.flatMap((outcome) =>
    'error' in outcome ? [] : [{ name: outcome.name, value: outcome.value }],
  );
  const missing = outcomes.flatMap((outcome) =>
    'error' in outcome ? [{ name: outcome.name, error: outcome.error }] : [],
  );
  const [first] = missing;
  if (first !== undefined && answers.length === 0) throw first.error;
  for (const failure of missing) onMissing(failure);
  return { answers, missing };
}

/** Opening the vault is within the limit of the call. @throws DEADLINE_EXCEEDED */
export async function runWithin<T>(
  member: VaultMember,
  { signal, limitMs }: Limited,
  work: (limitMs: number, vault: OpenVault) => Promise<T>,
): Promise<T> {
  const began = performance.now();
  const opening = new AbortController();
  const details = { budget_ms: limitMs, phase: `opening the vault ${member.name}`, committed: 'none' as const };
  const lapse = (): void => opening.abort(new VaultgraphError('DEADLINE_EXCEEDED', details));
  const timer = Number.isFinite(limitMs) ? setTimeout(lapse, limitMs) : undefined;
  const forward = (): void => opening.abort(signal.reason);
  signal.addEventListener('abort', forward, { once: true });
  if (signal.aborted) forward();
  const ended = (): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', forward);
  };
  try {
    return await member.use(opening.signal, (vault) => {
      ended();
      return work(Math.max(1, limitMs - (performance.now() - began)), vault);
    });
  } finally {
    ended();
  }
}

// Merges the answers of several vaults: ranked lists by rank, others side by side; and says which vault did not answer.

export interface VaultAnswer {
  readonly name: string;
  readonly outcome: Outcome;
}

export interface VaultFailure {
  readonly name: string;
  readonly error: VaultgraphError;
}

/** One row of a merged list, and the vault that it is of. */
interface RankedRow {
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
): Pick<Outcome, 'index' | 'warnings' | 'notes' | 'images' | 'links'> {
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
    links: answers.flatMap(({ outcome }) => outcome.links),
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

// One of several vaults that a server answers from.

type RunCall = (name: string, args: unknown, caller: Caller) => Promise<Outcome>;

/** A vault while it is open. */
export interface OpenVault {
  /** Runs a listed tool. */
  readonly run: RunCall;
  /** Runs one of the internal tools behind the other protocol methods. */
  readonly runMethod: RunCall;
  readonly noteSigns: NoteSigns;
}

/** A session sees a list of these; another session of the same process may see others. */
export interface VaultMember {
  readonly name: string;
  readonly access: 'read-only' | 'read-write';
  /** By the config alone, so that listing tools opens nothing. */
  readonly exposed: Exposed;
  /** Opens the vault if it is closed, and keeps it open while `work` runs. @throws why it cannot be opened; the reason of `signal` */
  use<T>(signal: AbortSignal, work: (vault: OpenVault) => Promise<T>): Promise<T>;
  /** Whether its folder has a file at this path, or with `.md`; opens nothing. */
  hasFile(path: string): Promise<boolean>;
}

export const namesOf = (members: readonly Pick<VaultMember, 'name'>[]): string[] => members.map(({ name }) => name);
