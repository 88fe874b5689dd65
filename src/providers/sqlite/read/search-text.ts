// Full-text search: finds the notes that match a query, best first.
import { type NotePath, noteName } from '../../../base/note.ts';
import type { NoteFilter, Page } from '../../../contracts/note-filter.ts';
import type { TextHit, TextHits, TextQuery, TextTerm } from '../../../contracts/store.ts';
import { foldName } from '../../../markdown/links/fold.ts';
import { matchExpression, quoteTerm } from '../database/full-text.ts';
import type { Rows } from '../database/rows.ts';
import { hasFilter, noteConditions } from './note-conditions.ts';
import { withTitle } from './note-names.ts';
import type { TermCounts } from './term-counts.ts';

/** The weights of title, aliases, headings, tags and body. */
const SCORE = '-bm25(texts, 15, 12, 3, 5, 1)';

/** Common terms are left out only if at least this many notes are indexed. */
const MIN_NOTES = 50;
const COMMON_SHARE = 0.5;

export function searchText(rows: Rows, query: TextQuery, filter: NoteFilter, page: Page, counts: TermCounts): TextHits {
  const isFiltered = hasFilter(filter);
  // Without a filter, the number of hits of a single term is its count.
  const needsCounts = query.terms.length > 1 || isFiltered;
  const terms = countTerms(query, needsCounts ? counts : NO_COUNTS);
  const { wanted, unwanted, dropped } = sortTerms(terms, query.match);
  if (wanted.length === 0) return { hits: [], total: 0, dropped, docFrequencies: terms.map(() => 0) };
  const expression = matchExpression(wanted, unwanted, query.match);
  const search = { expression, named: namedIds(rows, query.called), page };
  const found = isFiltered ? filteredHits(rows, search, filter) : allHits(rows, search);
  return { ...found, dropped, docFrequencies: needsCounts ? terms.map(({ count }) => count) : [found.total] };
}

const NO_COUNTS: TermCounts = { indexed: () => 0, notesWith: () => 0 };

/** Notes whose headings or body contain the words of the phrase next to each other, ascending by path. */
export function mentioningNotes(rows: Rows, phrase: string, limit: number): NotePath[] {
  const quoted = quoteTerm({ text: phrase, kind: 'phrase' });
  if (quoted === undefined) return [];
  const sql = `SELECT path FROM texts CROSS JOIN files ON files.id = texts.rowid
    WHERE texts MATCH ? ORDER BY path LIMIT ?`;
  return rows.column<NotePath>(sql, `{headings body} : ${quoted}`, limit);
}

interface CountedTerm extends TextTerm {
  /** Undefined if the text has no word. */
  readonly quoted: string | undefined;
  readonly count: number;
  readonly isCommon: boolean;
}

function countTerms({ terms }: TextQuery, counts: TermCounts): readonly CountedTerm[] {
  const indexed = counts.indexed();
  const max = Math.floor(indexed * COMMON_SHARE);
  return terms.map((term) => {
    const quoted = quoteTerm(term);
    const count = quoted === undefined ? 0 : counts.notesWith(quoted, max);
    return { ...term, quoted, count, isCommon: indexed >= MIN_NOTES && count > max };
  });
}

interface SortedTerms {
  readonly wanted: readonly string[];
  readonly unwanted: readonly string[];
  readonly dropped: readonly string[];
}

/** An `any` query leaves out the terms that most notes contain, unless it has no others. */
function sortTerms(terms: readonly CountedTerm[], match: TextQuery['match']): SortedTerms {
  const usable = terms.filter((term): term is CountedTerm & { readonly quoted: string } => term.quoted !== undefined);
  const positive = usable.filter((term) => !term.negated);
  const rare = match === 'any' ? positive.filter((term) => !term.isCommon) : positive;
  const wanted = rare.length === 0 ? positive : rare;
  const unwanted = usable.filter((term) => term.negated);
  const used = new Set<CountedTerm>([...wanted, ...unwanted]);
  return {
    wanted: wanted.map(({ quoted }) => quoted),
    unwanted: unwanted.map(({ quoted }) => quoted),
    dropped: terms.filter((term) => !used.has(term)).map(({ text }) => text),
  };
}

/** Ids of the notes with the queried name, as JSON arrays; each array is a subset of the one before. */
type NamedIds = readonly [byAnyName: string, byFileName: string, byExactFileName: string];

/** Any name is the file name, an alias or a title, without regard to case. Undefined if no note has the name. */
function namedIds(rows: Rows, name: string | undefined): NamedIds | undefined {
  if (name === undefined) return undefined;
  const key = foldName(name);
  const sql = 'SELECT id, path FROM files WHERE name_key IN (?, ?)';
  const files = rows.all<{ id: number; path: NotePath }>(sql, key, `${key}.md`);
  const others = rows.column<number>('SELECT file FROM names WHERE key = ?', key);
  if (files.length + others.length === 0) return undefined;
  const normalized = name.normalize('NFC');
  const exact = files.filter(({ path }) => noteName(path) === normalized);
  const byName = files.map(({ id }) => id);
  return [JSON.stringify([...byName, ...others]), JSON.stringify(byName), JSON.stringify(exact.map(({ id }) => id))];
}

interface Search {
  readonly expression: string;
  readonly named: NamedIds | undefined;
  readonly page: Page;
}

type Found = Pick<TextHits, 'hits' | 'total'>;
type HitRow = Omit<TextHit, 'title' | 'named'> & { readonly title: string | null; readonly named: number };

/** The number of arrays that contain the id. Most queries are not the name of a note; they sort by score alone. */
function namedSql(id: string, named: NamedIds | undefined): string {
  return named === undefined ? '0' : named.map(() => `(${id} IN (SELECT value FROM json_each(?)))`).join(' + ');
}

/** Reads only the rows of the page from `files`. */
function allHits(rows: Rows, { expression, named, page: { limit, offset } }: Search): Found {
  const total = rows.value<number>('SELECT count(*) FROM texts WHERE texts MATCH ?', expression) ?? 0;
  const byName = named === undefined ? '' : 'named DESC,';
  const sql = `SELECT path, files.title, score AS bm25, modified AS modifiedMs, named
    FROM (SELECT rowid AS id, ${SCORE} AS score, ${namedSql('rowid', named)} AS named FROM texts WHERE texts MATCH ?
      ORDER BY ${byName} score DESC, rowid LIMIT ? OFFSET ?)
    JOIN files USING (id) ORDER BY ${byName} score DESC, id`;
  return { hits: rows.all<HitRow>(sql, ...(named ?? []), expression, limit, offset).map(toHit), total };
}

function filteredHits(rows: Rows, { expression, named, page: { limit, offset } }: Search, filter: NoteFilter): Found {
  const { sql, values } = noteConditions(filter);
  const from = `FROM texts CROSS JOIN files ON files.id = texts.rowid WHERE texts MATCH ? AND ${sql}`;
  const total = rows.value<number>(`SELECT count(*) ${from}`, expression, ...values) ?? 0;
  const found = rows.all<HitRow>(
    `SELECT path, files.title, ${SCORE} AS bm25, modified AS modifiedMs, ${namedSql('files.id', named)} AS named
      ${from} ORDER BY named DESC, bm25 DESC, files.id LIMIT ? OFFSET ?`,
    ...[...(named ?? []), expression, ...values, limit, offset],
  );
  return { hits: found.map(toHit), total };
}

function toHit({ named, ...row }: HitRow): TextHit {
  return { ...withTitle(row), ...(named > 0 ? { named: true } : {}) };
}
