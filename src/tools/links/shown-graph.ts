// The links between the notes of an answer, for the picture that applications show beside it.
import * as z from 'zod';
import { type NotePath, noteName } from '../../base/note.ts';
import type { ShownGraph } from '../../contracts/graph-picture.ts';
import { defineTool } from '../../contracts/tool.ts';
import { nodeOf } from './note-graph.ts';

export const shownGraph = defineTool({
  name: 'graph/shown',
  title: 'Links between notes',
  summary: 'Titles of notes, and the links between them.',
  effect: 'reads',
  needs: ['store'],
  index: 'part',
  fails: [],
  input: z.strictObject({
    /** A JSON list of paths: as an argument, a list would be limited to `limits.batch`. */
    paths: z.string(),
    /** The vault that is shown, where there are several. */
    vault: z.string().optional(),
  }),
  run: async ({ paths: list }, { store }, { signal }): Promise<ShownGraph> => {
    const paths = z.array(z.string()).parse(JSON.parse(list)) as NotePath[];
    const [graph, titles] = [await store.graph(signal), await store.titles(paths, signal)];
    const nodes = paths.map((path) => nodeOf(graph, path));
    const places = new Map(nodes.map((node, place) => [node, place]));
    const links = nodes.flatMap((node, source) => {
      if (node === undefined) return [];
      const triples: number[] = [];
      for (let at = graph.offsets[node] ?? 0; at < (graph.offsets[node + 1] ?? 0); at++) {
        const target = places.get(graph.targets[at]);
        if (target !== undefined) triples.push(source, target, graph.counts[at] ?? 1);
      }
      return triples;
    });
    return { notes: paths.map((path) => ({ path, title: titles.get(path) ?? noteName(path) })), links };
  },
});
