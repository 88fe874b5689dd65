// Recognizes tags in text, and lists the tags of a note.
import type { Tag } from '../../base/note.ts';
import { foldName } from '../links/fold.ts';
import { isWhiteSpace } from './characters.ts';

const EXCLUDED = new Set([...'\'!"#$%&()*+,.:;<=>?@^`{|}~[]\\'].map((sign) => sign.charCodeAt(0)));

function isTagCharacter(code: number): boolean {
  if (code < 128) return code > 32 ? !EXCLUDED.has(code) : !isWhiteSpace(code);
  if (code >= 0x2000 && code <= 0x206f) return false;
  if (code >= 0x2e00 && code <= 0x2e7f) return false;
  return !isWhiteSpace(code);
}

/** The offset after the tag whose `#` is at `from`, without trailing slashes unless another tag follows, or 0 if there is no tag. */
export function tagNameEnd(text: string, from: number): number {
  let end = from + 1;
  while (end < text.length && isTagCharacter(text.charCodeAt(end))) end += 1;
  if (text.charAt(end) !== '#') while (end > from + 1 && text.charAt(end - 1) === '/') end -= 1;
  return /[^\d/]/.test(text.slice(from + 1, end)) ? end : 0;
}

/** Whether `name`, without `#`, is a valid tag. */
export function isTagName(name: string): boolean {
  return tagNameEnd(`#${name}`, 0) === name.length + 1;
}

/** Each tag once, in its first spelling; tags of the properties before those of the body. */
export function distinctTags(tags: readonly Tag[]): string[] {
  return distinctSpellings([...tagsFrom(tags, 'properties'), ...tagsFrom(tags, 'body')].map(({ tag }) => tag));
}

/** The same of names of tags in their order. */
export function distinctSpellings(tags: readonly string[]): string[] {
  const keys = new Set<string>();
  return tags.filter((tag) => {
    const key = foldName(tag);
    const isNew = !keys.has(key);
    keys.add(key);
    return isNew;
  });
}

export function tagsFrom(tags: readonly Tag[], origin: Tag['from']): Tag[] {
  return tags.filter((tag) => tag.from === origin);
}
