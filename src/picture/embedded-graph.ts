// The data embedded in an exported page.
import type { GraphPicture } from '../contracts/graph-picture.ts';

export interface EmbeddedGraph {
  readonly picture: GraphPicture;
  /** Two numbers per note. */
  readonly places: readonly number[];
  /** Texts by path; absent if exported without texts. */
  readonly texts?: Readonly<Record<string, string>>;
}
