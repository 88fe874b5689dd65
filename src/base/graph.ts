// The links of the vault in the form that graph algorithms take.
import type { NotePath } from './note.ts';

/**
 * Directed links between notes, canvases and bases as compressed sparse rows: the notes that node `n` links to are
 * `targets[offsets[n] … offsets[n + 1])`, ascending, each once, with `counts` links at the same index. Links of a node to
 * itself and links to attachments or to nothing are not in it. Nodes are in ascending order of their path's code points.
 */
export interface Graph {
  /** The last revision of the index that changed a node or an edge; equal revisions mean equal graphs. */
  readonly revision: number;
  readonly paths: readonly NotePath[];
  readonly offsets: Int32Array;
  readonly targets: Int32Array;
  readonly counts: Int32Array;
  /** The nodes that Obsidian's settings exclude from lists; absent if there are none. */
  readonly excluded?: ReadonlySet<NotePath>;
}
