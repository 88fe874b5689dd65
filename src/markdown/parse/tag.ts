// Recognizes tags in text.
import { isWhiteSpace } from './characters.ts';

const EXCLUDED = new Set([...'\'!"#$%&()*+,.:;<=>?@^`{|}~[]\\'].map((sign) => sign.charCodeAt(0)));

function isTagCharacter(code: number): boolean {
  if (code < 128) return code > 32 ? !EXCLUDED.has(code) : !isWhiteSpace(code);
  if (code >= 0x2000 && code <= 0x206f) return false;
  if (code >= 0x2e00 && code <= 0x2e7f) return false;
  return !isWhiteSpace(code);
}

/** The offset after the tag whose `#` is at `from`, without trailing slashes, or 0 if there is no tag. */
export function tagNameEnd(text: string, from: number): number {
  let end = from + 1;
  while (end < text.length && isTagCharacter(text.charCodeAt(end))) end += 1;
  while (end > from + 1 && text.charAt(end - 1) === '/') end -= 1;
  return /[^\d/]/.test(text.slice(from + 1, end)) ? end : 0;
}

/** Whether `name`, without `#`, is a valid tag. */
export function isTagName(name: string): boolean {
  return tagNameEnd(`#${name}`, 0) === name.length + 1;
}
