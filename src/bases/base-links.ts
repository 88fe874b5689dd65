// Finds the texts in the expressions of a base that name files and folders.
import { type BaseDocument, expressionsOf, type WrittenExpression } from './base-document.ts';
import { SyntaxFault, type Token, tokensOf } from './expression/tokens.ts';

type TextToken = Extract<Token, { type: 'text' }>;

export interface BaseReference {
  readonly written: WrittenExpression;
  /** In the text of the expression. */
  readonly token: TextToken;
  /** `link`: as in a link, resolved from the base · `path` and `folder`: from the root of the vault. */
  readonly kind: 'link' | 'path' | 'folder';
}

const LINK_FUNCTIONS: readonly string[] = ['link', 'file', 'image', 'hasLink', 'linksTo'];

/** `link("x")`, `file.hasLink("x")`, `"[[x]]"`, `file.inFolder("x")`, `file.folder == "x"` and `file.path == "x"`. */
export function referencesIn(document: BaseDocument): readonly BaseReference[] {
  return expressionsOf(document).flatMap((written) => {
    const tokens = tokensIn(written.text);
    return tokens.flatMap((token, at) => {
      const kind = token.type === 'text' ? kindOf(token, tokens, at) : undefined;
      return kind === undefined ? [] : [{ written, token: token as TextToken, kind }];
    });
  });
}

/** None of a text that is not an expression: the view that uses it does not work before a move either. */
function tokensIn(text: string): readonly Token[] {
  try {
    return tokensOf(text);
  } catch (thrown) {
    if (thrown instanceof SyntaxFault) return [];
    throw thrown;
  }
}

function kindOf({ value }: TextToken, tokens: readonly Token[], at: number): BaseReference['kind'] | undefined {
  if (/^\[\[[^[\]]+\]\]$/.test(value)) return 'link';
  const [sign, name] = [wordAt(tokens, at - 1), wordAt(tokens, at - 2)];
  if (sign === '(' && name === 'inFolder') return 'folder';
  if (sign === '(') return LINK_FUNCTIONS.includes(name) ? 'link' : undefined;
  const isCompared = sign === '==' || sign === '!=';
  return isCompared && (name === 'folder' || name === 'path') && wordAt(tokens, at - 3) === '.' ? name : undefined;
}

function wordAt(tokens: readonly Token[], at: number): string {
  const token = tokens[at];
  return token?.type === 'name' || token?.type === 'sign' ? token.value : '';
}
