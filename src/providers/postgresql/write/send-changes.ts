// Writes the rows that a set of changes made to PostgreSQL, under the lease and the number of the set.
import { bytesOf } from '../../sqlite/vectors/vector-codes.ts';
import { Abandoned, sealBytes } from '../checked-values.ts';
import type { Run } from '../connection/database.ts';
import { BEAT, throwIfLost } from '../sharing/lease-row.ts';
import type { EmbeddedImage, FileImages, GenerationImage, QuarantineImage } from './images.ts';

/** The copy lacks changes of another server, or is of an earlier original. The work is done again on the present state. */
export class OutdatedCopy extends Abandoned {}

export interface SetOfChanges {
  /** The token of the lease; null without one. */
  readonly token: number | null;
  readonly identity: string;
  readonly history: string;
  readonly epoch: number;
  /** The number of the last set in the copy. */
  readonly seq: number;
  /** The revision of the index afterwards. */
  readonly revision: number;
  /** The parser rules of all indexed notes afterwards. */
  readonly rules: number | null;
  /** How many files there are afterwards. */
  readonly living: number;
}

/**
 * Begins a set: holds the lease until the commit, and takes the next number.
 * @throws INDEX_CONFLICT, OutdatedCopy
 */
export async function beginSet(run: Run, set: SetOfChanges): Promise<void> {
  const { token, identity, history, epoch, seq, revision, rules, living } = set;
  const sql = `WITH beat AS (${BEAT} RETURNING token)
    UPDATE $schema.head SET seq = seq + 1, revision = $5, rules = $6, living = $8
    WHERE identity = $2 AND epoch = $3 AND seq = $4 AND history = $7 AND EXISTS (SELECT FROM beat) RETURNING seq`;
  const [begun] = await run(sql, [token, identity, epoch, seq, revision, rules, history, living]);
  if (begun !== undefined) return;
  await throwIfLost(run, token);
  throw new OutdatedCopy();
}

/** Files as they are now. A file that came again has no content of before. */
export async function sendFiles(run: Run, { files, gone, contents }: FileImages, seq: number): Promise<void> {
  if (gone.length > 0) {
    const sql = `UPDATE $schema.files SET gone = true, seq = $2, hash = NULL, content = NULL, content_seq = NULL, checksum = NULL
      WHERE key = ANY($1::uuid[]) AND NOT gone`;
    await run(sql, [gone, seq]);
  }
  if (files.length > 0) await run(UPSERT_FILES, [JSON.stringify(files), contents, seq]);
  if (files.length + gone.length > 0) await run('UPDATE $schema.head SET files_seq = $1', [seq]);
}

const IMAGES = `json_to_recordset($1::json) AS image (key uuid, path text, kind text, size float8, modified float8, created float8,
  evicted int, conflict_copy int, excluded int, hash text, reborn boolean, at int, bytes int, checksum int)`;

/** All contents are one value, of which each row takes its part: a list of values would be sent as text. */
const UPSERT_FILES = `INSERT INTO $schema.files AS file (key, path, seq, born, gone, kind, size, modified, created, evicted,
    conflict_copy, excluded, hash, checksum, content_seq, content)
  SELECT key, path, $3::bigint, CASE WHEN reborn THEN $3::bigint ELSE 0 END, false, kind, size, modified, created, evicted = 1, conflict_copy = 1, excluded = 1, hash, checksum,
    CASE WHEN bytes > 0 THEN $3::bigint END, CASE WHEN bytes > 0 THEN substring($2::bytea FROM at FOR bytes) END
  FROM ${IMAGES}
  ON CONFLICT (key) DO UPDATE SET seq = excluded.seq, gone = false, kind = excluded.kind, size = excluded.size,
    modified = excluded.modified, created = excluded.created, evicted = excluded.evicted,
    conflict_copy = excluded.conflict_copy, excluded = excluded.excluded, hash = excluded.hash, checksum = excluded.checksum,
    born = CASE WHEN file.gone OR excluded.born > 0 THEN excluded.seq ELSE file.born END,
    content_seq = CASE WHEN excluded.content IS NOT NULL OR file.gone OR excluded.born > 0 THEN excluded.content_seq ELSE file.content_seq END,
    content = CASE WHEN excluded.content IS NOT NULL OR file.gone OR excluded.born > 0 THEN excluded.content ELSE file.content END`;

/** @param before the keys of rows that may have been there */
export async function sendQuarantine(
  run: Run,
  before: readonly string[],
  images: readonly QuarantineImage[],
  seq: number,
): Promise<void> {
  if (before.length > 0) {
    const sql = `UPDATE $schema.quarantine SET entry = NULL, seq = $2 WHERE key = ANY($1::uuid[]) AND entry IS NOT NULL`;
    await run(sql, [before, seq]);
  }
  if (images.length > 0) {
    const sql = `INSERT INTO $schema.quarantine (key, phase, seq, path, entry)
      SELECT key, phase, $2, path, entry FROM json_to_recordset($1::json) AS image (key uuid, phase text, path text, entry text)
      ON CONFLICT (key, phase) DO UPDATE SET seq = excluded.seq, entry = excluded.entry`;
    await run(sql, [JSON.stringify(images), seq]);
  }
  if (before.length + images.length > 0) await markRest(run, seq);
}

/** After the files: the chunks of an earlier content are no longer those of the note. */
export async function outdateChunks(run: Run, { files, gone }: FileImages, seq: number): Promise<void> {
  const deleted = [...gone, ...files.filter(({ reborn }) => reborn).map(({ key }) => key)];
  if (deleted.length > 0) await run('DELETE FROM $schema.embedded WHERE key = ANY($1::uuid[])', [deleted]);
  const changed = files.filter(({ bytes }) => bytes > 0).map(({ key }) => key);
  const sql = `UPDATE $schema.embedded SET hash = NULL, seq = $2 FROM $schema.files
    WHERE embedded.key = ANY($1::uuid[]) AND files.key = embedded.key AND embedded.hash IS DISTINCT FROM files.hash AND embedded.hash IS NOT NULL`;
  await run(sql, [changed, seq]);
  await markRest(run, seq);
}

/** @param generations all there are */
export async function sendGenerations(run: Run, generations: readonly GenerationImage[], seq: number): Promise<void> {
  const ids = generations.map(({ id }) => id);
  await run('DELETE FROM $schema.generations WHERE id <> ALL($1::bigint[])', [ids]);
  const images = generations.map((one) => ({
    ...one,
    middle: one.middle && Buffer.from(one.middle).toString('base64'),
  }));
  const sql = `INSERT INTO $schema.generations (id, role, state, fingerprint, dims, middle, created, activated, checksum)
    SELECT id, role, state, fingerprint, dims, decode(middle, 'base64'), created, activated, checksum FROM json_to_recordset($1::json)
      AS image (id bigint, role text, state text, fingerprint text, dims int, middle text, created text, activated text, checksum int)
    ON CONFLICT (id) DO UPDATE SET role = excluded.role, state = excluded.state, fingerprint = excluded.fingerprint, dims = excluded.dims,
      middle = excluded.middle, created = excluded.created, activated = excluded.activated, checksum = excluded.checksum`;
  if (images.length > 0) await run(sql, [JSON.stringify(images)]);
  await run('UPDATE $schema.head SET last_generation = greatest(last_generation, $1)', [Math.max(0, ...ids)]);
  await markRest(run, seq);
}

/** The same text has the same vector, so an existing row stays. */
export async function sendVectors(
  run: Run,
  generation: number,
  vectors: readonly { readonly hash: string; readonly vector: Float32Array }[],
): Promise<void> {
  const byHash = new Map(vectors.map(({ hash, vector }) => [hash, vector]));
  if (byHash.size === 0) return;
  const sealed = [...byHash].map(([hash, vector]) => sealBytes(bytesOf(vector), hash));
  let at = 1;
  const places = [...byHash.keys()].map((hash, ordinal) => {
    const place = { hash, at, bytes: sealed[ordinal]?.length ?? 0 };
    at += place.bytes;
    return place;
  });
  const sql = `INSERT INTO $schema.vectors (generation, hash, embedding)
    SELECT $1, hash, substring($3::bytea FROM at FOR bytes) FROM json_to_recordset($2::json) AS place (hash text, at int, bytes int)
    ON CONFLICT DO NOTHING`;
  await run(sql, [generation, JSON.stringify(places), Buffer.concat(sealed)]);
}

export async function sendEmbedded(
  run: Run,
  generation: number,
  images: readonly EmbeddedImage[],
  seq: number,
): Promise<void> {
  if (images.length === 0) return;
  const sql = `INSERT INTO $schema.embedded (generation, key, seq, path, hash, hashes, chunks)
    SELECT $1, key, $3, path, hash, ARRAY(SELECT json_array_elements_text(hashes)), chunks FROM json_to_recordset($2::json)
      AS image (key uuid, path text, hash text, hashes json, chunks text)
    ON CONFLICT (generation, key) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, hashes = excluded.hashes, chunks = excluded.chunks`;
  await run(sql, [generation, JSON.stringify(images), seq]);
  await markRest(run, seq);
}

async function markRest(run: Run, seq: number): Promise<void> {
  await run('UPDATE $schema.head SET rest_seq = $1', [seq]);
}

/** How many sets of changes a server may be behind without copying everything again. */
const KEPT_SETS = 10_000;

export async function endScan(run: Run, at: string, seq: number): Promise<void> {
  const horizon = Math.max(0, seq - KEPT_SETS);
  await run('UPDATE $schema.head SET scanned_at = $1, rest_seq = $2, horizon = greatest(horizon, $3)', [
    ...[at, seq, horizon],
  ]);
  await run('DELETE FROM $schema.files WHERE gone AND seq <= $1', [horizon]);
  await run('DELETE FROM $schema.quarantine WHERE entry IS NULL AND seq <= $1', [horizon]);
}

const DERIVED = ['files', 'quarantine', 'generations', 'vectors', 'embedded', 'answers'];

export async function sendReset(run: Run, seq: number): Promise<void> {
  for (const table of DERIVED) await run(`DELETE FROM $schema.${table}`);
  const sql = `UPDATE $schema.head SET epoch = epoch + 1, scanned_at = NULL, horizon = 0,
    files_seq = $1, rest_seq = $1, swept_seq = $1`;
  await run(sql, [seq]);
}

/** Deletes a part of what belongs to no generation. @returns whether there may be more */
export async function deleteDropped(run: Run): Promise<boolean> {
  const dropped = 'generation NOT IN (SELECT id FROM $schema.generations)';
  const some = `ctid = ANY(ARRAY(SELECT ctid FROM $schema.vectors WHERE ${dropped} LIMIT 5000))`;
  const deleted = await run(`DELETE FROM $schema.vectors WHERE ${some} RETURNING 1`);
  if (deleted.length > 0) return true;
  await run(`DELETE FROM $schema.embedded WHERE ${dropped}`);
  return false;
}

export async function sweepUnused(run: Run, seq: number): Promise<void> {
  const used = `SELECT generation, unnest(hashes) AS hash FROM $schema.embedded WHERE hash IS NOT NULL`;
  // A join: `NOT IN` compares each row with each one once they need more than `work_mem`.
  await run(`WITH used AS (${used}) DELETE FROM $schema.vectors AS vector WHERE NOT EXISTS
    (SELECT FROM used WHERE used.generation = vector.generation AND used.hash = vector.hash)`);
  await run('UPDATE $schema.head SET swept_seq = $1, rest_seq = $1', [seq]);
}
