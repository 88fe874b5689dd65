// Gives every link path, tag spelling and property name its number, so that rows need not repeat them.
import { foldName } from '../../../markdown/links/fold.ts';
import type { Rows } from '../database/rows.ts';
import { stemOf } from './link-resolution.ts';

export interface InternedNames {
  linkName(path: string): number;
  tag(tag: string): number;
  property(name: string): number;
}

/** Remembers what it looked up: use it only while no name is dropped. */
export function createInternedNames(rows: Rows): InternedNames {
  return {
    linkName: remembering((path) => {
      const stem = stemOf(path);
      const [known] = rows.column<number>('SELECT id FROM link_names WHERE stem = ? AND path = ?', stem, path);
      return known ?? rows.run('INSERT INTO link_names (path, stem) VALUES (?, ?)', path, stem);
    }),
    tag: remembering((tag) => {
      const [known] = rows.column<number>('SELECT id FROM tag_names WHERE tag = ?', tag);
      return known ?? rows.run('INSERT INTO tag_names (tag, key) VALUES (?, ?)', tag, foldName(tag));
    }),
    property: remembering((name) => {
      const [known] = rows.column<number>('SELECT id FROM property_names WHERE name = ?', name);
      return known ?? rows.run('INSERT INTO property_names (name, key) VALUES (?, ?)', name, foldName(name));
    }),
  };
}

function remembering(look: (name: string) => number): (name: string) => number {
  const known = new Map<string, number>();
  return (name) => {
    const id = known.get(name) ?? look(name);
    known.set(name, id);
    return id;
  };
}
