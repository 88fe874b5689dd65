// Packs chunks into requests that a provider takes at once. Pure.

export interface ChunkToEmbed {
  /** Of its text. */
  readonly hash: string;
  readonly text: string;
  /** Of its note. */
  readonly title: string;
}

export interface RequestLimits {
  readonly items: number;
  readonly characters: number;
  /** Characters that a prefix may add to each text, beside the title in it. */
  readonly prefix: number;
}

export interface Packed {
  readonly full: readonly (readonly ChunkToEmbed[])[];
  /** In order behind the full ones: there is room left for more. */
  readonly rest: readonly ChunkToEmbed[];
}

/** In the given order. A chunk beyond the limit on characters is a request of its own. */
export function packRequests(chunks: readonly ChunkToEmbed[], limits: RequestLimits): Packed {
  const full: ChunkToEmbed[][] = [];
  let rest: ChunkToEmbed[] = [];
  let characters = 0;
  for (const chunk of chunks) {
    const longer = characters + limits.prefix + chunk.title.length + chunk.text.length;
    const isFull = rest.length === limits.items || (rest.length > 0 && longer > limits.characters);
    if (isFull) full.push(rest);
    rest = isFull ? [chunk] : [...rest, chunk];
    characters = isFull ? longer - characters : longer;
  }
  return { full, rest };
}
