// A source file as the tokens of its code, without comments, so that no rule is fooled by words in text.
import type * as Ast from 'typescript/unstable/ast';
import type * as Scanning from 'typescript/unstable/ast/scanner';
import { fetchedPackage } from '../packages/fetched.ts';

const { SyntaxKind } = fetchedPackage<typeof Ast>('check', 'typescript/unstable/ast');
const { createScanner } = fetchedPackage<typeof Scanning>('check', 'typescript/unstable/ast/scanner');
type SyntaxKind = Ast.SyntaxKind;

export interface Token {
  /** As written; of a text its content, between the quotes. */
  readonly text: string;
  readonly isText: boolean;
  readonly line: number;
}

const ENDS_AN_OPERAND = /^(?:[\w$]+|[)\]}])$/;
const BEFORE_A_REGEX = new Set(['return', 'typeof', 'case', 'in', 'of', 'await', 'void', 'throw', 'new', 'delete']);

/** The scanner alone cannot tell a regex from a division, nor a template's end from a brace; its neighbours can. */
export function tokensOf(source: string): Token[] {
  const scanner = createScanner(true, undefined, source);
  const tokens: Token[] = [];
  const templates: number[] = [];
  let depth = 0;
  let line = 1;
  let counted = 0;
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    if (isSlash(kind) && !followsOperand(tokens.at(-1))) kind = scanner.reScanSlashToken();
    if (kind === SyntaxKind.OpenBraceToken) depth += 1;
    if (kind === SyntaxKind.CloseBraceToken && templates.at(-1) === depth) {
      kind = scanner.reScanTemplateToken(false);
      if (kind === SyntaxKind.TemplateTail) templates.pop();
    } else if (kind === SyntaxKind.CloseBraceToken) depth -= 1;
    if (kind === SyntaxKind.TemplateHead) templates.push(depth);
    const isText = kind === SyntaxKind.StringLiteral || kind === SyntaxKind.NoSubstitutionTemplateLiteral;
    const text = isText ? scanner.getTokenValue() : scanner.getTokenText();
    line += linesBetween(source, counted, scanner.getTokenStart());
    counted = scanner.getTokenStart();
    tokens.push({ text, isText, line });
  }
  return tokens;
}

function isSlash(kind: SyntaxKind): boolean {
  return kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken;
}

function followsOperand(before: Token | undefined): boolean {
  if (before === undefined) return false;
  return before.isText || (ENDS_AN_OPERAND.test(before.text) && !BEFORE_A_REGEX.has(before.text));
}

function linesBetween(source: string, from: number, to: number): number {
  return source.slice(from, to).split('\n').length - 1;
}
