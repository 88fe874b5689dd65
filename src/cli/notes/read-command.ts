// `vaultgraph read`: prints notes or parts of them with the tool read_notes; into a pipe the text of one note alone, byte for byte.
import { type PlainObject, renderText } from '../../mcp/render/render-text.ts';
import { callTool } from '../call-command.ts';
import type { CommonOptions } from '../common-options.ts';
import { print, printText, styled } from '../output.ts';
import { placeText, shownBy } from './answer.ts';

/** All of a note, as far as the tool reads one. */
const MAX_CHARS = 1_000_000;

export function runRead(notes: readonly string[], options: CommonOptions): Promise<number> {
  const manner = { command: 'read', written: { notes: 'NOTE', vault: '--vault' }, print: printNotes };
  const input = { notes, max_chars: MAX_CHARS };
  return callTool({ tools: ['read_notes'], input, ...shownBy(manner, options) }, options);
}

interface Part {
  readonly path: string;
  readonly lines?: readonly [number, number];
  readonly total_lines?: number;
  readonly content?: string;
}

async function printNotes({ succeeded, failed }: PlainObject): Promise<void> {
  const items = succeeded as readonly { readonly result: PlainObject }[];
  const isOne = items.length + (failed as readonly unknown[]).length === 1;
  for (const [at, { result }] of items.entries()) {
    const { content, path, lines, total_lines: total } = result as unknown as Part;
    if (process.stdout.isTTY || !isOne) print(`${at === 0 ? '' : '\n'}${headText(path, lines, total)}\n`);
    // An image has no text.
    if (content === undefined) print(`${renderText(result)}\n`);
    else await printText(content.endsWith('\n') || content === '' ? content : `${content}\n`);
  }
}

function headText(path: string, lines: Part['lines'], total: number | undefined): string {
  const [from, to] = lines ?? [];
  return styled('bold', placeText(path, from === 1 && to === total ? undefined : lines), 'stdout');
}
