// Walks over notes and the texts that mention them without a link, in resumable steps.
import { fileKindOf, type NotePath, noteName } from '../../base/note.ts';
import { comparePaths } from '../../base/path-order.ts';
import type { Granted } from '../../contracts/capability.ts';
import { sentenceAround } from '../../markdown/excerpt/sentence.ts';
import { readTexts } from '../notes/note-content.ts';
import { EVERY_LINK } from '../notes/note-view.ts';
import type { Place } from '../notes/page.ts';
import { isMentionable, type Mention, mentionsIn } from './mentions.ts';

/** Limits of one call, so that it ends within a second. */
const MAX_TARGETS = 500;
const MAX_READS = 300;
const MAX_SENTENCE_LENGTH = 300;
const EVERY_PATH = 100_000;

export interface MentionGap {
  /** The place of the mention, and the mentioned note. */
  readonly path: NotePath;
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly mention: string;
  readonly mentions: NotePath;
}

export interface MentionQuery {
  readonly targets: readonly NotePath[];
  readonly folder: string | undefined;
  readonly limit: number;
  /** Index of the target, of the file and of the mention in the file; missing ones are 0. */
  readonly start: Place;
}

export interface MentionPage {
  readonly gaps: readonly MentionGap[];
  /** Where to continue; undefined at the end of the walk. */
  readonly next: Place | undefined;
  /** The number of files that could not be read. */
  readonly unread: number;
}

/** By target, then by path, then in the order of the text. */
export async function unlinkedMentions(
  { targets, folder, limit, start }: MentionQuery,
  sources: Granted<'store' | 'vault'>,
  signal: AbortSignal,
): Promise<MentionPage> {
  const gaps: MentionGap[] = [];
  const [firstTarget = 0, ...within] = start;
  let [firstFile = 0, firstMention = 0] = within;
  let reads = 0;
  let unread = 0;
  for (let at = firstTarget; at < targets.length; at += 1) {
    if (at - firstTarget >= MAX_TARGETS) return { gaps, next: [at], unread };
    const target = await targetOf(targets[at] as NotePath, sources, folder, signal);
    for (let file = firstFile; file < target.files.length; file += 1) {
      if (reads >= MAX_READS) return { gaps, next: [at, file], unread };
      const text = (await readTexts([target.files[file] as NotePath], sources.vault, signal)).values().next().value;
      reads += 1;
      if (text === undefined) unread += 1;
      const found = text === undefined ? [] : gapsIn(text, target, target.files[file] as NotePath);
      const room = limit - gaps.length;
      gaps.push(...found.slice(firstMention, firstMention + room));
      if (found.length - firstMention > room) return { gaps, next: [at, file, firstMention + room], unread };
      firstMention = 0;
    }
    firstFile = 0;
  }
  return { gaps, next: undefined, unread };
}

interface Target {
  readonly path: NotePath;
  readonly names: readonly string[];
  /** Notes with the words of a name and without a link to the target, ascending. */
  readonly files: readonly NotePath[];
}

async function targetOf(
  path: NotePath,
  { store }: Granted<'store'>,
  folder: string | undefined,
  signal: AbortSignal,
): Promise<Target> {
  const [note] = await store.notes([path], signal);
  const called = note === undefined ? [] : [noteName(path), note.title, ...note.aliases];
  const names = [...new Set(called.map((name) => name.trim()))].filter(isMentionable);
  const files = new Set<NotePath>();
  for (const name of names) for (const file of await store.mentions(name, EVERY_PATH, signal)) files.add(file);
  files.delete(path);
  const inFolder = [...files].filter(
    (file) => isProse(file) && (folder === undefined || file.startsWith(`${folder}/`)),
  );
  if (inFolder.length === 0) return { path, names, files: [] };
  const linking = new Set((await store.links(path, 'in', EVERY_LINK, signal)).map(({ source }) => source));
  return { path, names, files: inFolder.filter((file) => !linking.has(file)).sort(comparePaths) };
}

/** Canvases and bases are data: a name in them is not a mention. */
const isProse = (file: NotePath): boolean => fileKindOf(file) === 'note';

function gapsIn(text: string, { path, names }: Target, file: NotePath): MentionGap[] {
  return mentionsIn(text, names).map((mention: Mention) => ({
    path: file,
    line: mention.line,
    column: mention.column,
    text: sentenceAround(text, mention.offset, mention.end, MAX_SENTENCE_LENGTH),
    mention: mention.text,
    mentions: path,
  }));
}
