// Compiles the regular expressions of formulas, which run in linear time.
import { RE2JS } from 're2js';
import { compilePattern, type PatternRefusal, refusalOf } from '../../markdown/edit/linear-pattern.ts';
import { UnsupportedFault } from '../base-fault.ts';
import type { WrittenRegex } from '../expression.ts';

type Spend = (steps: number) => void;

/** A regular expression that runs in linear time. Each method counts its steps before it takes them. */
export interface Regex {
  readonly pattern: string;
  readonly flags: string;
  matches(text: string, spend: Spend): boolean;
  /** The pieces of the text with the first match replaced, or with the flag `g` every one. */
  replace(text: string, replacement: string, spend: Spend): Iterable<string>;
  /** What is between the matches, and their groups as in JavaScript; null for a group without a match. */
  split(text: string, spend: Spend): (string | null)[];
}

const FLAGS: Readonly<Record<string, number>> = {
  g: 0,
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
  u: 0,
};

/** A larger one takes too long to compile, and to begin a search. */
const MAX_SIZE = 500;
/** For each character of a text and each instruction of the expression, so that the limit of steps is some tens of milliseconds at worst. */
const STEPS = 2;

/** @throws UnsupportedFault that names the construct */
export function compileRegex({ pattern, flags, line, place }: WrittenRegex): Regex {
  const whole = `the regular expression /${pattern}/${flags}`;
  const refused = (what: string) => new UnsupportedFault(line, `${what} of ${whole}`, place);
  const unknown = [...flags].find((flag) => !Object.hasOwn(FLAGS, flag));
  if (unknown !== undefined) throw refused(`the flag ${unknown}`);
  const measured = measure(pattern);
  if (typeof measured !== 'number') throw refused(nameOf(measured));
  if (measured > MAX_SIZE) throw refused(`the size ${measured}, repetitions multiplied, above ${MAX_SIZE},`);
  const bits = [...flags].reduce((all, flag) => all | (FLAGS[flag] ?? 0), 0);
  const compiled = compilePattern(RE2JS.translateRegExp(pattern), bits);
  if ('part' in compiled) throw refused(nameOf(compiled));
  return regexOf(compiled, pattern, flags);
}

function nameOf({ construct, reason, part }: PatternRefusal): string {
  return `${construct ?? reason}, \`${part}\`,`;
}

const TOKEN = /\(\?:|\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|./gs;

/** The number of characters and classes that it matches, those in repetitions multiplied. */
function measure(pattern: string): number | PatternRefusal {
  const open = [0];
  let last = 0;
  for (const [token, least, most] of pattern.matchAll(TOKEN)) {
    if (/^\\[1-9k]/.test(token)) return refusalOf(token === '\\k' ? '\\k<' : token, 'a reference');
    if (/^[?*+]$/.test(token)) continue;
    if (token.startsWith('(')) {
      open.push(0);
      continue;
    }
    const before = last;
    if (token === ')') last = open.pop() ?? 0;
    else last = least === undefined ? 1 : before * Math.max(Number(least), Number(most ?? 0), 1);
    open.push((open.pop() ?? 0) + (least === undefined ? last : last - before));
  }
  return open.reduce((sum, size) => sum + size, 0);
}

function regexOf(compiled: RE2JS, pattern: string, flags: string): Regex {
  const spendOn = (text: string, spend: Spend): void => spend(STEPS * (text.length + 1) * compiled.programSize());
  return {
    pattern,
    flags,
    matches: (text, spend) => {
      spendOn(text, spend);
      return compiled.test(text);
    },
    *replace(text, replacement, spend) {
      spendOn(text, spend);
      const parts = replacementParts(replacement, compiled.groupCount(), Object.keys(compiled.namedGroups()));
      const matcher = compiled.matcher(text);
      let end = 0;
      while (matcher.find()) {
        const [from, to] = [matcher.start(), matcher.end()];
        yield text.slice(end, from);
        const group = (name: string | number): string => matcher.group(name) ?? '';
        for (const part of parts) yield part({ text, from, to, group });
        end = to;
        if (!flags.includes('g')) break;
      }
      yield text.slice(end);
    },
    split: (text, spend) => {
      spendOn(text, spend);
      return text === '' && compiled.test(text) ? [] : pieces(text, compiled);
    },
  };
}

function pieces(text: string, compiled: RE2JS): (string | null)[] {
  const groups: (string | null)[] = [];
  const matcher = compiled.matcher(text);
  let end = 0;
  while (matcher.find()) {
    const [from, to] = [matcher.start(), matcher.end()];
    if (from === to && (to === end || from === text.length)) continue;
    groups.push(text.slice(end, from));
    for (let at = 1; at <= compiled.groupCount(); at++) groups.push(matcher.group(at));
    end = to;
  }
  groups.push(text.slice(end));
  return groups;
}

interface Match {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** An empty text for a group without a match. */
  group(name: string | number): string;
}

type ReplacementPart = (match: Match) => string;

const SIGNS: Readonly<Record<string, ReplacementPart>> = {
  $: () => '$',
  '&': ({ text, from, to }) => text.slice(from, to),
  '`': ({ text, from }) => text.slice(0, from),
  "'": ({ text, to }) => text.slice(to),
};
const REFERENCE = /\$(?:([$&`'])|(\d{1,2})|<([^>]*)>)/g;

/** A reference to a group that does not exist is text, as is `$<` without named groups. */
function replacementParts(replacement: string, groups: number, names: readonly string[]): readonly ReplacementPart[] {
  const parts: ReplacementPart[] = [];
  let end = 0;
  for (const { 0: written, 1: sign, 2: number, 3: name, index } of replacement.matchAll(REFERENCE)) {
    const before = replacement.slice(end, index);
    if (before !== '') parts.push(() => before);
    const read = sign === undefined ? undefined : SIGNS[sign];
    parts.push(read ?? groupPart(written, number, name, groups, names));
    end = index + written.length;
  }
  const after = replacement.slice(end);
  return after === '' ? parts : [...parts, () => after];
}

function groupPart(
  written: string,
  number: string | undefined,
  name: string | undefined,
  groups: number,
  names: readonly string[],
): ReplacementPart {
  if (number === undefined) {
    if (names.length === 0) return () => written;
    return ({ group }) => (names.includes(name ?? '') ? group(name ?? '') : '');
  }
  // `$12` is the group 1 and a 2 where there are fewer than 12 groups.
  const digits = Number(number) > groups && number.length === 2 ? number.slice(0, 1) : number;
  const rest = number.slice(digits.length);
  if (Number(digits) < 1 || Number(digits) > groups) return () => written;
  return ({ group }) => `${group(Number(digits))}${rest}`;
}
