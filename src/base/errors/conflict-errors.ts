// Errors about changes that cannot be made as things are now.
import { entry, plural } from './error-entry.ts';

const ANSWERS = {
  declined: ': the user declined it, and nothing was written',
  cancelled: ': the user closed the question, and nothing was written',
  no_answer: ': the user was asked and did not answer in time, so nothing was written',
  not_asked: ': the client did not return an answer of the user, so nothing was written',
};

interface TakenName {
  readonly name: string;
  readonly note: string;
  readonly by: string;
  readonly to: string;
  readonly links: number;
}

/** The call that was probably meant instead of one that takes over the name of a note. */
function callMeant(operation: string, { note }: TakenName): string {
  const existing = JSON.stringify(note);
  if (operation === 'move_note') return `If both are about the same, call merge_notes with into: ${existing}.`;
  if (operation === 'undo_change') return `To keep the links leading to ${existing}, do not undo the change.`;
  return `If you mean that note, call edit_note with note: ${existing}.`;
}

export const CONFLICT_ERRORS = {
  NOTE_EXISTS: entry<{ path: string; etag?: string }>({
    category: 'conflict',
    retry: 'C',
    http: 409,
    message: ({ path }) => `${path} already exists; it was not changed`,
    hint: ({ path, etag }) => {
      if (path.endsWith('/'))
        return `Choose another path; \`${path}NAME\` with the name of the folder moves it into that one.`;
      return etag === undefined ? 'Choose another path.' : 'Edit that note with its etag, or choose another path.';
    },
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
    hint: () => 'Read it again, merge the changes, and try again with the new etag.',
  }),
  CONFIRMATION_REQUIRED: entry<{
    operation: string;
    affected: readonly string[];
    /** Whether the tool offers a dry run. */
    dry_run?: true;
    /** Whether it takes an etag instead. */
    if_match?: true;
    /** Names of existing notes that the write would give to another file. */
    takes_over?: readonly TakenName[];
    /** What the user did, if they were asked. */
    answer?: keyof typeof ANSWERS;
    /** The plan that the user was asked about; absent once they refused it. */
    plan_id?: string;
  }>({
    category: 'conflict',
    retry: 'C',
    http: 428,
    message: ({ operation, affected, takes_over = [], answer }) =>
      takes_over.length > 0 && answer === undefined
        ? `${operation} would take over a name: ${affected.slice(0, takes_over.length).join('; ')}; nothing was written`
        : `${operation} affects ${affected.join(', ')} and was not confirmed${answer === undefined ? '' : ANSWERS[answer]}`,
    hint: ({ operation, dry_run, if_match, takes_over: [taken] = [], answer, plan_id }) => {
      if (plan_id !== undefined)
        return `Describe the change to the user. To show the form again, call the tool with plan_id: ${plan_id}.`;
      if (answer !== undefined) return 'Ask the user what they want instead; repeat the call only if they say so.';
      if (taken !== undefined)
        return `${callMeant(operation, taken)} Otherwise choose another name, or preview it with dry_run: true and try again with the plan_id it returns, or with confirm: true if that is what the user wants.`;
      return dry_run
        ? `Preview it with dry_run: true, then try again with the plan_id it returns, ${if_match ? 'with if_match, ' : ''}or with confirm: true if that is what the user wants.`
        : 'Try again with confirm: true if that is what the user wants.';
    },
  }),
  LINK_INTEGRITY: entry<{
    /** How many links cannot be updated. */
    incoming?: number;
    sample?: readonly { path: string; line: number; reason: string }[];
    /** Files that this server may not change would have to change; nothing else is said about them. */
    outside?: true;
  }>({
    category: 'conflict',
    retry: 'C',
    http: 409,
    message: ({ incoming = 0, sample: [first] = [], outside }) =>
      outside
        ? 'files that this server may not change would have to change too; nothing was written'
        : `${plural(incoming, 'link')} cannot be updated; nothing was moved${
            first === undefined ? '' : ` (first: ${first.path}:${first.line}: ${first.reason})`
          }`,
    hint: ({ outside }) =>
      outside
        ? 'Ask the user to make this change in Obsidian, or to include the files in vault.read and vault.write of the config.'
        : 'Fix those links first, or try again with allow_broken: true to move anyway and leave them broken.',
  }),
  MASS_DELETE_BLOCKED: entry<{ known: number; missing: number; ratio: number }>({
    category: 'conflict',
    retry: 'U',
    http: 409,
    message: ({ known, missing }) =>
      `${missing} of ${plural(known, 'known note')} are missing all at once; the index was left alone`,
    hint: ({ ratio }) => {
      const advice =
        ratio > 0.9
          ? ' If the index is of another vault, ask the user to give each its own, with `providers.store.schema` or `providers.store.path`.'
          : '';
      return `If part of the vault is missing (unmounted disk, unsynced cloud folder), bring it back. If the notes were deleted on purpose, call reindex with confirm: true.${advice}`;
    },
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
