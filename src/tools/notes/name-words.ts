// Finds the word of any name that a word misspells.
import { countTypos, mostEdits, NearestNames } from '../../base/nearest.ts';
import { foldText, WORD_CHARACTERS } from '../../markdown/excerpt/fold-text.ts';
import { hasUnspacedScript } from '../../markdown/excerpt/term-matches.ts';

const WORDS = new RegExp(`[${WORD_CHARACTERS}]+`, 'gu');
const MAX_CANDIDATES = 500;

/** The words of a text without case and accents. */
export function foldedWords(text: string): string[] {
  return foldText(text).match(WORDS) ?? [];
}

export function wordsIn(text: string): string[] {
  return text.normalize('NFC').match(WORDS) ?? [];
}

/** The number of typos that turn one word into the other. Numbers and words in scripts without spaces are never misspelled. */
export function typosIn(word: string, other: string): number | undefined {
  if (word === other) return 0;
  const typos = countTypos(word, other);
  return typos === undefined || isFixed(word) || isFixed(other) ? undefined : typos;
}

const isFixed = (word: string): boolean => /\p{N}/u.test(word) || hasUnspacedScript(word);

interface NameWord {
  /** The spelling that was met first. */
  readonly written: string;
  /** In how many names it occurs. */
  count: number;
}

/** The words of all names. */
export class NameWords {
  readonly #byFolded = new Map<string, NameWord>();
  readonly #near = new NearestNames();

  add(name: string): void {
    for (const word of wordsIn(name)) {
      const folded = foldText(word);
      const names = this.#byFolded.get(folded);
      if (names !== undefined) names.count += 1;
      else {
        this.#byFolded.set(folded, { written: word, count: 1 });
        this.#near.add(folded);
      }
    }
  }

  delete(name: string): void {
    for (const word of wordsIn(name)) {
      const folded = foldText(word);
      const names = this.#byFolded.get(folded);
      if (names === undefined) continue;
      names.count -= 1;
      if (names.count > 0) continue;
      this.#byFolded.delete(folded);
      this.#near.delete(folded);
    }
  }

  corrected(word: string): string | undefined {
    const [folded = ''] = foldedWords(word);
    const sameNames = this.#byFolded.get(folded);
    if (sameNames !== undefined) return sameNames.written;
    const [best] = this.#near
      .within(folded, MAX_CANDIDATES, mostEdits(folded))
      .flatMap(({ name, edits }) => {
        const typos = typosIn(folded, name);
        const names = this.#byFolded.get(name);
        return typos === undefined || names === undefined ? [] : { ...names, typos, edits };
      })
      .sort((one, other) => one.typos - other.typos || one.edits - other.edits || other.count - one.count);
    return best?.written;
  }
}
