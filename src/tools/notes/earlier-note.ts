// Finds the text of a note as it was at an earlier time, also of a note that is deleted today.
import { VaultgraphError } from '../../base/errors.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import { type Outcome, outcomeOf } from '../../base/outcome.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { EarlierText, Moment } from '../../contracts/vault.ts';
import type { ReferencePart } from '../../markdown/links/reference.ts';
import { decodeText } from '../../markdown/parse/lines.ts';
import { isPeriodFault, parsePeriod } from '../periods/period.ts';
import { findIndexed, type LocatedNote, noteNotFound } from './note-reference.ts';
import { parseDate } from './parse-date.ts';

interface EarlierNote {
  /** Its path then, and today if that is another. */
  readonly path: NotePath;
  readonly path_now?: NotePath;
  readonly part: ReferencePart;
  readonly text: string;
  readonly revision: string;
  /** ISO time of the revision, and what keeps it. */
  readonly written_at: string;
  readonly kept_by: string;
}

/** @throws INVALID_QUERY, EARLIER_TEXT_MISSING, NOTE_NOT_FOUND, NOTE_AMBIGUOUS, PATH_NOT_ALLOWED, LIMIT_EXCEEDED, VAULT_UNAVAILABLE */
export async function earlierNote(
  reference: string,
  at: string,
  sources: Granted<'store' | 'vault'>,
  call: CallContext,
): Promise<EarlierNote> {
  const moment = momentOf(at, new Date());
  const { located: today, name, part, path: written } = await findIndexed(reference, 'notes', sources, call);
  if (name.endsWith('/') || fileKindOf(today?.path ?? written) === 'attachment')
    throw await noteNotFound(reference, sources, call);
  const textOf = (of: NotePath) => outcomeOf(sources.vault.earlier(of, moment, call.signal));
  const { note, past } = await meantText(written, today, textOf);
  const path = note?.path ?? written;
  if ('error' in past) {
    const isThere = note !== undefined || (await isInVault(path, sources, call));
    throw isThere ? past.error : await ofNoNote(past.error, reference, sources, call);
  }
  const { bytes, revision, writtenMs, keptBy, path: then } = past.value;
  return {
    path: then,
    ...(then === path || note === undefined ? {} : { path_now: path }),
    part,
    text: decodeText(bytes).text,
    revision,
    written_at: new Date(writtenMs).toISOString(),
    kept_by: keptBy,
  };
}

type Past = Outcome<EarlierText>;

/**
 * @param written the path as the reference has it: it may lead to another note today because the one of exactly this path is gone
 * @param today where the reference leads today
 */
async function meantText(
  written: NotePath,
  today: LocatedNote | undefined,
  textOf: (path: NotePath) => Promise<Past>,
): Promise<{ readonly note: LocatedNote | undefined; readonly past: Past }> {
  if (today === undefined) return { note: today, past: await textOf(written) };
  const ofToday = await textOf(today.path);
  const then = 'value' in ofToday ? ofToday.value.path : today.path;
  const past = [then, today.path].includes(written) ? ofToday : await textOf(written);
  return past === ofToday || 'error' in past ? { note: today, past: ofToday } : { note: undefined, past: past };
}

/** The index may not have it yet. */
async function isInVault(path: NotePath, { vault }: Granted<'vault'>, { signal }: CallContext): Promise<boolean> {
  return (await vault.read([path], signal)).succeeded.length > 0;
}

/** A name that no note has may be that of a note that is gone, or be misspelled. */
async function ofNoNote(
  error: VaultgraphError,
  reference: string,
  sources: Granted<'store' | 'vault'>,
  call: CallContext,
): Promise<VaultgraphError> {
  if (error.code !== 'EARLIER_TEXT_MISSING') return error;
  const { details } = error as VaultgraphError<'EARLIER_TEXT_MISSING'>;
  if (!NOT_FOUND.has(details.reason)) return error;
  const unknown = await noteNotFound(reference, sources, call);
  const { suggestions, is } = unknown.details;
  if (is !== undefined) return unknown;
  return new VaultgraphError('EARLIER_TEXT_MISSING', { ...details, similar: suggestions }, { cause: error });
}

/** The reasons with which nothing is known of such a note. */
const NOT_FOUND: ReadonlySet<string> = new Set(['not_committed', 'not_kept', 'not_cloned']);

/** The hash of a commit or a text, or the id of a change. */
const REVISION = /^(?:[0-9a-f]{7,64}|chg_[0-9a-z]+_[0-9a-f]+)$/i;

/** A day means its end, and a time itself: what was written on it, or at it, is in the text. */
function momentOf(at: string, now: Date): Moment {
  const period = parsePeriod(at, 'past', now);
  if (REVISION.test(at.trim()) && isPeriodFault(period)) return { revision: at.trim().toLowerCase() };
  const isPoint = !isPeriodFault(period) && period.from === period.to && period.to !== undefined;
  return { beforeMs: parseDate(at, 'at', now) + (isPoint ? 1 : 0) };
}
