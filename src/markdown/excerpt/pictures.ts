// Recognizes lines that have nothing but pictures, such as the shields above the text of a README.

/** A longer line is text. */
const MAX_PICTURE_LINE = 2_000;
const PICTURE = /!\[[^\]]*\]\([^)]*\)|<img [^>]*>/g;

/** Whether a line has nothing but pictures, and the links around them. */
export function isOfPictures(line: string): boolean {
  if (line.length > MAX_PICTURE_LINE || !/!\[|<img /.test(line)) return false;
  const rest = line.replace(PICTURE, '').replace(/\[[ \t]*\]\([^)]*\)|<\/?(?:a|p|div|center|br)\b[^>]*>/gi, '');
  return !/[\p{L}\p{N}]/u.test(rest);
}

/** Fewer are pictures of the text, which have something to say. */
const MIN_ROW = 3;
const OF_WEB = /(?:\]\(|src=["']?)https?:/g;

/** Code shows how pictures are written. */
const FENCE = /^[ \t>]{0,9}(?:`{3}|~{3})/;

/** What aligns or links the pictures of the lines around it. */
const WRAPPER = /^\s*(?:<\/?(?:a|p|div|center|br)(?:\s[^<>]{0,300})?>\s*){1,9}$/i;

/** Without rows of pictures from the web. Line numbers stay the same, offsets do not. */
export function withoutPictureRows(text: string): string {
  if ((text.match(OF_WEB)?.length ?? 0) < MIN_ROW || !/!\[|<img /.test(text)) return text;
  const lines = text.split('\n');
  let [from, pictures] = [0, 0];
  let isCode = false;
  const endRow = (to: number): void => {
    if (pictures >= MIN_ROW) lines.fill('', from, to);
    pictures = 0;
  };
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '' || WRAPPER.test(line)) continue;
    if (FENCE.test(line)) isCode = !isCode;
    const count = !isCode && isOfPictures(line) ? picturesOfWeb(line) : 0;
    if (count === 0) endRow(at);
    else if (pictures === 0) from = at;
    pictures += count;
  }
  endRow(lines.length);
  return lines.join('\n');
}

/** 0 if one is a file of the vault. */
function picturesOfWeb(line: string): number {
  const pictures = line.match(PICTURE) ?? [];
  return pictures.every((picture) => picture.match(OF_WEB) !== null) ? pictures.length : 0;
}
