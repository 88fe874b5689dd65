// Reads the references in what replaces a match: $$, $&, $`, $', $1 and $<name>, as in JavaScript.

interface Match {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** An empty text for a group without a match. */
  group(name: string | number): string;
}

export type ReplacementPart = (match: Match) => string;

const SIGNS: Readonly<Record<string, ReplacementPart>> = {
  $: () => '$',
  '&': ({ text, from, to }) => text.slice(from, to),
  '`': ({ text, from }) => text.slice(0, from),
  "'": ({ text, to }) => text.slice(to),
};
const REFERENCE = /\$(?:([$&`'])|(\d{1,2})|<([^>]*)>)/g;

/** A reference to a group that does not exist is text, as is `$<` without named groups. */
export function replacementParts(
  replacement: string,
  groups: number,
  names: readonly string[],
): readonly ReplacementPart[] {
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
