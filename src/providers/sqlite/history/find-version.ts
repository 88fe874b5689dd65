// Finds which text a note had at an earlier moment, also before it was renamed. A text that is not known for sure is not found.
import { fileKindOf, type NotePath } from '../../../base/note.ts';
import type { Moment } from '../../../contracts/vault.ts';
import { lineHashes } from '../../../markdown/excerpt/line-hashes.ts';
import { decodeText } from '../../../markdown/parse/lines.ts';
import { DamagedRow } from '../database/checksum.ts';
import type { Rows } from '../database/rows.ts';
import { pairMoves } from '../feed/pair-moves.ts';
import { textIn } from './packed-text.ts';
import { type Version, versionsOf } from './versions.ts';

/** Removal and creation of one move may be noticed so far apart. */
const MOVE_WINDOW_MS = 5 * 60_000;
/** A folder with more notes may be renamed; of these, only notes with the same text are recognised. */
const MAX_READ = 200;
const MAX_MOVED = 20_000;
const MAX_NAMES = 20;

export type Found = { readonly version: Version } | { readonly deletedMs: number } | undefined;

/** @throws DamagedRow */
export function findVersion(history: Rows, path: NotePath, at: Moment): Found {
  let [name, before] = [path as NotePath | undefined, Number.POSITIVE_INFINITY];
  for (let names = 0; name !== undefined && names < MAX_NAMES; names += 1) {
    const versions = versionsOf(history, name).filter(({ since }) => since < before);
    const version = foundIn(versions, at);
    if (version !== undefined) return version;
    const [first] = versions;
    if (first === undefined) return undefined;
    name = formerName(history, first);
    before = first.since + MOVE_WINDOW_MS;
  }
  return undefined;
}

function foundIn(versions: readonly Version[], at: Moment): Found {
  if ('revision' in at) return byRevision(versions, at.revision);
  return at.hash === undefined ? byTime(versions, at.beforeMs - 1) : byRevision(versions, at.hash);
}

function byTime(versions: readonly Version[], time: number): Found {
  const covering = versions.filter(({ since, until }) => since <= time && time < (until ?? Number.POSITIVE_INFINITY));
  if (covering.length > 1) throw new DamagedRow('two texts at one time');
  const [version] = covering;
  if (version !== undefined) return { version };
  const last = versions.findLast(({ since }) => since <= time);
  return last?.gone === 1 ? { deletedMs: last.until ?? last.since } : undefined;
}

function byRevision(versions: readonly Version[], revision: string): Found {
  const version = versions.findLast(({ hash }) => hash.startsWith(revision));
  return version && { version };
}

/** The path of the note that was gone when this one appeared, with the same text or mostly the same lines; of several the last one. */
function formerName(history: Rows, first: Version): NotePath | undefined {
  const gone = history
    .all<Version>(GONE, first.since - MOVE_WINDOW_MS, first.since + MOVE_WINDOW_MS, first.path, MAX_MOVED)
    .sort((one, other) => distance(one, first) - distance(other, first));
  if (gone.length === 0) return undefined;
  const readsLines = gone.length <= MAX_READ;
  const placed = (version: Version) => placedOf(history, version, readsLines);
  return pairMoves(gone.map(placed), [placed(first)]).get(first.path)?.path;
}

const GONE = 'SELECT * FROM versions WHERE until BETWEEN ? AND ? AND gone AND path <> ? LIMIT ?';

const distance = ({ until, since }: Version, first: Version): number => Math.abs((until ?? since) - first.since);

function placedOf(history: Rows, version: Version, readsLines: boolean) {
  const { path, hash } = version;
  const lines = readsLines ? lineHashes(decodeText(textIn(history, hash)).text, 0)?.hashes : undefined;
  return { path, hash, lines, kind: fileKindOf(path), size: 1, modified: 0 };
}
