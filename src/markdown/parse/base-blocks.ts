// Finds the bases in code blocks of a note.
import { bodyStart } from '../properties/front-matter.ts';
import { scanBlocks } from './blocks.ts';
import { splitLines } from './lines.ts';

export interface BaseBlock {
  readonly text: string;
  /** How many lines of the note are above its text. */
  readonly linesAbove: number;
}

/** The marks of quotes and callouts, and the indent. */
const OUTER = /^(?:[ \t]*>)*[ \t]*/;
const FENCE = /^(?:`{3,}|~{3,})[ \t]*$/;

/** Those of quotes and callouts too. A block without an end reaches to the end of what it is in. */
export function baseBlocks(text: string): readonly BaseBlock[] {
  const lines = splitLines(text);
  const { fences } = scanBlocks(text, lines, bodyStart(text, lines).bodyLine);
  const lineAt = (line: number): string => text.slice(lines.starts[line - 1], lines.ends[line - 1]);
  return fences.flatMap(({ line, endLine, info }) => {
    if (!/^base\b/.test(info)) return [];
    const outer = outerOf(lineAt(line));
    const rows = Array.from({ length: endLine - line }, (_, at) => lineAt(line + 1 + at));
    const inner = rows.map((row) => row.slice(Math.min(outer, outerOf(row))));
    return [{ text: (FENCE.test(inner.at(-1) ?? '') ? inner.slice(0, -1) : inner).join('\n'), linesAbove: line }];
  });
}

const outerOf = (row: string): number => OUTER.exec(row)?.[0].length ?? 0;
