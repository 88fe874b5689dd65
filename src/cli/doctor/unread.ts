// Counts what a vault has and no rule reads: files that are no notes, and marks of other systems in notes.
import { currentDialect, type Dialect, extensionOf, type NotePath } from '../../base/note.ts';
import { NEVER } from '../../base/until-aborted.ts';
import type { Vault } from '../../contracts/vault.ts';
import { type Finding, ok } from './finding.ts';

/** Names that a finding lists at most. */
const MAX_EXTENSIONS = 20;
const MAX_NOTES = 2_000;
const NOTES_AT_ONCE = 50;
/** A longer note is hardly written by hand. */
const MAX_BYTES = 1_000_000;

/** Files that are no notes, canvases or bases: links can lead to them, and no word of theirs is found. */
export async function unreadFinding(vault: Vault): Promise<Finding> {
  const { files } = await vault.list(NEVER);
  const others = files.filter(({ kind }) => kind === 'attachment').map(({ path }) => extensionOf(path).toLowerCase());
  const counts = [...Map.groupBy(others, (extension) => extension)].map(([name, { length }]) => ({ name, length }));
  counts.sort((one, other) => other.length - one.length || (one.name < other.name ? -1 : 1));
  const shown = counts
    .slice(0, MAX_EXTENSIONS)
    .map(({ name, length }) => `${length} ${name === '' ? 'without extension' : `.${name}`}`);
  const rest = counts.slice(MAX_EXTENSIONS).reduce((sum, { length }) => sum + length, 0);
  const listed = [...shown, ...(rest > 0 ? [`${rest} others`] : [])].join(', ');
  const found =
    counts.length === 0
      ? 'every file is a note, canvas or base'
      : `${others.length} files, to which links can lead: ${listed}`;
  const notes = files.filter(({ kind }) => kind === 'note').map(({ path }) => path);
  const marks = await unreadMarks(vault, notes.slice(0, MAX_NOTES));
  if (marks.length === 0) return ok(found);
  const within = notes.length > MAX_NOTES ? `the first ${MAX_NOTES} notes` : 'the notes';
  return ok(`${found}; in ${within}, read as plain text: ${marks.join(', ')}`);
}

interface Mark {
  readonly name: string;
  readonly pattern: RegExp;
  /** The systems whose notes may have it; any one that is not among `notIn` otherwise. */
  readonly in?: readonly Dialect[];
  readonly notIn?: readonly Dialect[];
}

const MARKS: readonly Mark[] = [
  {
    name: 'tags with blanks of Bear (#two words#)',
    pattern: /(?<![^\s])#(?![\s#!])[^#\r\n`[\]|]{1,60}?[ ][^#\r\n`[\]|]{0,60}(?<![\s/]|\b[A-Za-z])#(?=$|[\s,.])/gm,
  },
  {
    name: 'tasks of Roam ({{[[TODO]]}}), read with vault.dialect: roam',
    pattern: /\{\{\[\[(?:TODO|DONE)\]\]\}\}/g,
    notIn: ['roam'],
  },
  { name: 'references to blocks of Roam (((id)))', pattern: /\(\([\w-]{9}\)\)/g },
  {
    name: 'references to blocks of Logseq (((uuid))), read with vault.dialect: logseq',
    pattern: /\(\([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\)\)/gi,
    notIn: ['logseq'],
  },
  { name: 'queries', pattern: /\{\{(?:query\b|\[\[query\]\])/g, in: ['logseq', 'roam'] },
  { name: 'citations ([@key])', pattern: /\[-?@[\w:.-]{1,80}[\];,\s]/g, in: ['quarto', 'obsidian', 'markdown'] },
  { name: 'cross references (@fig-x)', pattern: /(?<![\w[])@(?:fig|tbl|sec|eq|lst|thm)-[\w-]{1,80}/g, in: ['quarto'] },
  { name: 'shortcodes', pattern: /\{\{[<%][ \t]*(?!\/|(?:rel)?ref\b|include\b|readfile\b)[\w-]{1,60}/g, in: ['hugo'] },
  {
    name: 'codes of Liquid',
    pattern: /\{%-?[ \t]*(?!end|post_url\b|link\b|include|raw\b|comment\b|highlight\b)[\w-]{1,60}/g,
    in: ['jekyll'],
  },
  { name: 'links to users and tags', pattern: /(?<![\w/])@[a-z][\w.-]{1,60}/g, in: ['dendron'] },
];

/** How often each is in the notes, outside of fenced code. */
async function unreadMarks(vault: Vault, notes: readonly NotePath[]): Promise<readonly string[]> {
  const dialect = currentDialect();
  const meant = MARKS.filter((mark) => mark.in?.includes(dialect) ?? !mark.notIn?.includes(dialect));
  const counts = new Map<string, number>();
  for (let at = 0; at < notes.length; at += NOTES_AT_ONCE) {
    const { succeeded } = await vault.read(notes.slice(at, at + NOTES_AT_ONCE), NEVER);
    for (const { result } of succeeded) {
      if (result.sizeBytes > MAX_BYTES) continue;
      const text = Buffer.from(result.bytes).toString('utf8').replace(FENCED, '');
      for (const { name, pattern } of meant) {
        const count = text.match(pattern)?.length ?? 0;
        if (count > 0) counts.set(name, (counts.get(name) ?? 0) + count);
      }
    }
  }
  return Array.from(counts, ([name, count]) => `${count} ${name}`);
}

const FENCED = /^[ \t]*(`{3,}|~{3,})[^\n]*\n[\s\S]*?^[ \t]*\1/gm;
