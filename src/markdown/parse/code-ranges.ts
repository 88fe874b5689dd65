// Finds the code of a note: code blocks line by line, and code spans.
import { bodyStart } from '../properties/front-matter.ts';
import { scanBlocks } from './blocks.ts';
import { scanInline } from './inline.ts';
import { splitLines } from './lines.ts';
import { offsetIn } from './text-run.ts';

/** Offsets in the text. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

export function codeRanges(text: string): TextRange[] {
  const lines = splitLines(text);
  const { runs, codeLines } = scanBlocks(text, lines, bodyStart(text, lines).bodyLine);
  const spans = runs.flatMap((run) =>
    scanInline(run.text, false).code.map(({ from, to }) => ({ from: offsetIn(run, from), to: offsetIn(run, to) })),
  );
  const rows = codeLines.map((line) => ({ from: lines.starts[line - 1] ?? 0, to: lines.ends[line - 1] ?? 0 }));
  return [...rows, ...spans];
}
