// Tool: the shortest chains of links between two notes.
import * as z from 'zod';
import { defineTool } from '../../contracts/tool.ts';
import { shortestPaths } from '../../graph/shortest-paths.ts';
import { noteArgument, RESOLVE_FAILURES, resolveNote } from '../notes/note-reference.ts';
import { nodeOf } from './note-graph.ts';

const MAX_PATHS = 20;

export const findPath = defineTool({
  name: 'find_path',
  title: 'Path between notes',
  summary: 'Finds the shortest chains of links between two notes. Returns the paths of the notes on each.',
  others: { get_neighbors: 'all links of one note' },
  words: 'how are notes connected',
  effect: 'reads',
  references: ['from', 'to'],
  needs: ['store', 'vault'],
  index: 'whole',
  fails: RESOLVE_FAILURES,
  input: z.strictObject({
    from: noteArgument,
    to: noteArgument,
    directed: z.boolean().default(false).describe('true: only forwards'),
    max_paths: z.int().min(1).max(MAX_PATHS).default(3).describe('chains'),
  }),
  run: async ({ from, to, directed, max_paths: maxPaths }, granted, call) => {
    const start = await resolveNote(from, 'from', granted, call);
    const goal = await resolveNote(to, 'to', granted, call);
    const graph = await granted.store.graph(call.signal);
    const startNode = nodeOf(graph, start.path);
    const goalNode = nodeOf(graph, goal.path);
    const chains =
      startNode === undefined || goalNode === undefined
        ? []
        : shortestPaths(graph, startNode, goalNode, { directed, maxPaths });
    const [first] = chains;
    return {
      found: first !== undefined,
      from: start.path,
      to: goal.path,
      ...(first === undefined ? {} : { length: first.length - 1 }),
      paths: chains.map((chain) => chain.map((node) => graph.paths[node])),
    };
  },
});
