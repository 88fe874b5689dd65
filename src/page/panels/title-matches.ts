// Finds notes by title or name while the reader types, best first.
import type { Model } from '../source/model.ts';

/** The paths of the matches: an exact title first, then prefix matches before others, more central notes first. */
export function titleMatches(query: string, model: Model | undefined, limit: number): readonly string[] {
  if (model === undefined) return [];
  const sought = folded(query).trim();
  const words = sought.split(/\s+/);
  const ranked = model.picture.notes.flatMap(({ path, title, rank }) => {
    const name = folded(`${title} ${path}`);
    if (!words.every((word) => name.includes(word))) return [];
    return [{ path, order: orderOf(folded(title), nameOf(path), sought, words[0] ?? ''), rank }];
  });
  ranked.sort((a, b) => a.order - b.order || b.rank - a.rank);
  return ranked.slice(0, limit).map(({ path }) => path);
}

function orderOf(title: string, name: string, sought: string, word: string): number {
  if (title === sought || name === sought) return -1;
  if (title.startsWith(word)) return 0;
  if (title.includes(` ${word}`)) return 1;
  return title.includes(word) ? 2 : 3;
}

/** The file's name without its folder and ending. */
const nameOf = (path: string): string => folded(path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, ''));

/** Folds accents and case. */
const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
