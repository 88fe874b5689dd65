// The text of every note of a picture, for a page that is to show it without a server. Knows no page.
import type { GraphPicture } from '../../contracts/graph-picture.ts';
import type { GraphCore } from '../../graph-core.ts';

const NOTES_AT_ONCE = 50;

interface ReadNotes {
  readonly succeeded: readonly { readonly id: string; readonly result: { readonly content: string } }[];
}

/** By path. How many notes could not be read is told on stderr. */
export async function noteTexts(
  { notes }: GraphPicture,
  core: GraphCore,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const paths = notes.filter(({ kind }) => kind === 'note').map(({ path }) => path);
  const texts: [string, string][] = [];
  for (let at = 0; at < paths.length; at += NOTES_AT_ONCE) {
    const input = { notes: paths.slice(at, at + NOTES_AT_ONCE) };
    const caller = { signal, limitMs: Number.POSITIVE_INFINITY, client: 'vaultgraph view' };
    const { structured } = await core.call('read_notes', input, caller);
    const { succeeded } = structured.ok ? (structured.data as unknown as ReadNotes) : { succeeded: [] };
    for (const { id, result } of succeeded) texts.push([id, result.content]);
  }
  const without = paths.length - texts.length;
  if (without > 0) process.stderr.write(`${without} notes could not be read and have no text in the page\n`);
  return Object.fromEntries(texts);
}
