// Applies one set of changes inside one transaction.
import { VaultgraphError } from '../../../base/errors.ts';
import type { ChangeSet, IndexedFile, QuarantineRow } from '../../../contracts/store.ts';
import { PARSER_RULES } from '../../../markdown/parse/parser-rules.ts';
import type { Rows } from '../database/rows.ts';
import { outdateChunks } from '../vectors/delete-vectors.ts';
import { forgetContent, writeContent } from './content-rows.ts';
import { writeFiles } from './file-rows.ts';
import { createLinkResolution, type LinkResolution } from './link-resolution.ts';
import { dropUnusedNames, noteEdges, resolveAgain, targetsOf, writeLinks } from './link-writes.ts';
import { createInternedNames, type InternedNames } from './name-ids.ts';

/** Every table of what is derived from the notes. */
const DERIVED = [
  'files',
  'contents',
  'link_names',
  'links',
  'tag_names',
  'tags',
  'names',
  'property_names',
  'property_values',
  'tasks',
  'quarantine',
  'generations',
  'vectors',
  'chunks',
  'embedded',
  'failed_chunks',
  'answers',
];

/** Pages of text that the end of a scan merges. */
const MAX_MERGED = 4_000;

/** Connections that have written text since they opened: only behind them is there anything to merge. */
const wroteText = new WeakSet<Rows>();

/** What one set looked up and the next may use again, while nothing else has changed the index. */
interface LookedUp {
  readonly revision: number;
  readonly resolve: LinkResolution;
  readonly names: InternedNames;
}

/**
 * Applies inside the transaction that its caller began. `stop` throws when the caller has given up; it is asked between notes.
 * @returns the new revision
 */
export type ApplyChanges = (changes: ChangeSet, now: string, stop: () => void) => number;

/** To be made anew after a failure: what was rolled back may have been looked up. */
export function createApplyChanges(rows: Rows): ApplyChanges {
  let kept: LookedUp | undefined;
  return (changes, now, stop) => {
    const revision = revisionOf(rows) + 1;
    const known = kept?.revision === revision - 1 ? kept : undefined;
    const moved = writeFiles(rows, changes);
    const resolve = known !== undefined && moved.stems.size === 0 ? known.resolve : createLinkResolution(rows);
    const lookedUp = { revision, resolve, names: known?.names ?? createInternedNames(rows) };
    const linkNames = new Set(moved.linkNames);
    const edgesOfNotes = writeNotes(rows, changes, lookedUp, linkNames, stop);
    const edges = resolveAgain(rows, moved.stems, resolve, revision) || edgesOfNotes;
    dropUnusedNames(rows, linkNames);
    writeQuarantine(rows, changes, now);
    writeRevisions(rows, revision, { edges, nodes: moved.nodes });
    kept = linkNames.size === 0 ? lookedUp : undefined;
    return revision;
  };
}

/** @returns whether a link leads elsewhere than before */
function writeNotes(
  rows: Rows,
  { indexed }: ChangeSet,
  { revision, resolve, names }: LookedUp,
  linkNames: Set<number>,
  stop: () => void,
): boolean {
  let edges = false;
  if (indexed.length > 0) wroteText.add(rows);
  for (const note of indexed) {
    stop();
    const { id, hash } = knownFile(rows, note);
    const source = { id, path: note.path };
    const before = targetsOf(rows, source.id);
    if (hash !== null && hash !== note.hash) outdateChunks(rows, source.id);
    forgetContent(rows, source.id, linkNames);
    writeContent(rows, source.id, note, names);
    const after = writeLinks(rows, source, note.parsed.links, resolve, names);
    edges = noteEdges(rows, source.id, [before, after], revision) || edges;
  }
  return edges;
}

/** Forgets everything but that there was an earlier state: the revision goes on growing. */
export function resetIndex(rows: Rows): void {
  for (const table of DERIVED) rows.run(`DELETE FROM ${table}`);
  rows.run(`INSERT INTO texts (texts) VALUES ('delete-all')`);
  rows.run('UPDATE state SET scanned_at = NULL, rules = NULL');
  writeRevisions(rows, revisionOf(rows) + 1, { edges: true, nodes: true });
}

/** The text of many small sets lies in many pieces, and what stands in several takes its room again in each. */
export function noteScan(rows: Rows, at: string): void {
  rows.run('UPDATE state SET scanned_at = ?, rules = ?', at, PARSER_RULES);
  if (wroteText.has(rows)) rows.run(`INSERT INTO texts (texts, rank) VALUES ('merge', ?)`, MAX_MERGED);
}

function revisionOf(rows: Rows): number {
  return rows.column<number>('SELECT revision FROM state')[0] ?? 0;
}

function writeRevisions(rows: Rows, revision: number, changed: { edges: boolean; nodes: boolean }): void {
  // What follows what other rules have read stays theirs until a whole scan has read all of it again.
  rows.run('UPDATE state SET revision = ?, rules = ifnull(rules, ?)', revision, PARSER_RULES);
  if (changed.edges || changed.nodes) rows.run('UPDATE state SET graph_revision = ?', revision);
  if (changed.nodes) rows.run('UPDATE state SET nodes_revision = ?', revision);
}

function knownFile(rows: Rows, { path }: IndexedFile): { readonly id: number; readonly hash: string | null } {
  const sql = 'SELECT id, hash FROM files WHERE path = ?';
  const found = rows.first<{ id: number; hash: string | null }>(sql, path);
  if (found === undefined) throw new VaultgraphError('INTERNAL', { kind: 'unlisted_note' });
  return found;
}

function writeQuarantine(rows: Rows, { quarantined, indexed, released }: ChangeSet, now: string): void {
  const failed = new Set(quarantined.filter(({ phase }) => phase === 'parse').map(({ path }) => path));
  for (const { path } of indexed) {
    if (!failed.has(path)) rows.run(`DELETE FROM quarantine WHERE path = ? AND phase = 'parse'`, path);
  }
  for (const path of released) {
    rows.run(`DELETE FROM quarantine WHERE path = ? AND phase IN ('list', 'read')`, path);
  }
  for (const row of quarantined) quarantine(rows, row, now);
}

function quarantine(rows: Rows, { path, phase, code, reason, line, column, hash }: QuarantineRow, now: string): void {
  rows.run(
    `INSERT INTO quarantine (path, phase, code, reason, line, "column", hash, attempts, first, last)
     VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?)
     ON CONFLICT (path, phase) DO UPDATE SET code = excluded.code, reason = excluded.reason, line = excluded.line,
       "column" = excluded."column", hash = excluded.hash, attempts = attempts + 1, last = excluded.last`,
    ...[path, phase, code, reason, line ?? null, column ?? null, hash ?? null, now, now],
  );
}
