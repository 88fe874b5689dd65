// Finds the notes that a write to several notes is about: a list of references, or every note that a filter matches.
import * as z from 'zod';
import { type BatchResult, runBatch } from '../../base/batch.ts';
import { contentHash } from '../../base/content-hash.ts';
import type { VaultgraphError } from '../../base/errors.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { decodeText, encoderLike } from '../../markdown/parse/lines.ts';
import { type FilterArguments, filterArgument, periodView } from '../notes/filters.ts';
import { locateNote } from '../notes/note-reference.ts';
import { pathsMatching, vaultFilter, warnOfFilters } from '../notes/vault-filter.ts';
import { catchUp } from './index-sync.ts';
import type { Refuse, WriteCall, WriteSources } from './run-write.ts';
import type { EditableNote } from './write-plan.ts';

/** The arguments that choose several notes. */
export const choiceShape = {
  notes: z.array(z.string()).min(1).optional().describe('paths or names'),
  filter: filterArgument.optional(),
};

export type Choosing = Partial<z.infer<z.ZodObject<typeof choiceShape>>>;

export interface ChosenNotes extends BatchResult<NotePath> {
  /** The dates that the filter compares, for the answer. */
  readonly period?: object;
}

/** @throws INVALID_INPUT unless the arguments choose one note, several, or those of a filter, in one way */
export function refuseSeveralWays(
  args: Choosing & { readonly note?: string | undefined; readonly if_match?: string | undefined },
  refuse: Refuse,
): void {
  const ways = (['note', 'notes', 'filter'] as const).filter((way) => args[way] !== undefined);
  const [first = 'note', second] = ways;
  if (ways.length === 0) throw refuse(first, 'is required without plan_id, notes or filter');
  if (second !== undefined) throw refuse(first, `cannot be combined with ${second}`);
  if (args.note === undefined && args.if_match !== undefined)
    throw refuse('if_match', 'is the etag of one note; pass confirm or plan_id for several');
}

/** The path of each chosen note by the reference it was chosen by; each path once. @throws as `vaultFilter` and `catchUp` */
export async function chosenNotes(
  args: Choosing,
  granted: WriteSources,
  call: WriteCall,
  kinds: 'markdown' | 'every_kind' = 'markdown',
): Promise<ChosenNotes> {
  if (args.notes === undefined) return filteredNotes(args.filter ?? {}, kinds, granted, call);
  const located = await runBatch(args.notes, call.signal, async (reference) => {
    const { path, part } = await locateNote(reference, 'notes', granted, call);
    if (part.kind !== 'whole') throw call.refuse('notes', 'must name a whole note, not a part of one');
    return path;
  });
  const seen = new Set<NotePath>();
  const succeeded = located.succeeded.filter(({ result }) => !seen.has(result) && seen.add(result));
  return { ...located, succeeded };
}

/** Finds notes of kind `markdown`; canvases and bases have no properties and no text to edit. */
async function filteredNotes(
  chosen: FilterArguments,
  kinds: 'markdown' | 'every_kind',
  { store, indexer }: WriteSources,
  call: CallContext,
): Promise<ChosenNotes> {
  await catchUp(indexer, call);
  const filter = await vaultFilter(chosen, store, call);
  await warnOfFilters(filter, store, call);
  const paths = await pathsMatching(filter, store, call.signal);
  const notes = paths.filter((path) => kinds === 'every_kind' || fileKindOf(path) === 'note');
  const count = paths.length - notes.length;
  const message = `${count} canvases and bases match the filter and are left out`;
  if (count > 0) call.warn({ code: 'EXTRA_MISSING', message, count });
  return { succeeded: notes.map((path) => ({ id: path, result: path })), failed: [], ...periodView(filter) };
}

// Reads the notes that one change affects, a few at a time.

const FILES_AT_ONCE = 64;

export interface ReadNote extends EditableNote {
  /** False if it cannot be written without loss. */
  readonly isText: boolean;
}

/**
 * Reads each file and lets other calls run after each.
 * @returns the files that could not be read
 * @throws VAULT_UNAVAILABLE, and what `work` throws
 */
export async function forEachNote(
  paths: readonly NotePath[],
  vault: Vault,
  call: CallContext,
  work: (note: ReadNote) => Promise<void>,
): Promise<readonly { readonly id: string; readonly error: VaultgraphError }[]> {
  const unread: { readonly id: string; readonly error: VaultgraphError }[] = [];
  for (let at = 0; at < paths.length; at += FILES_AT_ONCE) {
    call.progress(at, paths.length, 'reading notes');
    const { succeeded, failed } = await vault.read(paths.slice(at, at + FILES_AT_ONCE), call.signal);
    for (const { result } of succeeded) {
      const { text, encoding } = decodeText(result.bytes);
      const etag = contentHash(result.bytes);
      const encode = encoderLike(result.bytes);
      await work({ path: result.path, text, etag, encode, isText: encoding === 'utf-8' });
      call.signal.throwIfAborted();
      await letOthersRun();
    }
    unread.push(...failed);
  }
  return unread;
}
