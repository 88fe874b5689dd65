// Assigns ids to link paths, tags and property names, so that rows need not repeat the texts.
import { foldName } from '../../../markdown/links/fold.ts';
import { memoize } from '../database/cache.ts';
import type { Rows } from '../database/rows.ts';
import { stemOf } from './link-resolution.ts';

/** Ids held at once of each kind: a single note may have a million names. */
const MAX_KEPT = 50_000;

export interface NameIds {
  linkName(path: string): number;
  tag(tag: string): number;
  property(name: string): number;
}

const idsBy = (idOf: (name: string) => number) => memoize(idOf, new Map(), MAX_KEPT);

/** Caches the ids: usable only while no name is deleted. */
export function createNameIds(rows: Rows): NameIds {
  return {
    linkName: idsBy((path: string) => {
      const stem = stemOf(path);
      const known = rows.value<number>('SELECT id FROM link_names WHERE stem = ? AND path = ?', stem, path);
      return known ?? rows.run('INSERT INTO link_names (path, stem) VALUES (?, ?)', path, stem);
    }),
    tag: idsBy((tag: string) => {
      const known = rows.value<number>('SELECT id FROM tag_names WHERE tag = ?', tag);
      return known ?? rows.run('INSERT INTO tag_names (tag, key) VALUES (?, ?)', tag, foldName(tag));
    }),
    property: idsBy((name: string) => {
      const known = rows.value<number>('SELECT id FROM property_names WHERE name = ?', name);
      return known ?? rows.run('INSERT INTO property_names (name, key) VALUES (?, ?)', name, foldName(name));
    }),
  };
}
