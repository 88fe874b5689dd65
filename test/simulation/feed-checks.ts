// Compares the feed of changes with the vault at the end of a schedule: what it knows last, and whether each change begins where the last one ended.
import { join } from 'node:path';
import Database from 'better-sqlite3';

interface Known {
  readonly path: string;
  readonly hash: string | null;
}

interface Change {
  readonly seq: number;
  readonly kind: string;
  readonly path: string;
  readonly was: string | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly replaces: number | null;
}

/** @param files as a fresh index has them */
export function feedFaults(stateFolder: string, files: readonly Known[]): string[] {
  const database = new Database(join(stateFolder, 'changes.db'), { readonly: true });
  try {
    const known = database.prepare<[], Known>('SELECT path, hash FROM files ORDER BY path').all();
    const changes = database.prepare<[], Change>('SELECT * FROM changes ORDER BY seq').all();
    const shown = database.prepare<[], Known>('SELECT path, hash FROM files WHERE NOT excluded').all();
    return [...snapshotFaults(known, files), ...chainFaults(changes, shown)];
  } finally {
    database.close();
  }
}

function snapshotFaults(known: readonly Known[], files: readonly Known[]): string[] {
  // The feed also knows the content of an attachment that arrived, by which it recognizes a moved one; an index does not read those.
  const unread = new Set(files.flatMap(({ path, hash }) => (hash === null ? [path] : [])));
  const lines = (rows: readonly Known[]): string[] =>
    rows.map(({ path, hash }) => `${path} ${unread.has(path) ? null : hash}`);
  const [left, right] = [lines(known), lines(files)];
  const extra = left.filter((line) => !right.includes(line));
  const missing = right.filter((line) => !left.includes(line));
  if (extra.length + missing.length === 0) return [];
  return [`the feed knows ${extra.join(', ') || 'nothing else'}, and not ${missing.join(', ') || 'nothing'}`];
}

/** The last change of each path leads to what is there now. @param shown the files that are not excluded */
function chainFaults(changes: readonly Change[], shown: readonly Known[]): string[] {
  const hashes = new Map(shown.map(({ path, hash }) => [path, hash]));
  const replaced = new Set(changes.map(({ replaces }) => replaces));
  const kinds = new Map(changes.map(({ seq, kind }) => [seq, kind]));
  const last = new Map<string, Change>();
  for (const change of changes) {
    if (replaced.has(change.seq)) continue;
    // A move is where its first half was noticed: if that was the deletion, another file may have come to the old path since.
    const half = change.replaces ?? change.seq;
    const isTaken = kinds.get(half) === 'deleted' && (last.get(change.was ?? '')?.seq ?? 0) > half;
    if (change.was !== null && change.was !== change.path && !isTaken)
      last.set(change.was, { ...change, kind: 'deleted' });
    last.set(change.path, change);
  }
  return [...last].flatMap(([path, { seq, kind, after }]) => {
    const hash = hashes.get(path);
    const isRight = kind === 'deleted' ? hash === undefined : hash !== undefined && (after === null || after === hash);
    return isRight ? [] : [`change ${seq} of the feed, ${kind} ${path}, leads to ${after}, and there is ${hash}`];
  });
}
