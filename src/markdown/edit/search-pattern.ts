// Compiles what a replacement looks for, a text or a regular expression, into a search in linear time.
import { RE2JS } from 're2js';
import { compilePattern, type PatternRefusal } from './linear-pattern.ts';

export interface FoundText {
  readonly from: number;
  readonly to: number;
  /** What replaces it; references to groups are filled in. */
  readonly text: string;
}

export interface Replacing {
  readonly find: string;
  readonly replace: string;
  readonly regex: boolean;
}

/** Every place in a text with LF line ends, ascending. */
export type Search = (text: string) => FoundText[];

/** The argument that cannot be used, and why. */
export interface PatternFault {
  readonly argument: 'find' | 'replace';
  readonly rule: string;
}

export function compileSearch({ find, replace, regex }: Replacing): Search | PatternFault {
  if (!regex) return (text) => textsIn(text, find.replace(/\r\n?/g, '\n'), replace);
  const compiled = compilePattern(find, RE2JS.MULTILINE);
  if ('part' in compiled) return { argument: 'find', rule: ruleFor(compiled) };
  const groups = compiled.matcher('').groupCount();
  const names = Object.keys(compiled.namedGroups());
  const unknown = [...replace.matchAll(REFERENCE)].find(([, , number, name]) =>
    number === undefined ? name !== undefined && !names.includes(name) : Number(number) > groups,
  );
  if (unknown !== undefined)
    return { argument: 'replace', rule: `\`${unknown[0]}\` is not a group of find; write \`$$\` for a dollar sign` };
  return (text) => matchesIn(text, compiled, replace);
}

function textsIn(text: string, find: string, replace: string): FoundText[] {
  const found: FoundText[] = [];
  for (let at = text.indexOf(find); at !== -1; at = text.indexOf(find, at + find.length))
    found.push({ from: at, to: at + find.length, text: replace });
  return found;
}

function ruleFor({ construct, reason, part }: PatternRefusal): string {
  if (construct === undefined) return `is not a regular expression of RE2: ${reason}: \`${part}\``;
  return `uses ${construct}, \`${part}\`, which RE2, the linear-time engine, does not support`;
}

/** `$$`, `$&`, `$1` and `$<name>`. */
const REFERENCE = /\$(?:([$&])|(\d{1,2})|<([^>]*)>)/g;

function matchesIn(text: string, pattern: RE2JS, replace: string): FoundText[] {
  const matcher = pattern.matcher(text);
  const found: FoundText[] = [];
  while (matcher.find()) {
    const filled = replace.replace(REFERENCE, (_, sign?: string, number?: string, name?: string) => {
      if (sign === '$') return '$';
      if (sign === '&') return matcher.group() ?? '';
      return matcher.group(number === undefined ? (name ?? '') : Number(number)) ?? '';
    });
    found.push({ from: matcher.start(), to: matcher.end(), text: filled });
  }
  return found;
}
