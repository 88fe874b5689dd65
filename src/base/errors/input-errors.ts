// Errors about the arguments of a call and the things they name.
import { codeList, cut, entry, plural, quoted } from './error-entry.ts';

export interface InputIssue {
  /** Path within the arguments, such as `filter.tags.0`; empty for the arguments as a whole. */
  readonly path: string;
  readonly rule: string;
  readonly expected?: string;
  readonly received?: string;
  readonly did_you_mean?: string;
}

const DATE_FIELDS: readonly string[] = ['since', 'until', 'due_before', 'due_after'];

/** A heading outline as a hint, or `otherwise` for a note without headings. */
const outlineHint = (outline: readonly string[], otherwise: string): string =>
  outline.length === 0 ? otherwise : `Its headings: ${outline.map(cut).join(' · ')}`;

/** Such as `@today`: a reference to the daily note of a day. */
const isDay = (ref: string): boolean => /^@(today|yesterday|tomorrow|\d{4}-\d{2}-\d{2})$/i.test(ref);

function notFoundHint(ref: string, suggestions: readonly string[]): string {
  if (isDay(ref)) return `Its path would be ${codeList(suggestions)}.`;
  if (suggestions.length > 0) return `Similar names: ${codeList(suggestions)}.`;
  return 'Look it up with list_notes or search_text. A note is named by its path, file name, alias or title.';
}

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
      const known = accepted.length === 0 ? 'It takes no arguments.' : `It accepts ${codeList(accepted)}.`;
      return `Correct the arguments and call again. ${known}${meant}`;
    },
  }),
  INVALID_QUERY: entry<{ field: string; position: number; reason: string }>({
    category: 'input',
    retry: 'C',
    http: 400,
    message: ({ field, position, reason }) =>
      DATE_FIELDS.includes(field)
        ? `${field} is not a date: ${cut(reason)}`
        : `${field} cannot be parsed: ${cut(reason)} at character ${position + 1}`,
    hint: ({ field }) =>
      DATE_FIELDS.includes(field)
        ? 'Use a date such as 2026-11-20, 2026-11, today, last week or 7d.'
        : 'Put exact phrases in double quotes; a query needs at least one word.',
  }),
  LIMIT_EXCEEDED: entry<{ field: string; limit: number; actual: number }>({
    category: 'input',
    retry: 'C',
    http: 413,
    message: ({ field, limit, actual }) => `${field} is ${actual}, the limit is ${limit}`,
    hint: () => 'Ask for less per call: use cursor for the next page, or split the input over several calls.',
  }),
  PATH_NOT_ALLOWED: entry<{ path: string; rule: string }>({
    category: 'input',
    retry: 'C',
    http: 403,
    message: ({ path, rule }) => `path ${quoted(path)} is not allowed: ${rule}`,
    hint: () => 'Use a path inside the vault, relative to it, with `/` between folders, that is not excluded.',
  }),
  NOTE_NOT_FOUND: entry<{ ref: string; suggestions: readonly string[]; unresolved_link: boolean }>({
    category: 'lookup',
    retry: 'C',
    http: 404,
    message: ({ ref, unresolved_link }) => {
      if (isDay(ref)) return `there is no daily note for ${cut(ref)} yet`;
      return `no note is named ${quoted(ref)}${unresolved_link ? '; notes link to that name, but it does not exist yet' : ''}`;
    },
    hint: ({ ref, suggestions }) => notFoundHint(ref, suggestions),
    actions: ({ ref }) =>
      isDay(ref)
        ? [{ kind: 'tool_call', tool: 'create_note', arguments: { path: ref }, why: 'creates the daily note' }]
        : [],
  }),
  NOTE_AMBIGUOUS: entry<{ ref: string; ref_kind: string }>({
    category: 'lookup',
    retry: 'C',
    http: 409,
    message: ({ ref, ref_kind }) =>
      ref_kind === 'folder'
        ? `${quoted(ref)} is both a note and a folder`
        : `several notes have the ${ref_kind} ${quoted(ref)}`,
    hint: () => 'Call again with one of the choices.',
  }),
  NOTE_PART_NOT_FOUND: entry<{ path: string; part: string; outline: readonly string[] }>({
    category: 'lookup',
    retry: 'C',
    http: 404,
    message: ({ path, part }) => `${path} has no part ${quoted(part)}`,
    hint: ({ outline }) =>
      outlineHint(outline, 'The note has no headings; read all of it, or a range of lines with `:from-to`.'),
  }),
  NOTE_PART_AMBIGUOUS: entry<{ path: string; part: string }>({
    category: 'lookup',
    retry: 'C',
    http: 409,
    message: ({ path, part }) => `${path} has several parts ${quoted(part)}`,
    hint: () => 'Call again with one of the choices, or add the heading above it: `#Above#Below`.',
  }),
  EDIT_TARGET_NOT_FOUND: entry<{
    path: string;
    target: string;
    count: 0;
    nearest?: { line: number; text: string };
    outline?: readonly string[];
  }>({
    category: 'lookup',
    retry: 'C',
    http: 404,
    message: ({ path, target }) => `${path} does not contain ${quoted(target)}; nothing was written`,
    hint: ({ nearest, outline = [] }) =>
      nearest === undefined
        ? outlineHint(outline, 'Read the note again and give the heading, block or text exactly as written.')
        : `The most similar line is ${nearest.line}: ${quoted(nearest.text)}.`,
  }),
  EDIT_TARGET_AMBIGUOUS: entry<{
    path: string;
    target: string;
    count: number;
    expected: number;
    /** The first lines on which it begins, each once. */
    lines: readonly number[];
  }>({
    category: 'lookup',
    retry: 'C',
    http: 409,
    message: ({ path, target, count, expected, lines }) =>
      `${path} contains ${quoted(target)} ${plural(count, 'time')}, not ${expected} (line ${lines.join(', ')}); nothing was written`,
    hint: () =>
      'Give the line it begins on, a longer text or heading path (`#Above#Below`), or the number of occurrences as count.',
  }),
  JOB_NOT_FOUND: entry<{ id: string; recent: readonly string[] }>({
    category: 'lookup',
    retry: 'C',
    http: 404,
    message: ({ id }) => `no job has the id ${quoted(id)}`,
    hint: ({ recent }) =>
      recent.length > 0 ? `Recent jobs: ${codeList(recent)}.` : 'No job has run since the server started.',
  }),
  CHANGE_NOT_FOUND: entry<{ id: string; recent: readonly string[] }>({
    category: 'lookup',
    retry: 'C',
    http: 404,
    message: ({ id }) => `no change or plan has the id ${quoted(id)}, or it has expired or was already undone`,
    hint: ({ recent }) => (recent.length > 0 ? `Recent: ${codeList(recent)}.` : 'No change can be undone.'),
  }),
  VAULT_NOT_FOUND: entry<{ path: string }>({
    category: 'lookup',
    retry: 'C',
    http: 404,
    message: ({ path }) => `no folder at ${path}`,
    hint: () => 'Give the folder with your notes as --vault, or set vault.path in the config.',
  }),
  VAULT_AMBIGUOUS: entry<{ count: number }>({
    category: 'lookup',
    retry: 'C',
    http: 409,
    message: ({ count }) => `found ${count} vaults and none was selected`,
    hint: () => 'Select one with --vault.',
  }),
};
