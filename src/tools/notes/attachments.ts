// Lists attachments, and reads the images that a model can see.
import { contentHash } from '../../base/content-hash.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { extensionOf, type NotePath } from '../../base/note.ts';
import type { NoteSummary, Store } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { parseReference } from '../../markdown/links/reference.ts';
import { otherThanNote } from './file-names.ts';
import { readBytes } from './note-content.ts';
import { linksTo } from './note-view.ts';

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
const MAX_LINKS = 200;

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
  const other = await otherThanNote(whole, store, call);
  return other?.is === 'attachment' ? (other.path as NotePath) : undefined;
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

export function attachmentView({ path, sizeBytes, modifiedMs }: NoteSummary) {
  return { path, type: fileType(path), size_bytes: sizeBytes, modified: new Date(modifiedMs).toISOString() };
}

/** The first notes that link to the attachment or embed it. */
export async function sourcesOf(path: NotePath, store: Store, signal: AbortSignal): Promise<readonly NotePath[]> {
  const links = await linksTo(path, MAX_LINKS, store, signal);
  return [...new Set(links.map(({ source }) => source))].slice(0, MAX_SOURCES);
}
