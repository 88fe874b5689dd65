// Whether a passage says again what another one has said, in nearly the same words: a copy, a former version, a template. Knows no budget.
import { isEmptyWord } from '../../markdown/excerpt/stop-words.ts';
import { formsOf, termOf } from '../../markdown/excerpt/terms.ts';
import { type Piece, textOf } from './piece.ts';

/** In fewer words than these nearly everything has been said somewhere. */
const FEWEST_TERMS = 8;
const REPEATED_SHARE = 0.8;

export interface Repeats {
  /** Whether most of its words stand in one passage of another note that is shown. */
  readonly holds: (piece: Piece) => boolean;
  readonly add: (piece: Piece) => void;
}

export function createRepeats(): Repeats {
  const shown: { readonly piece: Piece; readonly terms: ReadonlySet<string> }[] = [];
  return {
    holds: (piece) => {
      if (piece.kind === 'link') return false;
      const terms = termsIn(piece);
      const repeated = (said: ReadonlySet<string>) => [...terms].filter((term) => said.has(term)).length;
      const others = shown.filter((other) => other.piece.note.path !== piece.note.path);
      return terms.size >= FEWEST_TERMS && others.some((other) => repeated(other.terms) >= REPEATED_SHARE * terms.size);
    },
    add: (piece) => void shown.push({ piece, terms: termsIn(piece) }),
  };
}

function termsIn(piece: Piece): ReadonlySet<string> {
  const forms = [...formsOf(textOf(piece)).keys()];
  return new Set(forms.filter((form) => !isEmptyWord(form)).map(termOf));
}
