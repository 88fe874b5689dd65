// Splits the text of an expression into tokens.

export type Token = { readonly at: number; readonly to: number } & (
  | { readonly type: 'number'; readonly value: number }
  /** `raw`: between its quotes as written. */
  | { readonly type: 'text'; readonly value: string; readonly raw: string }
  | { readonly type: 'name'; readonly value: string }
  | { readonly type: 'regex'; readonly pattern: string; readonly flags: string }
  | { readonly type: 'sign'; readonly value: string }
  | { readonly type: 'end' }
);

/** Why a text is not an expression, and the offset. */
export class SyntaxFault extends Error {
  readonly at: number;

  constructor(at: number, reason: string) {
    super(reason);
    this.at = at;
  }
}

const SPACE = /\s+/y;
const NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Names may hold emoji, as names of properties do. */
const NAME = /(?:[\p{L}_$]|\p{Extended_Pictographic})(?:[\p{L}\p{M}\p{N}_$]|\p{Extended_Pictographic}|\u200d)*/uy;
const TEXT = /"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])*)'/y;
const REGEX = /\/((?:[^/\\[\r\n]|\\[^\r\n]|\[(?:[^\]\\\r\n]|\\[^\r\n])*\])+)\/([a-z]*)/y;
const SIGN = /&&|\|\||[=!<>]=|[-+*/%<>!()[\]{},:.]/y;

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** @throws SyntaxFault */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; ; ) {
    at += match(SPACE, text, at)?.[0].length ?? 0;
    const token = at === text.length ? undefined : tokenAt(text, at, tokens.at(-1));
    if (token === undefined) return [...tokens, { type: 'end', at, to: at }];
    tokens.push(token);
    at = token.to;
  }
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function tokenAt(text: string, at: number, before: Token | undefined): Token {
  const number = match(NUMBER, text, at);
  if (number !== null) return { type: 'number', value: Number(number[0]), at, to: at + number[0].length };
  const name = match(NAME, text, at);
  if (name !== null) return { type: 'name', value: name[0], at, to: at + name[0].length };
  const quoted = match(TEXT, text, at);
  if (quoted !== null) {
    const raw = quoted[1] ?? quoted[2] ?? '';
    return { type: 'text', value: unescaped(raw), raw, at, to: at + quoted[0].length };
  }
  const regex = beginsOperand(before) ? match(REGEX, text, at) : null;
  if (regex !== null)
    return { type: 'regex', pattern: regex[1] ?? '', flags: regex[2] ?? '', at, to: at + regex[0].length };
  const sign = match(SIGN, text, at);
  if (sign !== null) return { type: 'sign', value: sign[0], at, to: at + sign[0].length };
  const first = String.fromCodePoint(text.codePointAt(at) ?? 0);
  throw new SyntaxFault(at, /["']/.test(first) ? 'a quote is not closed' : `${first} is not part of the language`);
}

function unescaped(raw: string): string {
  return raw.replace(/\\([\s\S])/g, (_, sign: string) => ESCAPES[sign] ?? sign);
}

/** Whether a `/` after this token begins a regular expression and is not a division. */
function beginsOperand(before: Token | undefined): boolean {
  return before === undefined || (before.type === 'sign' && ![')', ']', '}'].includes(before.value));
}
