// Errors about the arguments of a call and the things they name.
import { type Action, codeList, entry, plural, quoted } from './error-entry.ts';

export interface InputIssue {
  /** Path within the arguments, such as `filter.tags.0`; empty for the arguments as a whole. */
  readonly path: string;
  readonly rule: string;
  readonly expected?: string;
  readonly received?: string;
  readonly did_you_mean?: string;
  /** The members of the object within the arguments that has the fault. */
  readonly accepted?: readonly string[];
}

const DATE_FIELDS = [
  ...(['since', 'until', 'modified_since', 'before', 'after', 'around', 'at', 'day', 'week'] as const),
  ...(['due', 'due_before', 'due_after', 'scheduled', 'start'] as const),
] as const;
export type DateField = (typeof DATE_FIELDS)[number];
const isDateField = (field: string): boolean =>
  (DATE_FIELDS as readonly string[]).includes(field) || field.startsWith('where.');

const DATE_FORMS = [
  ...['2026-11-20', '2026-11-20T09:30', '2026-W47', '2026-11', '2026-Q4', '2026', '20 november 2026'],
  ...[
    'today',
    '@today',
    'yesterday',
    'yesterday evening',
    'tomorrow',
    '3 days ago',
    'in 3 days',
    'next friday',
    'last monday',
    'since monday',
  ],
  ...['this week', 'last week', 'next month', 'next 7 days', 'last 2 weeks', '2026-11-01 to 2026-11-20'],
];
const LENGTH_FORMS = ['7d', '12h', '30min', '2w', '3mo', '1y'];

const EARLIER_REASONS = {
  no_git: 'the program git, which reads earlier texts of a vault, is not installed',
  no_repository: 'nothing keeps earlier texts of this vault',
  git_failed: 'git failed',
  not_committed: 'no commit of that time or before has it',
  no_commits: 'the git repository has no commit yet',
  not_cloned: 'the git repository is a shallow clone, which does not go back so far',
  lfs_pointer: 'its commit has only the address of its text in Git LFS',
  deleted: 'it was deleted or renamed before',
  unknown_revision: 'the git repository has no such commit',
  unknown_change: 'the change log has no such change',
  not_kept: 'the kept history does not have it',
  damaged: 'the kept history is damaged there',
};
const EARLIER_HINTS: Readonly<Record<keyof typeof EARLIER_REASONS, string>> = {
  no_git: 'Ask the user to install git.',
  no_repository:
    'Ask the user whether to keep the texts from now on: with `history: keep` in the config, or by making the vault a git repository and committing regularly.',
  git_failed:
    'Show the user the message of git; `git log` in the folder of the vault shows whether git can read the repository.',
  not_committed: 'Give a later time, or check the path: it has to be the one that the note has, or had last.',
  no_commits: 'Ask the user to commit the notes; from then on, each commit keeps their texts.',
  not_cloned: 'Ask the user to run `git fetch --unshallow` in the folder of the vault, or give a later time.',
  lfs_pointer: 'Ask the user to read it with git, whose LFS fetches the text.',
  deleted:
    'Give a time before that, or the name that the note has now: list_changes has it. To restore a deleted note, read it so and pass its text to create_note.',
  unknown_revision: 'Give a date such as 2026-03-01, a change id, or the hash of a commit of this repository.',
  unknown_change: 'list_changes shows the ids of changes; a date such as 2026-03-01 can be given as well.',
  not_kept:
    'Give a time since when texts are kept, or check the path: it has to be the one that the note has, or had last; list_changes has the paths of deleted notes. A text from before is only in a backup of the user.',
  damaged:
    'Nothing can be said of the text then. Texts of other times may be whole; `vaultgraph doctor` checks the file.',
};

/** A heading outline as a hint, or `otherwise` for a note without headings. */
/** @param similar parts with names like the one that is missing, nearest first */
function outlineHint(outline: readonly string[], otherwise: string, similar: readonly string[] = []): string {
  const meant = similar.length === 0 ? '' : `Similar: ${codeList(similar)}. `;
  if (outline.length > 0) return `${meant}Its headings: ${outline.join(' · ')}`;
  return meant === '' ? otherwise : meant.trimEnd();
}

interface MissingNote {
  readonly ref: string;
  readonly suggestions: readonly string[];
  readonly unresolved_link: boolean;
  /** What `path` is instead of an indexed note; `day`: the path that the daily note would have; `no_folder`: a folder was named;
   * absent: the file that the vault does not have, if a path was looked up. */
  readonly is?: 'attachment' | 'folder' | 'not_indexed' | 'day' | 'no_folder';
  readonly path?: string;
}

function notFoundMessage({ ref, unresolved_link, is, path = '' }: MissingNote): string {
  if (is === 'day') return `there is no note for ${ref} yet`;
  if (is === 'not_indexed') return `${path} is in the vault and is not indexed yet`;
  if (is === 'no_folder') return `there is no folder ${quoted(ref)}`;
  if (is !== undefined) return `${quoted(ref)} is ${is === 'folder' ? 'a folder' : 'an attachment'}, not a note`;
  return `no note is named ${quoted(ref)}${unresolved_link ? '; notes link to that name, but it does not exist yet' : ''}`;
}

function notFoundHint({ suggestions, is, path = '' }: MissingNote): string {
  if (is === 'day') return `Its path would be \`${path}\`.`;
  if (is === 'not_indexed') return 'Try again in a few seconds, or call check_note, which says what it is waiting for.';
  if (is === 'folder') return `List its notes with list_notes and folder ${quoted(path)}.`;
  if (is === 'attachment')
    return `Only notes, canvases and bases are read. Find the notes that embed it with search_text.`;
  if (suggestions.length > 0) return `Similar names: ${codeList(suggestions)}.`;
  if (is === 'no_folder') return 'list_notes shows the paths of notes with their folders.';
  return 'Look it up with list_notes or search_text. A note is named by its path, file name, alias or title.';
}

function notFoundActions({ ref, is, path = '' }: MissingNote): readonly Action[] {
  const call = (tool: string, args: object, why: string): Action[] => [
    { kind: 'tool_call', tool, arguments: args, why },
  ];
  if (is === 'day') return call('create_note', { path: ref }, 'creates the note');
  if (is === 'not_indexed') return call('check_note', { note: path }, 'says why it is not indexed');
  if (is === 'folder') return call('list_notes', { folder: path }, 'lists the notes in it');
  const name = path.slice(path.lastIndexOf('/') + 1);
  return is === 'attachment' ? call('search_text', { query: `"${name}"` }, 'finds the notes that embed it') : [];
}

/** What to do about what is too large. */
const LIMIT_HINTS = {
  call: 'Ask for less per call: use cursor for the next page, or split the input over several calls.',
  file: 'Files of this size are not read or indexed: ask the user to split a note into smaller ones, or to exclude the file in vault.exclude.',
  image: 'Images of this size are not shown: ask the user to save a smaller copy of the image.',
  attachment: 'Files of this size are not sent: read a PDF with read_notes, and ask the user to open other files.',
  images: 'Ask for fewer images per call.',
  subscription: 'End subscriptions that are no longer needed, then subscribe again.',
  filter: 'Use fewer conditions: a tag, a folder or one condition often says the same as many.',
  resource: 'Read the note in parts with read_notes: name a heading or lines, such as Note#Heading or Note:1-200.',
} as const;

function innerHint({ path, accepted = [] }: InputIssue): string {
  return `\`${path.slice(0, path.lastIndexOf('.'))}\` accepts ${codeList(accepted)}.`;
}

const NOT_WANTED = {
  part: 'which is text, not a heading or block',
  task: 'which is not a task there',
  line: 'not on the given line',
} as const;

const FOUND_HINTS = {
  part: 'To change the text itself, use replace_text with it as target; to insert beside it, name the heading above it or a `#^block`.',
  task: 'Give the text of a task as written, without its checkbox, or use replace_text.',
  line: 'Give one of these lines as line, or omit it.',
} as const;

export const INPUT_ERRORS = {
  INVALID_INPUT: entry<{ tool: string; issues: readonly InputIssue[]; accepted: readonly string[] }>({
    category: 'input',
    retry: 'C',
    http: 400,
    message: ({ tool, issues }) =>
      `${tool}: ${issues.map(({ path, rule }) => (path === '' ? rule : `${path}: ${rule}`)).join('; ')}`,
    hint: ({ issues, accepted }) => {
      const nearest = issues.find((issue) => issue.did_you_mean !== undefined)?.did_you_mean;
      const meant = nearest === undefined ? '' : ` Did you mean \`${nearest}\`?`;
      const inner = issues.filter((issue) => issue.accepted !== undefined).map(innerHint);
      const outer = accepted.length === 0 ? 'It takes no arguments.' : `It accepts ${codeList(accepted)}.`;
      // What is wrong within an argument is not helped by the names of all arguments.
      const isOuter = issues.some(({ path, accepted: within }) => within === undefined && !path.includes('.'));
      const hints = [...new Set(inner), ...(isOuter ? [outer] : [])];
      return `Correct the arguments and try again.${hints.map((each) => ` ${each}`).join('')}${meant}`;
    },
  }),
  /** `instead`: what to write, if the field is not a date. */
  INVALID_QUERY: entry<{ field: string; position: number; reason: string; instead?: string }>({
    category: 'input',
    retry: 'C',
    http: 400,
    message: ({ field, position, reason }) =>
      isDateField(field)
        ? `${field} is not a date: ${reason}`
        : `${field} cannot be parsed: ${reason} at character ${position + 1}`,
    hint: ({ field, instead = 'Write words, "a phrase", -not or prefix*.' }) =>
      isDateField(field)
        ? `Write a date as ${DATE_FORMS.join(', ')}, or a length of time as ${LENGTH_FORMS.join(', ')}${field === 'at' ? ', or the id of a change, an etag or a commit' : ''}.`
        : instead,
  }),
  LIMIT_EXCEEDED: entry<{ field: string; limit: number; actual: number; of?: keyof typeof LIMIT_HINTS }>({
    category: 'input',
    retry: 'C',
    http: 413,
    message: ({ field, limit, actual }) => `${field} is ${actual}, the limit is ${limit}`,
    hint: ({ of = 'call' }) => LIMIT_HINTS[of],
  }),
  /** `instead`: what to do, if a path inside the vault is not the answer. */
  PATH_NOT_ALLOWED: entry<{ path: string; rule: string; instead?: string }>({
    category: 'input',
    retry: 'C',
    http: 403,
    message: ({ path, rule }) => `path ${quoted(path)} is not allowed: ${rule}`,
    hint: ({
      instead = 'Use a path inside the vault, relative to it, with `/` between folders, that is not excluded.',
    }) => instead,
  }),
  BASE_INVALID: entry<{ path: string; line: number; reason: string }>({
    category: 'input',
    retry: 'U',
    http: 422,
    message: ({ path, line, reason }) => `${path}:${line} is not a valid base: ${reason}`,
    hint: ({ path }) => `Ask the user to correct ${quoted(path)}; read_notes shows its text.`,
  }),
  /** `place`: where in the base, such as `views.0.filters.and.1`. */
  BASE_UNSUPPORTED: entry<{ path: string; view: string; line: number; what: string; place: string }>({
    category: 'input',
    retry: 'C',
    http: 501,
    message: ({ path, view, line, what, place }) =>
      `the view ${quoted(view)} of ${path} cannot be evaluated: ${what} in ${place}, line ${line}, is not supported`,
    hint: () => 'Another view of the base may work, and list_notes filters notes by folder, tag, property and date.',
  }),
  NOTE_NOT_FOUND: entry<MissingNote>({
    category: 'lookup',
    retry: 'C',
    http: 404,
    message: notFoundMessage,
    hint: notFoundHint,
    actions: notFoundActions,
  }),
  NOTE_AMBIGUOUS: entry<{ ref: string; ref_kind: string }>({
    category: 'lookup',
    retry: 'C',
    http: 409,
    message: ({ ref, ref_kind }) =>
      ref_kind === 'folder'
        ? `${quoted(ref)} is both a note and a folder`
        : `several notes have the ${ref_kind} ${quoted(ref)}`,
    hint: () => 'Try again with one of the choices.',
  }),
  NOTE_PART_NOT_FOUND: entry<{
    path: string;
    part: string;
    outline: readonly string[];
    /** Headings or blocks with similar names. */
    similar?: readonly string[];
    line_count?: number;
  }>({
    category: 'lookup',
    retry: 'C',
    http: 404,
    message: ({ path, part, line_count: lines }) =>
      lines === undefined
        ? `${path} has no part ${quoted(part)}`
        : `${path} has ${plural(lines, 'line')}, so no ${quoted(part)}`,
    hint: ({ outline, similar, line_count: lines }) =>
      lines === undefined
        ? outlineHint(
            outline,
            'The note has no headings; read all of it, or a range of lines with `:from-to`.',
            similar,
          )
        : lines === 0
          ? 'The note is empty.'
          : `Give lines from 1 to ${lines}.`,
  }),
  EARLIER_TEXT_MISSING: entry<{
    path: string;
    at: string;
    reason: keyof typeof EARLIER_REASONS;
    /** The first line that git printed, if it failed. */
    said?: string;
    /** The time of the commit or the scan that noticed it. */
    deleted_at?: string;
    /** Nothing before is in the history. */
    kept_since?: string;
    /** Set if there is no such note today: those with similar names. */
    similar?: readonly string[];
  }>({
    category: 'lookup',
    retry: 'C',
    http: 404,
    message: ({ path, at, reason, said, deleted_at, kept_since, similar }) => {
      const more = deleted_at ?? (kept_since && `texts are kept since ${kept_since}`);
      const gone = similar === undefined ? '' : 'there is no such note today, and ';
      return `the text of ${path} at ${quoted(at)} cannot be had: ${gone}${EARLIER_REASONS[reason]}${more === undefined ? '' : ` (${more})`}${said === undefined ? '' : `: ${said}`}`;
    },
    hint: ({ reason, similar }) =>
      similar === undefined || similar.length === 0
        ? EARLIER_HINTS[reason]
        : `${EARLIER_HINTS[reason]} Notes of today with similar names: ${codeList(similar)}.`,
  }),
  NOTE_PART_AMBIGUOUS: entry<{ path: string; part: string }>({
    category: 'lookup',
    retry: 'C',
    http: 409,
    message: ({ path, part }) => `${path} has several parts ${quoted(part)}`,
    hint: () => 'Try again with one of the choices, or add the heading above it: `#Above#Below`.',
  }),
  EDIT_TARGET_NOT_FOUND: entry<{
    path: string;
    target: string;
    count: 0;
    nearest?: { line: number; text: string };
    outline?: readonly string[];
    similar?: readonly string[];
    /** The lines on which the note has the text, which is not what the edit needs. */
    found?: { wanted: 'part' | 'task' | 'line'; lines: readonly number[] };
    /** A text that looks the same. */
    alike?: { line: number; text: string; differs_in: readonly string[] };
    /** Tasks of the whole vault with the same words, if no note was named. */
    tasks?: readonly string[];
  }>({
    category: 'lookup',
    retry: 'C',
    http: 404,
    message: ({ path, target, found, alike, tasks }) => {
      if (tasks !== undefined) return `no task of the vault contains ${quoted(target)}; nothing was written`;
      if (found !== undefined)
        return `${path} contains ${quoted(target)} on line ${found.lines.join(', ')}, ${NOT_WANTED[found.wanted]}; nothing was written`;
      if (alike !== undefined)
        return `${path} does not contain ${quoted(target)}, but line ${alike.line} differs from it only in ${alike.differs_in.join(', ')}; nothing was written`;
      return `${path} does not contain ${quoted(target)}; nothing was written`;
    },
    hint: ({ nearest, outline = [], similar, found, alike, tasks }) => {
      if (tasks !== undefined)
        return tasks.length === 0
          ? 'Call list_tasks with one of its words as text and status: any; it shows the tasks as they are written.'
          : `Copy the text of the task exactly: ${tasks.map((task) => quoted(task)).join(', ')}.`;
      if (found !== undefined) return FOUND_HINTS[found.wanted];
      if (alike !== undefined)
        return `Copy the text exactly as the note has it: line ${alike.line} is ${quoted(alike.text)}.`;
      return nearest === undefined
        ? outlineHint(outline, 'Read the note again and give the heading, block or text exactly as written.', similar)
        : `The most similar line is ${nearest.line}: ${quoted(nearest.text)}.`;
    },
  }),
  EDIT_TARGET_AMBIGUOUS: entry<{
    path: string;
    target: string;
    count: number;
    expected: number;
    /** The first lines on which it begins, each once. */
    lines: readonly number[];
    /** Set for a task of the whole vault, if no note was named. */
    any_note?: true;
  }>({
    category: 'lookup',
    retry: 'C',
    http: 409,
    message: ({ path, target, count, expected, lines, any_note }) =>
      any_note
        ? `${count} tasks of the vault contain ${quoted(target)}; nothing was written`
        : `${path} contains ${quoted(target)} ${plural(count, 'time')}, not ${expected} (line ${lines.join(', ')}); nothing was written`,
    hint: ({ any_note }) =>
      any_note
        ? 'Give the note of the task as note, and its line if the note has several.'
        : 'Give the line it begins on, a longer text or heading path (`#Above#Below`), or the number of occurrences as count.',
  }),
  JOB_NOT_FOUND: entry<{ id: string; recent: readonly string[] }>({
    category: 'lookup',
    retry: 'C',
    http: 404,
    message: ({ id }) => `no job has the id ${quoted(id)}`,
    hint: ({ recent }) =>
      recent.length > 0 ? `Recent jobs: ${codeList(recent)}.` : 'No job has run since the server started.',
  }),
  CHANGE_NOT_FOUND: entry<{
    id: string;
    recent: readonly string[];
    /** No change was named, and this session made none that can be undone. */
    session?: true;
    /** The machine that made the change, if its change log is not that of this server. */
    machine?: string;
  }>({
    category: 'lookup',
    retry: 'C',
    http: 404,
    message: ({ id, machine, session }) =>
      session
        ? 'this session made no change that can be undone'
        : machine === undefined
          ? `no change or plan has the id ${quoted(id)}, or it has expired or was already undone`
          : `the change ${quoted(id)} is not in the change log of this server`,
    hint: ({ recent, machine, session }) => {
      if (session)
        return recent.length > 0
          ? `Other sessions made ${codeList(recent)}: pass one as change_id, or since: "today" to undo all changes since then.`
          : 'No other change can be undone either.';
      if (machine !== undefined)
        return `It was made on the machine ${quoted(machine)}: only a server there, with the same state folder, can undo it, while its change log keeps it.`;
      return recent.length > 0
        ? `Recent: ${codeList(recent)}.`
        : 'For a plan, make a new dry run. For a change, undo_change with since: "today" and dry_run: true names those that can be undone.';
    },
  }),
  VAULT_NOT_FOUND: entry<{ path: string }>({
    category: 'lookup',
    retry: 'C',
    http: 404,
    message: ({ path }) => `no folder at ${path}`,
    hint: () => 'Name the folder with your notes with --vault DIR.',
  }),
  VAULT_AMBIGUOUS: entry<{ count: number }>({
    category: 'lookup',
    retry: 'C',
    http: 409,
    message: ({ count }) => `found ${count} vaults and none was selected`,
    hint: () => 'Select one with --vault, or serve all of them with --all.',
  }),
};
