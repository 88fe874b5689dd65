// Says what a schema asks of a value that it refused: the one translation of schema issues, for arguments and for settings.
import type * as z from 'zod';
import type { InputIssue } from '../base/errors.ts';
import { didYouMean } from '../base/nearest.ts';

type Issue = z.core.$ZodIssue;
type Rule = Pick<InputIssue, 'rule' | 'expected' | 'did_you_mean'>;

/** What values are called in JSON. */
const JSON_NOUNS: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
};

/** @param nouns for types that are not called as in JSON; the rule follows the name of the value: `must be a list` */
export function ruleOf(issue: Issue, nouns: Readonly<Record<string, string>> = {}): Rule {
  switch (issue.code) {
    case 'invalid_type': {
      const expected = nouns[issue.expected] ?? JSON_NOUNS[issue.expected] ?? issue.expected;
      return { rule: `must be ${expected}`, expected };
    }
    case 'invalid_value':
      return valueRule(issue);
    case 'too_small':
      return sizeRule(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'too_big':
      return sizeRule(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    default:
      return { rule: plainMessage(issue) };
  }
}

function valueRule({ values, input }: Extract<Issue, { code: 'invalid_value' }>): Rule {
  const expected = values.map(String).join(', ');
  const rule = values.length === 1 ? `must be ${expected}` : `must be one of ${expected}`;
  return { rule, expected, ...(typeof input === 'string' && didYouMean(input, values.map(String))) };
}

const UNITS: Readonly<Record<string, [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
};

function sizeRule(origin: string, relation: string, limit: number | bigint): Rule {
  const unit = UNITS[origin]?.[Number(limit) === 1 ? 0 : 1];
  if (unit === undefined) return { rule: `must be ${relation} ${limit}`, expected: `${relation} ${limit}` };
  const expected = `${relation} ${limit} ${unit}`;
  return { rule: expected.startsWith('at least 1 ') ? 'must not be empty' : `must have ${expected}`, expected };
}

export const plainMessage = ({ message }: Issue): string => message.replace(/^Invalid [a-z]+: /, '');
