// The expressions of bases: their syntax, their tokens, and the parser.

type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '&&' | '||';

export interface RegexExpression {
  readonly type: 'regex';
  readonly pattern: string;
  readonly flags: string;
}

/** With the place in the base where it is used first. */
export interface WrittenRegex extends Omit<RegexExpression, 'type'> {
  readonly line: number;
  readonly place: string;
}

/** Returns the expression as it is written. */
export function regexKey({ pattern, flags }: Omit<RegexExpression, 'type'>): string {
  return `/${pattern}/${flags}`;
}

/** `at`: the offset in the text of the expression. */
export type Expression = { readonly at: number } & (
  | { readonly type: 'literal'; readonly value: null | boolean | number | string }
  | RegexExpression
  /** A formula or a column that cannot be evaluated for any file. */
  | { readonly type: 'fault'; readonly reason: string }
  | { readonly type: 'list'; readonly items: readonly Expression[] }
  | { readonly type: 'object'; readonly entries: readonly (readonly [name: string, value: Expression])[] }
  /** `file`, `this`, a variable of a list function, or else a property of the note. */
  | { readonly type: 'name'; readonly name: string }
  | { readonly type: 'property'; readonly name: string }
  | { readonly type: 'formula'; readonly name: string }
  | { readonly type: 'member'; readonly object: Expression; readonly name: string }
  | { readonly type: 'index'; readonly object: Expression; readonly index: Expression }
  /** Without an object it is a global function. */
  | {
      readonly type: 'call';
      readonly object?: Expression;
      readonly name: string;
      readonly args: readonly Expression[];
    }
  | { readonly type: 'unary'; readonly operator: '!' | '-'; readonly operand: Expression }
  | {
      readonly type: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
);

/** The parts of an expression. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.type) {
    case 'list':
      return expression.items;
    case 'object':
      return expression.entries.map(([, value]) => value);
    case 'member':
      return [expression.object];
    case 'index':
      return [expression.object, expression.index];
    case 'call':
      return expression.object === undefined ? expression.args : [expression.object, ...expression.args];
    case 'unary':
      return [expression.operand];
    case 'binary':
      return [expression.left, expression.right];
    default:
      return [];
  }
}

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
const NUMBER = /(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/y;
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

/** More than any expression that a person writes: signs and brackets within each other, and levels of the tree. */
const MAX_NESTED = 64;
const MAX_LEVELS = 400;

/** From the loosest to the tightest. */
const LEVELS: readonly (readonly BinaryOperator[])[] = [
  ['||'],
  ['&&'],
  ['==', '!='],
  ['<', '<=', '>', '>='],
  ['+', '-'],
  ['*', '/', '%'],
];

const WORDS: Readonly<Record<string, null | boolean>> = { true: true, false: false, null: null };

/** @throws SyntaxFault */
export function parseExpression(text: string): Expression {
  const expression = new ExpressionParser(tokensOf(text)).whole();
  refuseDeep(expression);
  return expression;
}

/** It is evaluated recursively. */
function refuseDeep(expression: Expression): void {
  let level: readonly Expression[] = [expression];
  for (let levels = 1; level.length > 0; levels += 1) {
    if (levels > MAX_LEVELS) throw tooDeep(level[0]?.at ?? 0);
    level = level.flatMap(partsOf);
  }
}

class ExpressionParser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    const expression = this.#binary(0);
    const rest = this.#token;
    if (rest.type !== 'end') throw new SyntaxFault(rest.at, `${shown(rest)} is not expected here`);
    return expression;
  }

  get #token(): Token {
    return this.#tokens[Math.min(this.#next, this.#tokens.length - 1)] as Token;
  }

  #takes(sign: string): boolean {
    const token = this.#token;
    if (token.type !== 'sign' || token.value !== sign) return false;
    this.#next += 1;
    return true;
  }

  #expect(sign: string): void {
    if (!this.#takes(sign)) throw new SyntaxFault(this.#token.at, `${sign} is missing before ${shown(this.#token)}`);
  }

  #binary(level: number): Expression {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const { at } = this.#token;
      const operator = operators.find((each) => this.#takes(each));
      if (operator === undefined) return left;
      left = { type: 'binary', operator, left, right: this.#binary(level + 1), at };
    }
  }

  #unary(): Expression {
    const { at } = this.#token;
    this.#depth += 1;
    if (this.#depth > MAX_NESTED) throw tooDeep(at);
    const operator = (['!', '-'] as const).find((each) => this.#takes(each));
    const expression: Expression =
      operator === undefined ? this.#postfix(this.#operand()) : { type: 'unary', operator, operand: this.#unary(), at };
    this.#depth -= 1;
    return expression;
  }

  #postfix(first: Expression): Expression {
    let object = first;
    for (;;) {
      const { at } = this.#token;
      if (this.#takes('.')) object = this.#member(object, at);
      else if (this.#takes('[')) object = this.#index(object, at);
      else return object;
    }
  }

  #member(object: Expression, at: number): Expression {
    const token = this.#token;
    if (token.type !== 'name') throw new SyntaxFault(token.at, `a name is missing before ${shown(token)}`);
    this.#next += 1;
    if (this.#takes('(')) return { type: 'call', object, name: token.value, args: this.#list(')'), at: token.at };
    return memberOf(object, token.value) ?? { type: 'member', object, name: token.value, at };
  }

  #index(object: Expression, at: number): Expression {
    const index = this.#binary(0);
    this.#expect(']');
    const named = index.type === 'literal' && typeof index.value === 'string' ? index.value : undefined;
    const member = named === undefined ? undefined : memberOf(object, named);
    if (member === undefined && object.type === 'name' && object.name === 'formula')
      throw new SyntaxFault(at, 'formula[…] needs the name of a formula in quotes');
    return member ?? { type: 'index', object, index, at };
  }

  #list(end: string): readonly Expression[] {
    const items: Expression[] = [];
    if (this.#takes(end)) return items;
    for (;;) {
      items.push(this.#binary(0));
      if (this.#takes(end)) return items;
      this.#expect(',');
    }
  }

  #operand(): Expression {
    const token = this.#token;
    const { at } = token;
    this.#next += 1;
    if (token.type === 'number' || token.type === 'text') return { type: 'literal', value: token.value, at };
    if (token.type === 'regex') return { type: 'regex', pattern: token.pattern, flags: token.flags, at };
    if (token.type === 'name') return this.#named(token.value, at);
    if (token.type === 'sign' && token.value === '(') return this.#grouped();
    if (token.type === 'sign' && token.value === '[') return { type: 'list', items: this.#list(']'), at };
    if (token.type === 'sign' && token.value === '{') return { type: 'object', entries: this.#entries(), at };
    throw new SyntaxFault(at, `a value is missing before ${shown(token)}`);
  }

  #named(name: string, at: number): Expression {
    if (this.#takes('(')) return { type: 'call', name, args: this.#list(')'), at };
    const word = Object.hasOwn(WORDS, name) ? WORDS[name] : undefined;
    return word === undefined ? { type: 'name', name, at } : { type: 'literal', value: word, at };
  }

  #grouped(): Expression {
    const expression = this.#binary(0);
    this.#expect(')');
    return expression;
  }

  #entries(): readonly (readonly [string, Expression])[] {
    const entries: (readonly [string, Expression])[] = [];
    if (this.#takes('}')) return entries;
    for (;;) {
      const name = this.#token;
      if (name.type !== 'text' && name.type !== 'name') throw new SyntaxFault(name.at, 'a name is missing');
      this.#next += 1;
      this.#expect(':');
      entries.push([name.value, this.#binary(0)]);
      if (this.#takes('}')) return entries;
      this.#expect(',');
    }
  }
}

/** `note.x` and `formula.x` name a property and a formula. */
function memberOf(object: Expression, name: string): Expression | undefined {
  if (object.type !== 'name') return undefined;
  if (object.name === 'note') return { type: 'property', name, at: object.at };
  return object.name === 'formula' ? { type: 'formula', name, at: object.at } : undefined;
}

function tooDeep(at: number): SyntaxFault {
  return new SyntaxFault(at, 'it is nested too deeply');
}

function shown(token: Token): string {
  if (token.type === 'end') return 'the end';
  if (token.type === 'regex') return `/${token.pattern}/`;
  return String(token.type === 'text' ? JSON.stringify(token.value) : token.value);
}
