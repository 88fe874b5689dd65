// The files of a vault that the graph page may get beside its notes, and how they are served.

/** Shown in the page. */
const IMAGES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  svg: 'image/svg+xml',
};
/** Linked; a browser saves them. */
const DOWNLOADS: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  webm: 'video/webm',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
};

const extensionOf = (path: string): string => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';

export const isVaultImage = (path: string): boolean => Object.hasOwn(IMAGES, extensionOf(path));
/** Whether the file is an image, or one that a browser saves. */
export const isVaultFile = (path: string): boolean => isVaultImage(path) || Object.hasOwn(DOWNLOADS, extensionOf(path));

/** The headers of a file; undefined for a type that is not served. Nothing in a file runs, even if it is opened by itself. */
export function vaultFileHeaders(path: string): Readonly<Record<string, string>> | undefined {
  if (!isVaultFile(path)) return undefined;
  const extension = extensionOf(path);
  const disposition = isVaultImage(path) ? {} : { 'content-disposition': 'attachment' };
  return {
    'content-type': IMAGES[extension] ?? DOWNLOADS[extension] ?? '',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    ...disposition,
  };
}
