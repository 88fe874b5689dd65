// The notes around a note, and the sentences in which they are linked.
import * as z from 'zod';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { ResolvedLink } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { EVERY_LINK, matchView } from '../notes/linked-notes.ts';
import { REFERENCE_FAILURES, resolveNote } from '../notes/note-reference.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { createSuggest } from '../notes/suggestion.ts';
import { titleBeside } from '../notes/title.ts';
import { directNeighbors, type LinkedNeighbor, type Neighbors, widerNeighbors } from './neighbors.ts';
import { sentencesOf } from './sentences.ts';

/** Beyond so many names that lead nowhere a note is a list of plans, and suggestions for all cost too much. */
const MAX_SUGGESTIONS = 20;

const input = z.strictObject({
  note: z.string().min(1),
  direction: z.enum(['in', 'out', 'both']).default('both'),
  depth: z.int().min(1).max(3).default(1),
  ...pageShape,
});
const paging = createPaging('get_neighbors', input.shape);

export const getNeighbors = defineTool({
  name: 'get_neighbors',
  summary: 'Notes linked from and to a note, with the sentence each link stands in, and its unresolved links.',
  effect: 'reads',
  needs: ['store', 'vault'],
  index: 'part',
  fails: [...REFERENCE_FAILURES, 'INVALID_INPUT'],
  input,
  run: async (given, granted, call) => {
    const page = paging.pageOf(given);
    const { path, match } = await resolveNote(given.note, 'note', granted, call.signal);
    const around = given.depth === 1 ? directNeighbors : widerNeighbors;
    const found = await around({ path, ...given }, page, granted.store, call.signal);
    const isFirst = page.offset === 0 && given.direction !== 'in';
    const unresolved = isFirst ? await unresolvedOf(path, granted, call) : [];
    const sentences = await sentencesOf([...linksIn(found), ...unresolved], granted.vault, call);
    return {
      path,
      match,
      neighbors: await neighborViews(found, sentences, granted, call),
      total: found.total,
      ...(isFirst ? { unresolved: await unresolvedViews(unresolved, sentences, granted, call) } : {}),
      ...paging.next(given, page, { shown: found.neighbors.length, total: found.total }),
    };
  },
});

const linksIn = ({ neighbors }: Neighbors) => neighbors.flatMap(({ links }) => links.map(({ link }) => link));

async function unresolvedOf(path: NotePath, { store }: Granted<'store'>, { signal }: CallContext) {
  const links = await store.links(path, 'out', EVERY_LINK, signal);
  return links.filter(({ target }) => target === null);
}

async function neighborViews(
  { neighbors }: Neighbors,
  sentences: ReadonlyMap<ResolvedLink, string>,
  { store }: Granted<'store'>,
  { signal }: CallContext,
) {
  const paths = neighbors.map(({ path }) => path);
  const titles = new Map((await store.notes(paths, signal)).map(({ path, title }) => [path, title]));
  return neighbors.map((neighbor) => {
    const kind = fileKindOf(neighbor.path);
    return {
      path: neighbor.path,
      ...titleBeside(neighbor.path, titles.get(neighbor.path)),
      ...(kind === 'note' ? {} : { kind }),
      depth: neighbor.depth,
      links: neighbor.links.map((link) => linkView(link, neighbor, sentences)),
    };
  });
}

/** `line` counts in the note that holds the link: the neighbour where the link comes in, the nearer note where it goes out. */
function linkView(
  { link, direction }: LinkedNeighbor['links'][number],
  { depth }: LinkedNeighbor,
  sentences: ReadonlyMap<ResolvedLink, string>,
) {
  return {
    direction,
    line: link.line,
    column: link.column,
    text: link.display,
    ...(sentences.has(link) ? { sentence: sentences.get(link) } : {}),
    ...matchView(link),
    ...(depth === 1 ? {} : { via: direction === 'out' ? link.source : link.target }),
  };
}

async function unresolvedViews(
  links: readonly ResolvedLink[],
  sentences: ReadonlyMap<ResolvedLink, string>,
  { store }: Granted<'store'>,
  { signal }: CallContext,
) {
  const suggest = createSuggest(store, signal);
  const views: object[] = [];
  for (const [at, link] of links.entries()) {
    const suggestion = at < MAX_SUGGESTIONS ? await suggest(link.targetPath) : {};
    const sentence = sentences.has(link) ? { sentence: sentences.get(link) } : {};
    views.push({ name: link.targetPath, line: link.line, column: link.column, ...sentence, ...suggestion });
  }
  return views;
}
