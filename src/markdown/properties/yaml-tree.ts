// Parses the source of front matter into a YAML tree, within limits on its size and depth.
import { Composer, type Document, Lexer, Parser, Schema } from 'yaml';

/** The longest front matter of real notes has 7.5 kB. */
export const MAX_CHARACTERS = 64 * 1024;

/** Created once: the package would create one per note. Dates stay text, language tags are ignored. */
export const SCHEMA = new Schema({ schema: 'core', resolveKnownTags: false });

/** Warnings are not printed; duplicate names are found while the values are read. */
const OPTIONS = {
  version: '1.2',
  schema: SCHEMA,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'error',
} as const;

export type YamlTree =
  | { readonly contents: Document.Parsed['contents']; readonly fault?: undefined }
  | { readonly fault: YamlFault };

/** The tree, null for a source without content. Its ranges are offsets in `source`. */
export function parseYaml(source: string): YamlTree {
  if (source.length > MAX_CHARACTERS) {
    return { fault: { offset: 0, reason: `longer than ${MAX_CHARACTERS} characters` } };
  }
  const tokens = [...new Lexer().lex(source)];
  const excess = excessIn(tokens);
  if (excess !== undefined) return { fault: excess };
  const [document, second] = documentsOf(tokens, source.length);
  const error = document?.errors[0];
  if (error !== undefined) return { fault: { offset: error.pos[0], reason: error.message } };
  if (second !== undefined) return { fault: { offset: second.range[0], reason: 'a second document begins here' } };
  return { contents: document?.contents ?? null };
}

function documentsOf(tokens: readonly string[], length: number): Document.Parsed[] {
  const parser = new Parser();
  const composer = new Composer<never>(OPTIONS);
  const documents: Document.Parsed[] = [];
  for (const token of tokens) {
    for (const node of parser.next(token)) documents.push(...composer.next(node));
  }
  for (const node of parser.end()) documents.push(...composer.next(node));
  documents.push(...composer.end(true, length));
  return documents;
}

/** Real notes have up to 5 open brackets and 20 columns of indentation. */
const MAX_OPEN_COLLECTIONS = 64;
const MAX_INDENT = 256;

/**
 * Control tokens of the lexer: a scalar's text follows, all brackets end, a document starts. They take no space in
 * the source.
 */
const SCALAR = '\u001F';
const BRACKETS_END = '\u0018';
const DOCUMENT = '\u0002';

export type YamlFault = NonNullable<ReturnType<typeof excessIn>>;

/**
 * The first lexer token that exceeds a limit. Brackets in texts and comments are not tokens.
 * `offset`: the offset in the source.
 */
function excessIn(tokens: Iterable<string>) {
  const depth = new YamlDepth();
  let offset = 0;
  let isText = false;
  for (const token of tokens) {
    const reason = isText ? undefined : depth.excess(token);
    if (reason !== undefined) return { offset, reason };
    const isSign: boolean = !isText && (token === SCALAR || token === BRACKETS_END || token === DOCUMENT);
    isText = isSign && token === SCALAR;
    if (!isSign) offset += token.length;
  }
  return undefined;
}

class YamlDepth {
  #openBrackets = 0;
  /** Lists and maps that start on this line. */
  #openings = 0;
  /** The columns before the first text of this line; `isIndent` is true until that text. */
  #indent = 0;
  #isIndent = true;

  /** Why the parser must not read `token`, or undefined. */
  excess(token: string): string | undefined {
    if (token === '[' || token === '{') this.#openBrackets += 1;
    else if (token === ']' || token === '}') this.#openBrackets = Math.max(0, this.#openBrackets - 1);
    else if (token === BRACKETS_END) this.#openBrackets = 0;
    else this.#countIndent(token);
    if (this.#openBrackets > MAX_OPEN_COLLECTIONS) return `more than ${MAX_OPEN_COLLECTIONS} brackets open at once`;
    if (this.#openings > MAX_OPEN_COLLECTIONS) return `more than ${MAX_OPEN_COLLECTIONS} lists opened on one line`;
    if (this.#isIndent && this.#indent > MAX_INDENT) return `indented by more than ${MAX_INDENT} columns`;
    return undefined;
  }

  #countIndent(token: string): void {
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
