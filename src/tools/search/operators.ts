// Finds the operators of Obsidian's search in a query, and takes their names out of what is searched for.

const NAMES = 'path|folder|file|tags?|title|content|line|block|section|task(?:-todo|-done)?|match-case|ignore-case';
/** The value: a quoted text, one in parentheses, or up to the next blank. A URL such as `file:///a` has none. */
const VALUE = String.raw`(?!\/\/)(?:"[^"]*"|\([^()]*\)|[^\s:]\S*)`;
const OPERATOR = new RegExp(String.raw`(?<![^\s(])(-?)(?:${NAMES}):(?=(${VALUE}))`, 'giu');
const NEGATED = new RegExp(String.raw`(?<![^\s(])-(?:${NAMES}):${VALUE}`, 'giu');

export interface Operator {
  readonly name: string;
  readonly negated: boolean;
  /** Without quotes, parentheses and the sign of a tag. */
  readonly value: string;
  readonly written: string;
}

/** Outside of quoted phrases. */
export function operatorsIn(text: string): Operator[] {
  return [...withoutPhrases(text).matchAll(OPERATOR)].map(({ 0: start, 1: minus, 2: value = '' }) => ({
    name: start.replace(/^-|:$/g, '').toLowerCase(),
    negated: minus === '-',
    value: value.replace(/^["(#]+|[")]+$/g, ''),
    written: `${start}${value}`,
  }));
}

/** The same length: values stay where they are, and what is negated is left out, because it is not a word to exclude. */
export function withoutOperators(text: string): string {
  const blank = (found: string): string => ' '.repeat(found.length);
  return text.replace(NEGATED, blank).replace(OPERATOR, blank);
}

const withoutPhrases = (text: string): string => text.replace(/(^|\s)-?"[^"]*"/g, '$1');
