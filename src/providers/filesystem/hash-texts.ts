// Hashes the texts of files one after the other, so that their contents never leave the file thread.
import { NumberColumn } from '../../base/number-column.ts';
import type { FileContent, HashedTexts } from '../../contracts/vault.ts';
import { firstLines, hashText } from '../../markdown/excerpt/text-signature.ts';
import { decodeText } from '../../markdown/parse/lines.ts';
import { shownAs } from '../../markdown/parse/shown-text.ts';

export class TextHasher {
  readonly #columns = { words: new NumberColumn(), lines: new NumberColumn(), first: new NumberColumn() };
  readonly #ends = new NumberColumn();

  add({ path, bytes }: Pick<FileContent, 'path' | 'bytes'>): void {
    const text = hashText(shownAs({ path, text: decodeText(bytes).text, as: 'lines' }));
    const { words, lines, first } = this.#columns;
    words.add(text.words);
    lines.add(text.lines);
    first.add(firstLines(text));
    this.#ends.add([words.length, lines.length, first.length, text.drawing]);
  }

  texts(): HashedTexts {
    const { words, lines, first } = this.#columns;
    return { words: own(words), lines: own(lines), first: own(first), ends: own(this.#ends) };
  }
}

/** In a buffer that has no room left over, and can move to another thread. */
const own = (column: NumberColumn): Uint32Array => column.view().slice();
