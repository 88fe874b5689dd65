// Refuses front matter that would drive a YAML parser too deep. Goes by the parser's own tokens; knows nothing of what they say.

/** Real notes reach 5 open brackets and 20 columns of indent. */
const MAX_OPEN = 64;
const MAX_INDENT = 256;

/** Signs of the lexer's own: a scalar's text follows; all brackets end here; a document begins. They take up no place. */
const SCALAR = '\u001F';
const BRACKETS_END = '\u0018';
const DOCUMENT = '\u0002';

export interface YamlFault {
  /** Where in the source. */
  readonly offset: number;
  readonly reason: string;
}

/** The first of the lexer's tokens that is beyond what is parsed. Brackets in texts and comments are no tokens of their own. */
export function yamlExcess(tokens: Iterable<string>): YamlFault | undefined {
  const depth = new YamlDepth();
  let offset = 0;
  let isText = false;
  for (const token of tokens) {
    const reason = isText ? undefined : depth.excessAt(token);
    if (reason !== undefined) return { offset, reason };
    const isSign: boolean = !isText && (token === SCALAR || token === BRACKETS_END || token === DOCUMENT);
    isText = isSign && token === SCALAR;
    if (!isSign) offset += token.length;
  }
  return undefined;
}

class YamlDepth {
  #openBrackets = 0;
  /** Lists and maps that begin on this line. */
  #openings = 0;
  /** Columns before the first text of this line; `isIndent` until that comes. */
  #indent = 0;
  #isIndent = true;

  /** Why the parser must not be given `token`. */
  excessAt(token: string): string | undefined {
    if (token === '[' || token === '{') this.#openBrackets += 1;
    else if (token === ']' || token === '}') this.#openBrackets = Math.max(0, this.#openBrackets - 1);
    else if (token === BRACKETS_END) this.#openBrackets = 0;
    else this.#meet(token);
    if (this.#openBrackets > MAX_OPEN) return `more than ${MAX_OPEN} brackets open at once`;
    if (this.#openings > MAX_OPEN) return `more than ${MAX_OPEN} lists opened on one line`;
    if (this.#isIndent && this.#indent > MAX_INDENT) return `indented by more than ${MAX_INDENT} columns`;
    return undefined;
  }

  #meet(token: string): void {
    const first = token.charAt(0);
    const opens = token === '-' || token === '?' || token === ':';
    if (first === '\n' || first === '\r') {
      this.#openings = 0;
      this.#indent = 0;
      this.#isIndent = true;
    } else if (opens || first === ' ' || first === '\t') {
      this.#indent += token.length;
      if (opens && this.#openBrackets === 0) this.#openings += 1;
    } else {
      this.#isIndent = false;
    }
  }
}
