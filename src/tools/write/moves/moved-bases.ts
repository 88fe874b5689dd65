// Lets the bases in code blocks of a note follow a move, beside the links of the note.
import { contentHash } from '../../../base/content-hash.ts';
import { fileKindOf } from '../../../base/note.ts';
import type { MovedFolder } from '../../../bases/follow-base.ts';
import { type FollowedBlocks, followedBlocks, mayHaveBases } from '../../../bases/follow-blocks.ts';
import { jobs } from '../../../compute/jobs.ts';
import type { CallContext } from '../../../contracts/tool.ts';
import type { FileContent } from '../../../contracts/vault.ts';
import type { FollowedLinks } from '../../../markdown/links/follow-links.ts';
import type { MovedFiles } from '../../../markdown/links/link-changes.ts';
import { decodeText } from '../../../markdown/parse/lines.ts';

/** The text of a base in a longer note is not followed: it is not valid either. */
const MAX_BASE_LENGTH = 256 * 1024;

/** Undefined for a note without a base that names a moved file or folder. */
export async function followedBases(
  { path, bytes }: Pick<FileContent, 'path' | 'bytes'>,
  files: MovedFiles,
  folder: MovedFolder | undefined,
  call: CallContext,
): Promise<FollowedBlocks | undefined> {
  const text = fileKindOf(path) === 'note' ? decodeText(bytes).text : '';
  if (!mayHaveBases(text)) return undefined;
  const blocks = await call.compute.run(jobs.base_blocks, { text }, call.signal);
  const short = blocks.filter((block) => block.text.length <= MAX_BASE_LENGTH);
  return followedBlocks(path, bytes, short, files, folder);
}

/**
 * The changes of the note's bases and links as one.
 * @param links of the text in which the bases are changed already
 */
export function withBases(
  { path, bytes }: FileContent,
  bases: FollowedBlocks,
  links: FollowedLinks | undefined,
): FollowedLinks {
  const { parts = [], unparsed = [] } = links ?? {};
  const broken = [...bases.broken, ...(links?.broken ?? [])];
  const file = { path, etag: contentHash(bytes) };
  if (bases.changed === undefined) return { file: links?.file ?? file, parts, unparsed, broken };
  const { before, bytes: changed, lines } = bases.changed;
  const both = links?.file.changed ?? { after: decodeText(changed).text, bytes: changed, lines: [] };
  const all = [...new Set([...lines, ...both.lines])].sort((one, other) => one - other);
  return { file: { ...file, changed: { ...both, before, lines: all } }, parts, unparsed, broken };
}
