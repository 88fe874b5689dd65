// Full-text search: which notes hold the terms, best first. Knows nothing of how a query was written or how a hit is shown.
import type { NotePath } from '../../base/note.ts';
import type { NoteFilter, Page } from '../../contracts/note-filter.ts';
import type { TextHit, TextHits, TextQuery, TextTerm } from '../../contracts/store.ts';
import { matchExpression, matchTerm } from './match-expression.ts';
import { filters, noteConditions } from './note-conditions.ts';
import { titled } from './note-names.ts';
import type { Rows } from './rows.ts';

/** How much a word counts in the title, the aliases, the headings, the tags and the body. */
const SCORE = '-bm25(texts, 10, 8, 5, 5, 1)';

/** In fewer notes than this no term is so common that leaving it out pays. */
const FEWEST_NOTES = 50;
const COMMON_SHARE = 0.5;

/** How many notes hold a quoted term, counted no further than `most`. */
export type CountNotes = (rows: Rows, quoted: string, most: number) => number;

export function searchText(
  rows: Rows,
  query: TextQuery,
  filter: NoteFilter,
  page: Page,
  countNotes: CountNotes,
): TextHits {
  const { wanted, unwanted, dropped } = sortedTerms(rows, query, countNotes);
  if (wanted.length === 0) return { hits: [], total: 0, dropped };
  const expression = matchExpression(wanted, unwanted, query.match);
  const found = filters(filter) ? filteredHits(rows, expression, filter, page) : allHits(rows, expression, page);
  return { ...found, dropped };
}

/** Notes whose text holds the words of the phrase next to each other, ascending by path. */
export function mentioningNotes(rows: Rows, phrase: string, limit: number): NotePath[] {
  const quoted = matchTerm({ text: phrase, kind: 'phrase' });
  if (quoted === undefined) return [];
  const sql = `SELECT path FROM texts CROSS JOIN files ON files.id = texts.rowid
    WHERE texts MATCH ? ORDER BY path LIMIT ?`;
  return rows.column<NotePath>(sql, `{headings body} : ${quoted}`, limit);
}

interface SortedTerms {
  readonly wanted: readonly string[];
  readonly unwanted: readonly string[];
  readonly dropped: readonly string[];
}

function sortedTerms(rows: Rows, { terms, match }: TextQuery, countNotes: CountNotes): SortedTerms {
  const quoted = terms.map((term) => ({ ...term, quoted: matchTerm(term) }));
  const readable = quoted.filter((term): term is QuotedTerm => term.quoted !== undefined);
  const positive = readable.filter((term) => !term.negated);
  const common = match === 'any' ? commonTerms(rows, positive, countNotes) : new Set<QuotedTerm>();
  return {
    wanted: positive.filter((term) => !common.has(term)).map((term) => term.quoted),
    unwanted: readable.filter((term) => term.negated).map((term) => term.quoted),
    dropped: quoted
      .filter((term) => term.quoted === undefined || common.has(term as QuotedTerm))
      .map(({ text }) => text),
  };
}

type QuotedTerm = TextTerm & { readonly quoted: string };

/** The terms that stand in most notes; none when no other term would be left. */
function commonTerms(rows: Rows, terms: readonly QuotedTerm[], countNotes: CountNotes): ReadonlySet<QuotedTerm> {
  if (terms.length < 2) return new Set();
  const [indexed = 0] = rows.column<number>('SELECT count(*) FROM contents');
  if (indexed < FEWEST_NOTES) return new Set();
  const most = Math.floor(indexed * COMMON_SHARE);
  const common = terms.filter((term) => countNotes(rows, term.quoted, most + 1) > most);
  return new Set(common.length < terms.length ? common : []);
}

type HitRow = Omit<TextHit, 'title'> & { readonly title: string | null };

/** Without a filter only the rows of the page are looked up in `files`. */
function allHits(rows: Rows, expression: string, { limit, offset }: Page): Pick<TextHits, 'hits' | 'total'> {
  const [total = 0] = rows.column<number>('SELECT count(*) FROM texts WHERE texts MATCH ?', expression);
  const sql = `SELECT path, files.title, score AS bm25, modified AS modifiedMs
    FROM (SELECT rowid AS id, ${SCORE} AS score FROM texts WHERE texts MATCH ? ORDER BY score DESC, rowid LIMIT ? OFFSET ?)
    JOIN files USING (id) ORDER BY score DESC, id`;
  return { hits: rows.all<HitRow>(sql, expression, limit, offset).map(titled), total };
}

function filteredHits(
  rows: Rows,
  expression: string,
  filter: NoteFilter,
  { limit, offset }: Page,
): Pick<TextHits, 'hits' | 'total'> {
  const { sql, values } = noteConditions(filter);
  const from = `FROM texts CROSS JOIN files ON files.id = texts.rowid WHERE texts MATCH ? AND ${sql}`;
  const [total = 0] = rows.column<number>(`SELECT count(*) ${from}`, expression, ...values);
  const hits = rows.all<HitRow>(
    `SELECT path, files.title, ${SCORE} AS bm25, modified AS modifiedMs ${from} ORDER BY bm25 DESC, files.id LIMIT ? OFFSET ?`,
    expression,
    ...values,
    limit,
    offset,
  );
  return { hits: hits.map(titled), total };
}
