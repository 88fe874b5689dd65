// Tool: the shortest chains of links between two notes.
import * as z from 'zod';
import type { NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { shortestPaths } from '../../graph/shortest-paths.ts';
import { noteArgument, RESOLVE_FAILURES, resolveNote } from '../notes/note-reference.ts';
import { listedGraph, nodeOf } from './note-graph.ts';
import { sentencesOf } from './sentences.ts';

const MAX_PATHS = 20;

export const findPath = defineTool({
  name: 'find_path',
  title: 'Path between notes',
  summary:
    'Finds the shortest chains of links between two notes. Returns their paths, and direction, line and sentence of each link.',
  words: 'how are notes connected',
  effect: 'reads',
  references: ['from', 'to'],
  needs: ['store', 'vault'],
  index: 'whole',
  fails: RESOLVE_FAILURES,
  input: z.strictObject({
    from: noteArgument,
    to: noteArgument,
    directed: z.boolean().default(false).describe('only forwards'),
    max_paths: z.int().min(1).max(MAX_PATHS).default(3).describe('chains'),
  }),
  run: async ({ from, to, directed, max_paths: maxPaths }, granted, call) => {
    const start = await resolveNote(from, 'from', granted, call);
    const goal = await resolveNote(to, 'to', granted, call);
    const graph = listedGraph(await granted.store.graph(call.signal), start.path, goal.path);
    const startNode = nodeOf(graph, start.path);
    const goalNode = nodeOf(graph, goal.path);
    const chains =
      startNode === undefined || goalNode === undefined
        ? []
        : shortestPaths(graph, startNode, goalNode, { directed, maxPaths });
    const [first] = chains;
    const paths = chains.map((chain) => chain.map((node) => graph.paths[node] as NotePath));
    return {
      found: first !== undefined,
      from: start.path,
      to: goal.path,
      ...(first === undefined ? {} : { length: first.length - 1 }),
      paths,
      ...(paths.length > 0 && { hops: await hopsOf(paths, granted, call) }),
    };
  },
});

/**
 * The first link of each hop: `out` leads to the next note of the chain, `in` back from it. `chain` and `hop` count from 1.
 * @throws VAULT_UNAVAILABLE
 */
async function hopsOf(
  paths: readonly (readonly NotePath[])[],
  { store, vault }: Granted<'store' | 'vault'>,
  call: CallContext,
) {
  const steps = paths.flatMap((chain, at) =>
    chain.slice(1).map((to, hop) => ({ chain: at + 1, hop: hop + 1, from: chain[hop] as NotePath, to })),
  );
  const pairs = steps.flatMap(({ from, to }) => [
    { source: from, target: to },
    { source: to, target: from },
  ]);
  const links = await store.linksBetween(pairs, 1, call.signal);
  const linkOf = new Map(links.map((link) => [`${link.source}\0${link.target}`, link]));
  const hops = steps.flatMap(({ chain, hop, from, to }) => {
    const [out, back] = [linkOf.get(`${from}\0${to}`), linkOf.get(`${to}\0${from}`)];
    const link = out ?? back;
    const direction = out === undefined ? ('in' as const) : ('out' as const);
    return link === undefined ? [] : [{ chain, hop, direction, link }];
  });
  const sentences = await sentencesOf([...new Set(hops.map(({ link }) => link))], vault, call);
  return hops.map(({ link, ...hop }) => ({ ...hop, line: link.line, sentence: sentences.get(link) }));
}
