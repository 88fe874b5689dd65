// Errors about changes that cannot be made as things are now.
import { cut, entry, plural } from './error-entry.ts';

export const CONFLICT_ERRORS = {
  NOTE_EXISTS: entry<{ path: string; etag?: string }>({
    category: 'conflict',
    retry: 'C',
    http: 409,
    message: ({ path }) => `${path} already exists; it was not changed`,
    hint: () => 'Edit that note with its etag, or choose another path.',
  }),
  WRITE_CONFLICT: entry<{
    path: string;
    if_match?: string;
    /** Absent if the file is gone. */
    current_etag?: string;
    /** From the content that was read to the current one, if the former is still known. */
    diff?: string;
  }>({
    category: 'conflict',
    retry: 'C',
    http: 409,
    message: ({ path }) => `${path} has changed since it was read; nothing was written`,
    hint: () => 'Read it again, merge the changes, and call again with the new etag.',
  }),
  CONFIRMATION_REQUIRED: entry<{
    operation: string;
    affected: readonly string[];
    /** Whether the tool offers a dry run. */
    dry_run?: true;
  }>({
    category: 'conflict',
    retry: 'C',
    http: 428,
    message: ({ operation, affected }) => `${operation} affects ${affected.join(', ')} and was not confirmed`,
    hint: ({ dry_run }) =>
      dry_run
        ? 'Preview it with dry_run: true, then call again with the plan_id it returns, with if_match, or with confirm: true if that is what the user wants.'
        : 'Call again with confirm: true if that is what the user wants.',
  }),
  LINK_INTEGRITY: entry<{
    /** How many links cannot be updated. */
    incoming: number;
    sample: readonly { path: string; line: number; reason: string }[];
  }>({
    category: 'conflict',
    retry: 'C',
    http: 409,
    message: ({ incoming, sample: [first] }) =>
      `${plural(incoming, 'link')} cannot be updated; nothing was moved${
        first === undefined ? '' : ` (first: ${first.path}:${first.line}: ${cut(first.reason)})`
      }`,
    hint: () => 'Fix those links first, or call again with allow_broken: true to move anyway and leave them broken.',
  }),
  MASS_DELETE_BLOCKED: entry<{ known: number; missing: number; ratio: number }>({
    category: 'conflict',
    retry: 'U',
    http: 409,
    message: ({ known, missing }) =>
      `${missing} of ${plural(known, 'known note')} are missing all at once; the index was left alone`,
    hint: () =>
      'If part of the vault is missing (unmounted disk, unsynced cloud folder), bring it back. If the notes were deleted on purpose, call reindex with confirm: true.',
  }),
  BATCH_FAILED: entry<{
    failed: readonly object[];
    by_code: Readonly<Record<string, number>>;
    why: string;
    advice: string;
  }>({
    category: 'conflict',
    retry: 'C',
    http: 207,
    message: ({ failed, why }) => `${why} (${failed.length} of ${plural(failed.length, 'item')})`,
    hint: ({ advice }) => advice,
  }),
};
