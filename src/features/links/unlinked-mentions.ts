// Walks over notes and the texts that mention them without a link, in resumable steps.
import { fileKindOf, type NotePath, noteName } from '../../base/note.ts';
import { comparePaths } from '../../base/path-order.ts';
import { jobs } from '../../compute/jobs.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { mentionsWithin } from '../../markdown/links/mentions.ts';
import { readTexts } from '../notes/note-content.ts';
import type { Place } from '../notes/page.ts';
import { isMentionable } from './mentions.ts';

/** Limits of one call, so that it ends within a second. */
const MAX_TARGETS = 500;
const MAX_READS = 300;
const MAX_SENTENCE_LENGTH = 300;
const EVERY_PATH = 100_000;
const NO_MENTIONS: ReturnType<typeof mentionsWithin> = { mentions: [], hasMore: false };

type FoundMention = ReturnType<typeof mentionsWithin>['mentions'][number];

export type MentionGap = ReturnType<typeof gapOf>;

export interface MentionQuery {
  readonly targets: readonly NotePath[];
  /** Whether mentions in a note count. */
  readonly isWithin: (path: NotePath) => boolean;
  readonly limit: number;
  /** Index of the target, of the file and of the mention in the file; missing ones are 0. */
  readonly start: Place;
}

/**
 * By target, then by path, then in the order of the text.
 * `next`: where to continue; undefined at the end of the walk.
 * `unread`: the number of files that could not be read.
 */
export async function unlinkedMentions(
  { targets, isWithin, limit, start }: MentionQuery,
  sources: Granted<'store' | 'vault'>,
  { compute, signal }: Pick<CallContext, 'compute' | 'signal'>,
) {
  const gaps: MentionGap[] = [];
  const [firstTarget = 0, ...within] = start;
  let [firstFile = 0, firstMention = 0] = within;
  let reads = 0;
  let unread = 0;
  for (let at = firstTarget; at < targets.length; at += 1) {
    if (at - firstTarget >= MAX_TARGETS) return { gaps, next: [at], unread };
    const target = await targetOf(targets[at] as NotePath, sources, isWithin, signal);
    for (let file = firstFile; file < target.files.length; file += 1) {
      if (reads >= MAX_READS) return { gaps, next: [at, file], unread };
      const text = (await readTexts([target.files[file] as NotePath], sources.vault, signal)).values().next().value;
      reads += 1;
      if (text === undefined) unread += 1;
      const room = limit - gaps.length;
      const wanted = { names: target.names, skip: firstMention, limit: room, maxSentence: MAX_SENTENCE_LENGTH };
      const { mentions, hasMore } =
        text === undefined ? NO_MENTIONS : await compute.run(jobs.mentions, { text, ...wanted }, signal);
      gaps.push(...mentions.map((mention) => gapOf(mention, target, target.files[file] as NotePath)));
      if (hasMore) return { gaps, next: [at, file, firstMention + room], unread };
      firstMention = 0;
    }
    firstFile = 0;
  }
  return { gaps, next: undefined, unread };
}

type Target = Awaited<ReturnType<typeof targetOf>>;

/** `files`: notes with the words of a name and without a link to the target, ascending. */
async function targetOf(
  path: NotePath,
  { store }: Granted<'store'>,
  isWithin: (path: NotePath) => boolean,
  signal: AbortSignal,
) {
  const [note] = await store.notes([path], signal);
  const called = note === undefined ? [] : [noteName(path), note.title, ...note.aliases];
  const names = [...new Set(called.map((name) => name.trim()))].filter(isMentionable);
  const files = new Set<NotePath>();
  for (const name of names) for (const file of await store.mentions(name, EVERY_PATH, signal)) files.add(file);
  files.delete(path);
  const within = [...files].filter((file) => isProse(file) && isWithin(file));
  if (within.length === 0) return { path, names, files: [] };
  const linking = new Set((await store.linkingNotes(path, signal)).map((note) => note.path));
  return { path, names, files: within.filter((file) => !linking.has(file)).sort(comparePaths) };
}

/** Canvases and bases are data: a name in them is not a mention. */
const isProse = (file: NotePath): boolean => fileKindOf(file) === 'note';

/** `path`: the place of the mention, and the mentioned note. */
function gapOf({ line, column, text, sentence }: FoundMention, { path }: Target, file: NotePath) {
  return { path: file, line, column, text: sentence, mention: text, mentions: path };
}
