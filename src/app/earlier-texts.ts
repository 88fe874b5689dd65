// Finds an earlier text of a note where one is kept: in the history, in the log of the changes of tools, or in a git repository.
import { VaultgraphError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { NotePath } from '../base/note.ts';
import { type Outcome, outcomeOf, unwrap } from '../base/outcome.ts';
import type { Config } from '../config/config.ts';
import { storeDriver } from '../config/provider-sections.ts';
import type { TextHistory } from '../contracts/feed.ts';
import type { Store } from '../contracts/store.ts';
import { type EarlierText, EVERYTHING, type Moment, type Vault } from '../contracts/vault.ts';
import type { PastChange } from '../contracts/writer.ts';
import { createExclusion } from '../providers/filesystem/path-rules.ts';
import { createView } from '../providers/filesystem/view-globs.ts';
import { createHistory, historyFile } from '../providers/sqlite/history/kept-history.ts';

const MIB = 1024 * 1024;

/** The absolute path of its file, kept or not. */
export const historyPlace = ({ stateFolder, scopeId }: Config): string => historyFile(stateFolder, scopeId);

/** Undefined if the config does not keep it. */
export function historyOf(config: Config, log: Log): TextHistory | undefined {
  const { keep, days, mib } = config.history;
  const driver = storeDriver(config.sections);
  return keep ? createHistory({ file: historyPlace(config), days, bytes: mib * MIB, driver }, log) : undefined;
}

/** Whether the config hides a path from every client. */
export function hiddenBy({ vault: { exclude, read } }: Config): (path: string) => boolean {
  return createExclusion(exclude, createView({ read, write: EVERYTHING })).hides;
}

interface Sources {
  readonly history: TextHistory | undefined;
  /** The git repository of the vault. */
  readonly git: Vault['earlier'];
  readonly changeWithId: (id: string) => PastChange | undefined;
  readonly store: Store;
  readonly hides: (path: string) => boolean;
}

const CHANGE_ID = /^chg_[0-9a-z]{9}_[0-9a-f]{6}$/;

/** What is not in the history may be in git, which goes back further; a deletion that the history knows is an answer. */
export function earlierTexts({ history, git, changeWithId, store, hides }: Sources): Vault['earlier'] {
  const earlier = async (path: NotePath, at: Moment, signal: AbortSignal): Promise<EarlierText> => {
    const outcome = history && (await outcomeOf(fromHistory(path, at, { history, store }, signal)));
    if (outcome !== undefined && !isMissing(outcome)) return unwrap(outcome);
    const committed = await outcomeOf(git(path, at, signal));
    if (outcome === undefined || !('error' in outcome) || !('error' in committed)) return unwrap(committed);
    // The history says more of why there is none than that there is no repository.
    throw isUnused(committed) ? outcome.error : withStart(committed.error, outcome.error);
  };
  return async (path, at, signal) => {
    // It says why the path cannot be read.
    if (hides(path)) return git(path, at, signal);
    if (!('revision' in at) || !CHANGE_ID.test(at.revision)) return earlier(path, at, signal);
    const past = changeWithId(at.revision);
    if (past === undefined) throw missing(path, at.revision, 'unknown_change');
    return textAfter(past, path) ?? earlier(path, { beforeMs: Date.parse(past.change.time) + 1 }, signal);
  };
}

async function fromHistory(
  path: NotePath,
  at: Moment,
  { history, store }: { readonly history: TextHistory; readonly store: Store },
  signal: AbortSignal,
): Promise<EarlierText> {
  const [note] = await store.notes([path], signal);
  return history.earlier(path, at, note?.hash ?? undefined, signal);
}

function reasonOf(outcome: Outcome<unknown>): string | undefined {
  if (!('error' in outcome) || outcome.error.code !== 'EARLIER_TEXT_MISSING') return undefined;
  return (outcome.error as VaultgraphError<'EARLIER_TEXT_MISSING'>).details.reason;
}

/** A damaged text may be whole in the repository. */
const isMissing = (outcome: Outcome<unknown>): boolean => ['not_kept', 'damaged'].includes(reasonOf(outcome) ?? '');

/** The error of the repository, with the time since when the history has texts. */
function withStart(error: VaultgraphError, startError: VaultgraphError): VaultgraphError {
  const isOfBoth = error.code === 'EARLIER_TEXT_MISSING' && startError.code === error.code;
  const { kept_since } = isOfBoth ? (startError.details as Details) : {};
  if (kept_since === undefined) return error;
  const details = { ...(error.details as Details), kept_since };
  return new VaultgraphError('EARLIER_TEXT_MISSING', details, { cause: error });
}

const isUnused = (outcome: Outcome<unknown>): boolean =>
  ['no_git', 'no_repository', 'no_commits'].includes(reasonOf(outcome) ?? '');

/** The text that the change gave the note; undefined if it did not change it. @throws EARLIER_TEXT_MISSING if the note was gone after it */
function textAfter({ change, contentOf }: PastChange, path: NotePath): EarlierText | undefined {
  const { id, time, files } = change;
  const file = files.find((one) => (one.to ?? one.path) === path) ?? files.find((one) => one.path === path);
  if (file === undefined) return undefined;
  const { kind, to, after } = file;
  if (kind === 'trash' || kind === 'remove' || (to !== undefined && to !== path))
    throw missing(path, id, 'deleted', { deleted_at: time });
  const bytes = after === null ? undefined : contentOf(after);
  return bytes && { path, bytes, revision: id, writtenMs: Date.parse(time), keptBy: 'changes' };
}

type Details = VaultgraphError<'EARLIER_TEXT_MISSING'>['details'];

const missing = (path: NotePath, at: string, reason: Details['reason'], more: Partial<Details> = {}) =>
  new VaultgraphError('EARLIER_TEXT_MISSING', { path, at, reason, ...more });
