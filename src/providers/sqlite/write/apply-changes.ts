// Applies a set of changes to the index, in one transaction of the caller.
import { VaultgraphError } from '../../../base/errors.ts';
import { type NotePath, noteName, parserRules } from '../../../base/note.ts';
import type { IndexedFile, IndexedNote, QuarantineRow } from '../../../contracts/change-set.ts';
import { noteTitle } from '../../../markdown/properties/note-title.ts';
import type { Rows } from '../database/rows.ts';
import { mergeAll, mergeSmall } from '../texts/merge-texts.ts';
import { writeWords } from '../texts/segment-rows.ts';
import { deleteOutdatedChunks } from '../vectors/apply-vectors.ts';
import { deleteContent, writeContent } from './content-rows.ts';
import { writeFiles } from './file-rows.ts';
import { addressStems, createLinkResolution, fileAddresses, type LinkResolution } from './link-resolution.ts';
import {
  changedEdges,
  createNameIds,
  deleteUnusedNames,
  type NameIds,
  planLinks,
  resolveAgain,
  writeLinks,
} from './link-writes.ts';
import { hasOnlySightings, type UnpackedChanges } from './unpack-changes.ts';

/** Every table with data derived from the notes. */
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
  'text_segments',
  'text_rows',
  'text_notes',
  'text_dead',
  'name_changes',
  'attachment_texts',
  'term_vectors',
  'excluded_files',
];

/** Values found while one set of changes was applied. The next one reuses them if nothing else has changed the index. */
interface Lookups {
  readonly revision: number;
  readonly resolve: LinkResolution;
  readonly names: NameIds;
}

/** Writes changes of notes through one connection. Discard it after a rollback: its cached ids may no longer exist. */
export class ChangeWriter {
  readonly #rows: Rows;
  #lookups: Lookups | undefined;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /**
   * Runs in a transaction of the caller.
   * @param checkCancelled throws once the caller has cancelled; called between notes
   * @param to the new revision, by default the next one
   * @returns the new revision, which is the present one if there are only sightings
   */
  apply(changes: UnpackedChanges, now: string, checkCancelled: () => void, to?: number): number {
    const rows = this.#rows;
    const before = revisionOf(rows);
    if (hasOnlySightings(changes)) {
      writeFiles(rows, changes);
      return before;
    }
    const revision = to ?? before + 1;
    const current = this.#lookups?.revision === before ? this.#lookups : undefined;
    const moved = writeFiles(rows, changes);
    const mayReuse = current !== undefined && moved.stems.size === 0;
    let lookups: Lookups = {
      revision,
      resolve: mayReuse ? current.resolve : createLinkResolution(rows),
      names: current?.names ?? createNameIds(rows),
    };
    const unusedNames = new Set(moved.linkNames);
    const notes = writeNotes(rows, changes, lookups, unusedNames, checkCancelled);
    if (notes.stems.size > 0) lookups = { ...lookups, resolve: createLinkResolution(rows) };
    const stems = new Set([...moved.stems, ...notes.stems]);
    const edges = resolveAgain(rows, stems, lookups.resolve, revision) || notes.edges;
    deleteUnusedNames(rows, unusedNames);
    recordNames(rows, new Set([...moved.nodes, ...notes.renamed]));
    writeQuarantine(rows, changes, now);
    writeRevisions(rows, revision, { edges, nodes: moved.nodes.size > 0 });
    this.#lookups = unusedNames.size === 0 ? lookups : undefined;
    return revision;
  }

  /** @param rules by which all notes were read */
  completeScan(at: string | null, rules: number | null = parserRules()): void {
    this.#rows.update('state', ['scanned_at = ?, rules = ?', at, rules], ['TRUE']);
    mergeAll(this.#rows);
  }

  /** Deletes all derived data. @param to the new revision; by default it keeps growing */
  reset(to?: number): void {
    const rows = this.#rows;
    for (const table of DERIVED) rows.run(`DELETE FROM ${table}`);
    rows.update('state', ['scanned_at = NULL, rules = NULL'], ['TRUE']);
    recordAllNames(rows);
    writeRevisions(rows, to ?? revisionOf(rows) + 1, { edges: true, nodes: true });
  }
}

interface Written {
  /** Whether the target of a link has changed. */
  readonly edges: boolean;
  /** The notes that have other names than before. */
  readonly renamed: ReadonlySet<NotePath>;
  /** The stems of addresses that notes have or had before, and not both. */
  readonly stems: ReadonlySet<number>;
}

function writeNotes(
  rows: Rows,
  { indexed, words }: UnpackedChanges,
  { revision, resolve, names }: Lookups,
  unusedNames: Set<number>,
  checkCancelled: () => void,
): Written {
  const stems = new Set<number>();
  let edges = false;
  const renamed = new Set<NotePath>();
  const files: number[] = [];
  const mayStay = rows.value<number>('SELECT rules FROM state') === parserRules();
  for (const note of indexed) {
    checkCancelled();
    const file = knownFile(rows, note);
    const { id, hash } = file;
    if (isRenamed(rows, file, note)) renamed.add(note.path);
    if (hash !== null && hash !== note.hash) deleteOutdatedChunks(rows, id);
    const before = fileAddresses(rows, note.path);
    // A file without a hash has no content yet.
    if (hash !== null) deleteContent(rows, id);
    const planned = planLinks(
      rows,
      [id, hash === null],
      note.parsed.links,
      (link) => resolve(link, note.path),
      mayStay,
    );
    const changed = changedEdges(note.path, planned, revision);
    writeContent(rows, id, note, names, changed);
    for (const stem of changedStems(before, fileAddresses(rows, note.path))) stems.add(stem);
    files.push(id);
    writeLinks(rows, id, note.parsed.links, planned, names, unusedNames);
    edges = changed !== undefined || edges;
  }
  writeWords(rows, words, files);
  mergeSmall(rows);
  return { edges, renamed, stems };
}

function changedStems(before: readonly string[], after: readonly string[]): readonly number[] {
  const [old, now] = [new Set(before), new Set(after)];
  return addressStems([
    ...before.filter((address) => !now.has(address)),
    ...after.filter((address) => !old.has(address)),
  ]);
}

export function revisionOf(rows: Rows): number {
  return rows.value<number>('SELECT revision FROM state') ?? 0;
}

function writeRevisions(rows: Rows, revision: number, changed: { edges: boolean; nodes: boolean }): void {
  // If other parser rules have indexed notes, `rules` changes only after a full scan has indexed all notes again.
  rows.update('state', ['revision = ?, rules = ifnull(rules, ?)', revision, parserRules()], ['TRUE']);
  if (changed.edges || changed.nodes) rows.update('state', ['graph_revision = ?', revision], ['TRUE']);
  if (changed.nodes) rows.update('state', ['nodes_revision = ?', revision], ['TRUE']);
}

function knownFile(rows: Rows, { path }: IndexedFile): KnownFile {
  const file = rows.first<KnownFile>('SELECT id, hash, title FROM files WHERE path = ?', path);
  if (file === undefined) throw new VaultgraphError('INTERNAL', { kind: 'unlisted_note' });
  return file;
}

function writeQuarantine(rows: Rows, { quarantined, indexed, released }: UnpackedChanges, now: string): void {
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
  rows.verify('quarantine', ['path = ? AND phase = ?', path, phase]);
  rows.run(
    `INSERT INTO quarantine (path, phase, code, reason, line, "column", hash, attempts, first, last)
     VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?)
     ON CONFLICT (path, phase) DO UPDATE SET code = excluded.code, reason = excluded.reason, line = excluded.line,
       "column" = excluded."column", hash = excluded.hash, attempts = attempts + 1, last = excluded.last`,
    ...[path, phase, code, reason, line ?? null, column ?? null, hash ?? null, now, now],
  );
}

/** Readers that are further behind read all names. */
const MAX_CHANGES = 100;
/** Reading all names takes less time than looking up more notes than these one by one. */
const MAX_PATHS = 1_000;

interface KnownFile {
  readonly id: number;
  readonly hash: string | null;
  readonly title: string | null;
}

/** Whether the note has another title or other aliases in the index, before it is written. */
function isRenamed(rows: Rows, { id, hash, title }: KnownFile, { path, parsed }: IndexedNote): boolean {
  const sql = `SELECT name FROM names WHERE file = ? AND kind = 'alias' ORDER BY ordinal`;
  const aliases = hash === null ? [] : rows.column<string>(sql, id);
  const before = [title ?? noteName(path), ...aliases];
  const after = [noteTitle(path, parsed.properties), ...parsed.aliases];
  return before.length !== after.length || before.some((name, at) => name !== after[at]);
}

function recordNames(rows: Rows, changed: ReadonlySet<NotePath>): void {
  if (changed.size === 0) return;
  const paths = changed.size > MAX_PATHS ? null : JSON.stringify([...changed]);
  const last = rows.run('INSERT INTO name_changes (paths) VALUES (?)', paths);
  rows.run('DELETE FROM name_changes WHERE id <= ?', last - MAX_CHANGES);
}

function recordAllNames(rows: Rows): void {
  rows.run('INSERT INTO name_changes (paths) VALUES (NULL)');
}
