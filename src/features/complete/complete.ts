// `completion/complete`: what a value that is being typed may become, from what the vault holds now. Knows no argument by name.
import * as z from 'zod';
import type { Granted } from '../../contracts/capability.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { localDay } from '../../markdown/frontmatter/written-date.ts';
import { completableNames, completableTags, type NamedEntry, tagsIn } from './completable-names.ts';
import { createRanking, type Ranked } from './completion-ranking.ts';
import { headingCompletions } from './heading-completions.ts';

const DAYS_BACK = 60;

const input = z.strictObject({
  kind: z.enum(['note', 'topic', 'folder', 'tag', 'day', 'path']),
  /** What is typed so far. */
  value: z.string().max(1_000),
  /** What another argument narrows the notes to. */
  folder: z.string().max(1_000).optional(),
});
type Given = z.infer<typeof input>;

export const complete = defineTool({
  name: 'completion/complete',
  summary: 'Completes a value.',
  effect: 'reads',
  needs: ['store'],
  index: 'part',
  fails: [],
  input,
  run: (given, granted, call) => completed(given, granted, call),
});

async function completed(given: Given, { store }: Granted<'store'>, { signal }: CallContext): Promise<Ranked> {
  const { kind, value } = given;
  const folder = given.folder?.replace(/^\/+|\/+$/g, '') || undefined;
  if (kind === 'day') return createRanking(value).of(days(new Date()).map((day) => ({ value: day, keys: [day] })));
  if (kind === 'tag') {
    const tags = await (folder === undefined ? completableTags(store, signal) : tagsIn(folder, store, signal));
    return createRanking(value.replace(/^#/, '')).ofFolded(tags);
  }
  const headings = kind === 'note' ? await headingCompletions(value, store, signal) : undefined;
  if (headings !== undefined) return headings;
  const names = await completableNames(store, signal);
  if (kind === 'folder') return createRanking(value).ofFolded(names.folders);
  const notes = folder === undefined ? names.notes : names.notes.filter(({ path }) => path.startsWith(`${folder}/`));
  return createRanking(value).ofNotes(notes, valueFor(kind, names.isAlone));
}

/** A name stands for its note only where it is nobody else's; a path always does. */
function valueFor(
  kind: Given['kind'],
  isAlone: (name: string) => boolean,
): (entry: NamedEntry, name: string | undefined) => string {
  if (kind === 'path') return ({ path }) => path;
  if (kind === 'topic') return ({ names: [first] }, name) => name ?? first ?? '';
  return ({ path }, name) => (name !== undefined && isAlone(name) ? name : path);
}

/** The days one reviews: today and before, latest first. */
function days(now: Date): string[] {
  const dates = Array.from({ length: DAYS_BACK }, (_, back) => {
    const date = new Date(now);
    date.setDate(now.getDate() - back);
    return localDay(date);
  });
  return ['today', 'yesterday', ...dates];
}
