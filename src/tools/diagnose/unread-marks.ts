// Counts the marks of other systems in the notes of a vault that no rule reads, for `doctor`.

import { NEVER } from '../../base/async/waits.ts';
import { currentDialect, type Dialect, type NotePath } from '../../base/note.ts';
import type { Vault } from '../../contracts/vault.ts';
import { codeRanges } from '../../markdown/edit/replace-text.ts';
import { decodeText } from '../../markdown/parse/lines.ts';

const NOTES_AT_ONCE = 50;
/** A longer note is hardly written by hand. */
const MAX_BYTES = 1_000_000;

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
    name: 'codes ({% name %})',
    pattern: /\{%-?[ \t]*(?!end|post_|link\b|include|raw\b|comment\b|highlight\b|code)[\w-]{1,60}/g,
    in: ['jekyll', 'mkdocs', 'markdown'],
  },
  { name: 'links to notes of Joplin by their ids (:/id)', pattern: /\]\(:\/[\da-f]{32}\b/g },
  { name: `expressions of SilverBullet (\${…})`, pattern: /\$\{[a-z][\w.]{0,60}[[({][^\r\n]{0,500}\}/g },
  { name: 'links to users and tags', pattern: /(?<![\w/])@[a-z][\w.-]{1,60}/g, in: ['dendron'] },
];

/** How often each mark that no rule reads is in the notes, outside of code. */
export async function unreadMarks(vault: Vault, notes: readonly NotePath[]): Promise<readonly string[]> {
  const counts = new Map<string, number>();
  for (let at = 0; at < notes.length; at += NOTES_AT_ONCE) {
    const { succeeded } = await vault.read(notes.slice(at, at + NOTES_AT_ONCE), NEVER);
    for (const { result } of succeeded)
      if (result.sizeBytes <= MAX_BYTES) countMarks(decodeText(result.bytes).text, counts);
  }
  return Array.from(counts, ([name, count]) => `${count} ${name}`);
}

/** Adds how often each is in the text, outside of code. */
function countMarks(text: string, counts: Map<string, number>): void {
  const dialect = currentDialect();
  const meant = MARKS.filter((mark) => mark.in?.includes(dialect) ?? !mark.notIn?.includes(dialect));
  const prose = withoutCode(text);
  for (const { name, pattern } of meant) {
    const count = prose.match(pattern)?.length ?? 0;
    if (count > 0) counts.set(name, (counts.get(name) ?? 0) + count);
  }
}

function withoutCode(text: string): string {
  let rest = '';
  let end = 0;
  for (const { from, to } of codeRanges(text).sort((one, other) => one.from - other.from)) {
    rest += text.slice(end, Math.max(end, from));
    end = Math.max(end, to);
  }
  return rest + text.slice(end);
}
