// Packs what is indexed of one file into bytes for PostgreSQL, and unpacks it on another machine.
import { deflateRawSync, inflateRawSync, constants as zlib } from 'node:zlib';
import { VaultgraphError } from '../../../base/errors.ts';
import type { IndexedNote, PackedWords } from '../../../contracts/change-set.ts';
import { ByteReader, ByteWriter } from '../../../postings/bytes.ts';
import { sealBytes, unsealBytes } from '../checked-values.ts';

/** The first byte after the checksum. */
const FORMAT = 1;

export interface NoteContent extends Pick<IndexedNote, 'encoding' | 'parsed' | 'attachment'> {
  /** The words of this file alone. */
  readonly words: PackedWords;
}

/** JSON has no infinite number, no NaN and no negative zero; properties may have. */
const NUMBER = '\0number';

export function packContent(path: string, { encoding, parsed, attachment, words }: NoteContent): Buffer {
  const packed = new ByteWriter();
  const note = { ...parsed, links: [...parsed.links] };
  const json = Buffer.from(JSON.stringify({ encoding, parsed: note, attachment }, markNumbers));
  packed.number(words.lengths[0] ?? 0);
  for (const part of [json, words.directory, words.rows, words.vectors]) {
    packed.number(part.length);
    packed.copy(part, 0, part.length);
  }
  for (const end of words.ends) packed.number(end);
  const compressed = deflateRawSync(packed.view(), { level: zlib.Z_BEST_SPEED });
  return sealBytes(Buffer.concat([Buffer.of(FORMAT), compressed]), path);
}

/** @throws STORE_SCHEMA_TOO_NEW for the format of a later version; DamagedOriginal */
export function unpackContent(path: string, sealed: Buffer): NoteContent {
  const bytes = unsealBytes(sealed, path, 'the content of a file');
  const format = bytes[0] ?? 0;
  const config_key = 'providers.store.schema';
  if (format > FORMAT)
    throw new VaultgraphError('STORE_SCHEMA_TOO_NEW', { found: format, supported: FORMAT, config_key });
  const { buffer, byteOffset, byteLength } = inflateRawSync(bytes.subarray(1));
  // Every access is as fast as to other words only if all are of one class.
  const reader = new ByteReader(new Uint8Array(buffer, byteOffset, byteLength));
  const lengths = Int32Array.of(reader.number());
  const [json, directory, rows, vectors] = [part(reader), part(reader), part(reader), part(reader)];
  const ends: number[] = [];
  while (reader.at < reader.data.length) ends.push(reader.number());
  const vectorEnds = Int32Array.of(vectors.length);
  const note = parseJson(Buffer.from(json).toString()) as Omit<NoteContent, 'words'>;
  return { ...note, words: { lengths, directory, rows, ends: Int32Array.from(ends), vectors, vectorEnds } };
}

function part(reader: ByteReader): Uint8Array {
  const length = reader.number();
  const from = reader.at;
  reader.at += length;
  return reader.data.slice(from, reader.at);
}

function markNumbers(_key: string, value: unknown): unknown {
  if (typeof value !== 'number' || (Number.isFinite(value) && !Object.is(value, -0))) return value;
  return { [NUMBER]: Object.is(value, -0) ? '-0' : String(value) };
}

/** A reviver takes several times as long, and few notes need one. */
function parseJson(text: string): unknown {
  return text.includes('\\u0000number')
    ? JSON.parse(text, (_key, value: unknown) => numberIn(value))
    : JSON.parse(text);
}

function numberIn(value: unknown): unknown {
  const isMarked = typeof value === 'object' && value !== null && NUMBER in value;
  return isMarked ? Number((value as { [NUMBER]: string })[NUMBER]) : value;
}
