// Full-text search: which notes hold the terms, best first.
import { type NotePath, noteName } from '../../../base/note.ts';
import type { NoteFilter, Page } from '../../../contracts/note-filter.ts';
import type { TextHit, TextHits, TextQuery, TextTerm } from '../../../contracts/store.ts';
import { foldName } from '../../../markdown/links/fold.ts';
import { matchExpression, matchTerm } from '../database/full-text.ts';
import type { Rows } from '../database/rows.ts';
import { filters, noteConditions } from './note-conditions.ts';
import { titled } from './note-names.ts';
import type { TermCounts } from './term-counts.ts';

/** How much a word counts in the title, the aliases, the headings, the tags and the body. */
const SCORE = '-bm25(texts, 15, 12, 3, 5, 1)';

/** In fewer notes than this no term is so common that leaving it out pays. */
const MIN_NOTES = 50;
const COMMON_SHARE = 0.5;

export function searchText(rows: Rows, query: TextQuery, filter: NoteFilter, page: Page, counts: TermCounts): TextHits {
  const isNarrowed = filters(filter);
  // What one term alone finds is what holds it.
  const isCounted = query.terms.length > 1 || isNarrowed;
  const terms = countedTerms(rows, query, isCounted ? counts : NO_COUNTS);
  const { wanted, unwanted, dropped } = sortedTerms(terms, query.match);
  if (wanted.length === 0) return { hits: [], total: 0, dropped, holding: terms.map(() => 0) };
  const expression = matchExpression(wanted, unwanted, query.match);
  const asked = { expression, called: calledIds(rows, query.called), page };
  const found = isNarrowed ? filteredHits(rows, asked, filter) : allHits(rows, asked);
  return { ...found, dropped, holding: isCounted ? terms.map(({ count }) => count) : [found.total] };
}

const NO_COUNTS: TermCounts = { indexed: () => 0, holding: () => 0 };

/** Notes whose text holds the words of the phrase next to each other, ascending by path. */
export function mentioningNotes(rows: Rows, phrase: string, limit: number): NotePath[] {
  const quoted = matchTerm({ text: phrase, kind: 'phrase' });
  if (quoted === undefined) return [];
  const sql = `SELECT path FROM texts CROSS JOIN files ON files.id = texts.rowid
    WHERE texts MATCH ? ORDER BY path LIMIT ?`;
  return rows.column<NotePath>(sql, `{headings body} : ${quoted}`, limit);
}

interface CountedTerm extends TextTerm {
  /** Undefined where it holds no word. */
  readonly quoted: string | undefined;
  readonly count: number;
  readonly isCommon: boolean;
}

function countedTerms(rows: Rows, { terms }: TextQuery, counts: TermCounts): readonly CountedTerm[] {
  const indexed = counts.indexed(rows);
  const most = Math.floor(indexed * COMMON_SHARE);
  return terms.map((term) => {
    const quoted = matchTerm(term);
    const count = quoted === undefined ? 0 : counts.holding(rows, quoted, most);
    return { ...term, quoted, count, isCommon: indexed >= MIN_NOTES && count > most };
  });
}

interface SortedTerms {
  readonly wanted: readonly string[];
  readonly unwanted: readonly string[];
  readonly dropped: readonly string[];
}

/** Of `any` terms those that stand in most notes are left out, unless no other would be left. */
function sortedTerms(terms: readonly CountedTerm[], match: TextQuery['match']): SortedTerms {
  const readable = terms.filter((term): term is CountedTerm & { readonly quoted: string } => term.quoted !== undefined);
  const positive = readable.filter((term) => !term.negated);
  const rare = match === 'any' ? positive.filter((term) => !term.isCommon) : positive;
  const wanted = rare.length === 0 ? positive : rare;
  const unwanted = readable.filter((term) => term.negated);
  const used = new Set<CountedTerm>([...wanted, ...unwanted]);
  return {
    wanted: wanted.map(({ quoted }) => quoted),
    unwanted: unwanted.map(({ quoted }) => quoted),
    dropped: terms.filter((term) => !used.has(term)).map(({ text }) => text),
  };
}

/** Notes that are called so, as JSON lists of their ids, each list within the one before. */
type Called = readonly [anyhow: string, byFileName: string, letterByLetter: string];

/** By name, alias or title; by the name of the file; and by that in the same case. Undefined where none is called so. */
function calledIds(rows: Rows, called: string | undefined): Called | undefined {
  if (called === undefined) return undefined;
  const key = foldName(called);
  const sql = 'SELECT id, path FROM files WHERE name_key IN (?, ?)';
  const files = rows.all<{ id: number; path: NotePath }>(sql, key, `${key}.md`);
  const others = rows.column<number>('SELECT file FROM names WHERE key = ?', key);
  if (files.length + others.length === 0) return undefined;
  const written = called.normalize('NFC');
  const exact = files.filter(({ path }) => noteName(path) === written);
  const byName = files.map(({ id }) => id);
  return [JSON.stringify([...byName, ...others]), JSON.stringify(byName), JSON.stringify(exact.map(({ id }) => id))];
}

interface Asked {
  readonly expression: string;
  readonly called: Called | undefined;
  readonly page: Page;
}

type Found = Pick<TextHits, 'hits' | 'total'>;
type HitRow = Omit<TextHit, 'title' | 'named'> & { readonly title: string | null; readonly named: number };

/** In how many of the lists a note stands. Most queries call nothing, and sort by the score alone. */
function namedSql(id: string, called: Called | undefined): string {
  return called === undefined ? '0' : called.map(() => `(${id} IN (SELECT value FROM json_each(?)))`).join(' + ');
}

/** Without a filter only the rows of the page are looked up in `files`. */
function allHits(rows: Rows, { expression, called, page: { limit, offset } }: Asked): Found {
  const [total = 0] = rows.column<number>('SELECT count(*) FROM texts WHERE texts MATCH ?', expression);
  const byName = called === undefined ? '' : 'named DESC,';
  const sql = `SELECT path, files.title, score AS bm25, modified AS modifiedMs, named
    FROM (SELECT rowid AS id, ${SCORE} AS score, ${namedSql('rowid', called)} AS named FROM texts WHERE texts MATCH ?
      ORDER BY ${byName} score DESC, rowid LIMIT ? OFFSET ?)
    JOIN files USING (id) ORDER BY ${byName} score DESC, id`;
  return { hits: rows.all<HitRow>(sql, ...(called ?? []), expression, limit, offset).map(hit), total };
}

function filteredHits(rows: Rows, { expression, called, page: { limit, offset } }: Asked, filter: NoteFilter): Found {
  const { sql, values } = noteConditions(filter);
  const from = `FROM texts CROSS JOIN files ON files.id = texts.rowid WHERE texts MATCH ? AND ${sql}`;
  const [total = 0] = rows.column<number>(`SELECT count(*) ${from}`, expression, ...values);
  const found = rows.all<HitRow>(
    `SELECT path, files.title, ${SCORE} AS bm25, modified AS modifiedMs, ${namedSql('files.id', called)} AS named
      ${from} ORDER BY named DESC, bm25 DESC, files.id LIMIT ? OFFSET ?`,
    ...(called ?? []),
    ...[expression, ...values, limit, offset],
  );
  return { hits: found.map(hit), total };
}

function hit({ named, ...row }: HitRow): TextHit {
  return { ...titled(row), ...(named > 0 ? { named: true } : {}) };
}
