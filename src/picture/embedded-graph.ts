// What a page that needs no server carries within it.
import type { GraphPicture } from '../contracts/graph-picture.ts';

export interface EmbeddedGraph {
  readonly picture: GraphPicture;
  /** Two numbers a note. */
  readonly places: readonly number[];
  /** By path; absent where the page was made without them. */
  readonly texts?: Readonly<Record<string, string>>;
}
