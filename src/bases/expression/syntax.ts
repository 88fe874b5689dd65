// The syntax tree of an expression in a filter or a formula.

export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '&&' | '||';

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
