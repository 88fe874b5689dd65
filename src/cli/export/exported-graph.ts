// Converts exported notes to nodes and edges for graph formats.

/** The fields of an exported note that a graph needs. */
export interface GraphNote {
  readonly path: string;
  readonly kind: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly links: readonly GraphLink[];
}

export interface GraphLink {
  readonly kind: string;
  readonly link: string;
  /** Null for an unresolved link. */
  readonly path: string | null;
  readonly display: string;
  readonly line: number;
}

export interface GraphNode {
  readonly path: string;
  readonly title: string;
  /** `note`, `canvas`, `base`, or `attachment` for any other linked file. */
  readonly kind: string;
  readonly tags: readonly string[];
}

export interface GraphEdge {
  readonly source: string;
  readonly target: string;
  readonly kind: string;
  readonly line: number;
}

/** All notes in order, then linked attachments; then every resolved link, as often as it occurs. */
export async function* graphOf(
  notes: AsyncIterable<GraphNote>,
): AsyncGenerator<{ readonly node: GraphNode } | { readonly edge: GraphEdge }> {
  const seen = new Set<string>();
  const edges: GraphEdge[] = [];
  for await (const { path, title, kind, tags, links } of notes) {
    seen.add(path);
    for (const { path: target, kind: link, line } of links)
      if (target !== null) edges.push({ source: path, target, kind: link, line });
    yield { node: { path, title, kind, tags } };
  }
  const attached = new Set(edges.map(({ target }) => target).filter((target) => !seen.has(target)));
  for (const path of [...attached].sort())
    yield { node: { path, title: fileName(path), kind: 'attachment', tags: [] } };
  for (const edge of edges) yield { edge };
}

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
