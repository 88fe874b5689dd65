// Reads the whole texts of many notes, with their links and properties, for an export.

import type { GraphCore } from '../../app/graph-core.ts';
import { NEVER } from '../../base/until-aborted.ts';
import type { EmbeddedNote } from '../../picture/shape.ts';
import { report } from '../output.ts';

const NOTES_AT_ONCE = 20;
/** The longest text of a note: even with three bytes a character it fits into one answer. */
const MAX_TEXT = 250_000;

interface ReadNotes {
  readonly succeeded: readonly { readonly id: string; readonly result: ReadNote }[];
}

interface ReadNote {
  readonly content: string;
  readonly truncated?: object;
  readonly links: readonly { readonly link: string; readonly path?: string }[];
  readonly properties: Readonly<Record<string, unknown>>;
}

/**
 * The notes, or parts of notes, by their references. How many could not be read, or not whole, is printed to stderr.
 * @param what the words for more than one of them
 */
export async function noteTexts(
  paths: readonly string[],
  core: GraphCore,
  what = 'notes',
): Promise<ReadonlyMap<string, EmbeddedNote>> {
  const texts = new Map<string, EmbeddedNote>();
  let cut = 0;
  for (let at = 0; at < paths.length; at += NOTES_AT_ONCE) {
    for (const { id, result } of await readNotes(paths.slice(at, at + NOTES_AT_ONCE), core)) {
      texts.set(id, embeddedNote(result));
      if (result.truncated !== undefined) cut += 1;
    }
  }
  const without = paths.length - texts.size;
  if (without > 0) report(`${without} ${what} could not be read and have no text here\n`);
  if (cut > 0) report(`${cut} ${what} are longer than ${MAX_TEXT} characters and are cut here\n`);
  return texts;
}

/** Halves a batch whose answer would be too large. */
async function readNotes(notes: readonly string[], core: GraphCore): Promise<ReadNotes['succeeded']> {
  const caller = { signal: NEVER, limitMs: Number.POSITIVE_INFINITY, client: 'vaultgraph export' };
  const input = { notes, include: ['content', 'links', 'properties'], max_chars: MAX_TEXT };
  const { structured } = await core.call('read_notes', input, caller);
  if (structured.ok) return (structured.data as unknown as ReadNotes).succeeded;
  if (structured.error.code !== 'LIMIT_EXCEEDED' || notes.length === 1) return [];
  const half = Math.ceil(notes.length / 2);
  const parts = [notes.slice(0, half), notes.slice(half)];
  return [...(await readNotes(parts[0] ?? [], core)), ...(await readNotes(parts[1] ?? [], core))];
}

function embeddedNote({ content, links, properties }: ReadNote): EmbeddedNote {
  return {
    text: content,
    links: Object.fromEntries(links.map(({ link, path = null }) => [link, path])),
    properties,
  };
}
