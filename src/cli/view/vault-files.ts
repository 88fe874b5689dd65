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

/** The headers of a file; undefined for a type that is not served. Nothing in a file runs, even if it is opened by itself. */
export function vaultFileHeaders(path: string): Readonly<Record<string, string>> | undefined {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const image = Object.hasOwn(IMAGES, extension) ? IMAGES[extension] : undefined;
  const download = Object.hasOwn(DOWNLOADS, extension) ? DOWNLOADS[extension] : undefined;
  const type = image ?? download;
  if (type === undefined) return undefined;
  return {
    'content-type': type,
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    ...(download === undefined ? {} : { 'content-disposition': 'attachment' }),
  };
}
