// Lists attachments, and reads the images that a model can see.
import { contentHash } from '../../base/content-hash.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { extensionOf, fileKindOf, type Link, type NotePath } from '../../base/note.ts';
import { jobs } from '../../compute/jobs.ts';
import type { NoteSummary, Store } from '../../contracts/store.ts';
import type { CallContext, ReadContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { parseReference } from '../../markdown/links/reference.ts';
import { resolveLink } from '../../markdown/links/resolve-link.ts';
import type { LineSpan } from '../../markdown/links/section.ts';
import { filesByName, otherThanNote } from './file-names.ts';
import { readBytes } from './note-content.ts';
import { excludedNotes } from './vault-filter.ts';

/** The formats that models take, by how a file of each begins; one that only has the extension would spoil a conversation. */
const IMAGE_SIGNATURES: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG\r\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF.{4}WEBP/s, 'image/webp'],
];
const IMAGE_EXTENSIONS: ReadonlySet<string> = new Set(['png', 'jpg', 'jpeg', 'gif', 'webp']);
/** The most links to an attachment that are listed. */
const MAX_SOURCES = 20;

/** The extension in lower case; empty without one. */
function fileType(path: string): string {
  return extensionOf(path).toLowerCase();
}

/** Whether the path is one of an image in a format that models take. */
export function isImage(path: string): boolean {
  return IMAGE_EXTENSIONS.has(fileType(path));
}

/** The path of an image of the vault from its path or file name; undefined for anything else. */
export async function imageCalled(reference: string, store: Store, call: CallContext): Promise<NotePath | undefined> {
  const { whole } = parseReference(reference);
  if (!isImage(whole)) return undefined;
  const attachment = await otherThanNote(whole, store, call);
  return attachment?.is === 'attachment' ? (attachment.path as NotePath) : undefined;
}

/**
 * Adds the image to the answer of the call.
 * @throws ATTACHMENT_INVALID, FILE_UNREADABLE, PATH_NOT_ALLOWED, LIMIT_EXCEEDED, VAULT_UNAVAILABLE
 */
export async function showImage(path: NotePath, vault: Vault, call: CallContext) {
  const bytes = await readBytes(path, vault, call.signal);
  const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  const type = IMAGE_SIGNATURES.find(([signature]) => signature.test(start))?.[1];
  if (type === undefined)
    throw new VaultgraphError('ATTACHMENT_INVALID', { path, expected: 'a PNG, JPEG, GIF or WebP image' });
  call.showImage({ path, type, bytes });
  return { path, etag: contentHash(bytes), type, size_bytes: bytes.length };
}

interface ShownText {
  readonly path: NotePath;
  /** The text, of which the lines of the span are shown; by default all. */
  readonly text: string;
  readonly span?: LineSpan;
}

const EVERY_LINE: LineSpan = { line: 1, endLine: Number.MAX_SAFE_INTEGER };
const MAX_EMBEDS = 100;

/** Links the answer to the images, PDFs and other files that the text embeds. */
export async function linkEmbeds({ path, text, span = EVERY_LINE }: ShownText, store: Store, call: CallContext) {
  if (!text.includes('![')) return;
  const within = { of: 'links', span, from: 0, limit: Number.MAX_SAFE_INTEGER } as const;
  const { rows } = await call.compute.run(jobs.rows_within, { path, text, ...within }, call.signal);
  const files = await filesByName(store, call);
  const targets = (rows as Link[])
    .filter(({ kind }) => kind === 'embed')
    .map(({ link }) => resolveLink(link, path, files).path)
    .filter((target) => target !== null && fileKindOf(target) !== 'note');
  const paths = [...new Set(targets as NotePath[])].slice(0, MAX_EMBEDS);
  for (const file of paths.length === 0 ? [] : await store.notes(paths, call.signal))
    call.linkFile({ path: file.path, size: file.sizeBytes });
}

export function attachmentView({ path, sizeBytes, modifiedMs }: NoteSummary) {
  return { path, type: fileType(path), size_bytes: sizeBytes, modified: new Date(modifiedMs).toISOString() };
}

/** The first notes that link to the attachment or embed it, without excluded ones. */
export async function sourcesOf(path: NotePath, store: Store, context: ReadContext): Promise<readonly NotePath[]> {
  const excluded = await excludedNotes(store, context);
  const linking = (await store.linkingNotes(path, context.signal)).map(({ path }) => path);
  return linking.filter((source) => !excluded.has(source)).slice(0, MAX_SOURCES);
}
