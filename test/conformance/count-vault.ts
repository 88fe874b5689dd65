// Counts what a vault's export contains, by kind.
import type { ExportedNote } from './exported-vault.ts';

export type VaultCounts = Readonly<Record<string, number>>;

/** Only kinds that occur are listed. */
export function countVault(notes: Iterable<ExportedNote>): VaultCounts {
  const counts = new Map<string, number>();
  const add = (name: string, more = 1): void => {
    if (more > 0) counts.set(name, (counts.get(name) ?? 0) + more);
  };
  for (const note of notes) {
    add(`${note.kind}_files`);
    for (const link of note.links) {
      add(`${link.kind}_links`);
      if (link.path === null) add('unresolved');
      else if (link.match !== 'exact') add(`${link.match}_matches`);
    }
    for (const { from } of note.tag_places) add(`${from}_tags`);
    add('aliases', note.aliases.length);
    add('headings', note.headings.length);
    add('blocks', note.blocks.length);
    add('properties', Object.keys(note.properties).length);
    for (const { code } of note.faults ?? []) add(code);
  }
  return Object.fromEntries([...counts].sort(([one], [other]) => (one < other ? -1 : 1)));
}
