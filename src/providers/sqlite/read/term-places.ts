// In which fields of one note terms stand.
import type { NotePath } from '../../../base/note.ts';
import type { TermPlace, TextField, TextTerm } from '../../../contracts/store.ts';
import type { Rows } from '../database/rows.ts';
import { matchTerm } from './match-expression.ts';

/** The columns of full-text search. */
const FIELDS: readonly TextField[] = ['title', 'aliases', 'headings', 'tags', 'body'];

/** In the order asked; a term without a word stands nowhere. */
export function termPlaces(rows: Rows, path: NotePath, terms: readonly TextTerm[]): TermPlace[] {
  const [file] = rows.column<number>('SELECT id FROM files WHERE path = ?', path);
  return terms.map((term) => {
    const quoted = matchTerm(term);
    if (quoted === undefined) return { fields: [], notes: 0 };
    const [notes = 0] = rows.column<number>('SELECT count(*) FROM texts WHERE texts MATCH ?', quoted);
    const isIn = (field: TextField): boolean => file !== undefined && stands(rows, file, `{${field}} : ${quoted}`);
    return { fields: FIELDS.filter(isIn), notes };
  });
}

/** Beside a match the engine takes no row id for one that is bound as a floating number. */
function stands(rows: Rows, file: number, expression: string): boolean {
  const sql = 'SELECT 1 FROM texts WHERE texts MATCH ? AND rowid = CAST(? AS INTEGER)';
  return rows.column(sql, expression, file).length > 0;
}
