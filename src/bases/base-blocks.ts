// Finds the bases in code blocks of a note.
import { letOthersRun } from '../base/threads/turns.ts';
import { closesFence, type Fence, fenceAt } from '../markdown/parse/line-marks.ts';

export interface BaseBlock {
  readonly text: string;
  /** How many lines of the note are above its text. */
  readonly linesAbove: number;
}

/** The marks of quotes and callouts, and the indent. */
const OUTER = /^(?:[ \t]*>)*[ \t]*/;
const IS_BASE = /^base[ \t]*$/;

/** Those of quotes and callouts too. A block without an end reaches to the end of the note. */
export async function baseBlocks(text: string, signal: AbortSignal): Promise<BaseBlock[]> {
  const found: BaseBlock[] = [];
  let open:
    | { readonly fence: Fence; readonly isBase: boolean; readonly outer: number; readonly from: number }
    | undefined;
  let rows: string[] = [];
  let number = 0;
  const close = (): void => {
    if (open?.isBase) found.push({ text: rows.join('\n'), linesAbove: open.from });
    open = undefined;
    rows = [];
  };
  for (let from = 0; from <= text.length; number += 1) {
    const end = text.indexOf('\n', from);
    const line = text.slice(from, end === -1 ? text.length : end).replace(/\r$/, '');
    from = end === -1 ? text.length + 1 : end + 1;
    const outer = OUTER.exec(line)?.[0].length ?? 0;
    if (open === undefined) {
      const fence = fenceAt(line, outer, line.length);
      const isBase = fence !== undefined && IS_BASE.test(line.slice(outer + fence.length).trimStart());
      if (fence !== undefined) open = { fence, isBase, outer, from: number + 1 };
    } else if (closesFence(open.fence, line, outer, line.length)) close();
    else if (open.isBase) rows.push(line.slice(Math.min(outer, open.outer)));
    await letOthersRun(signal);
  }
  close();
  return found;
}
