// Reads the query of a colour group: which notes it matches, by title, path and tags.
import type { PicturedNote } from '../../contracts/graph-picture.ts';
import { hasTag } from '../source/model.ts';

export type NoteMatch = (note: PicturedNote) => boolean;

/** `-`, a field and a word, which may be quoted. */
const TERM = /(-?)(?:(path|file|tag):)?(?:"([^"]+)"|([^\s"]+))/gi;

/** Every term must match; `OR` begins an alternative. An empty query matches nothing. */
export function noteMatch(query: string): NoteMatch {
  const choices = query.split(/\sOR\s/).map((text) => Array.from(text.matchAll(TERM), termMatch));
  const some = choices.filter((terms) => terms.length > 0);
  return (note) => some.some((terms) => terms.every((matches) => matches(note)));
}

function termMatch([, minus, field = '', quoted, word]: RegExpExecArray): NoteMatch {
  const sought = (quoted ?? word ?? '').toLowerCase();
  const matches = fieldMatch(field.toLowerCase(), sought);
  return minus === '' ? matches : (note) => !matches(note);
}

function fieldMatch(field: string, sought: string): NoteMatch {
  if (field === 'tag') return (note) => hasTag(note, sought.startsWith('#') ? sought : `#${sought}`);
  if (field === 'file')
    return ({ path }) =>
      path
        .slice(path.lastIndexOf('/') + 1)
        .toLowerCase()
        .includes(sought);
  if (field === 'path') return ({ path }) => path.toLowerCase().includes(sought);
  return ({ title, path }) => title.toLowerCase().includes(sought) || path.toLowerCase().includes(sought);
}
