// Finds names that look like variants of each other: case, separators, accents, plural, one typo.
import { countTypos } from '../../base/nearest.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { foldText } from '../../markdown/excerpt/fold-text.ts';
import { hasUnspacedScript } from '../../markdown/excerpt/term-matches.ts';

export interface UsedName {
  readonly name: string;
  /** The number of notes that use it. */
  readonly count: number;
}

export interface Variant {
  /** The rarer name, and the one that it looks like. */
  readonly from: UsedName;
  readonly to: UsedName;
  readonly differs_in: 'case' | 'separator' | 'accents' | 'plural' | 'typo';
}

const MAX_LENGTH = 60;
const MIN_TYPO_LENGTH = 5;
const MIN_SINGULAR_LENGTH = 3;
/** A name used so often is no slip, unless the other is used more often by this factor. */
const MAX_SLIPS = 2;
const SLIP_FACTOR = 3;

/** Most used pairs first. */
export async function variantsOf(names: readonly UsedName[], signal: AbortSignal): Promise<readonly Variant[]> {
  const usual = names.filter(({ name }) => name.length <= MAX_LENGTH).sort(byUse);
  const byKey = Map.groupBy(usual, ({ name }) => keyOf(name));
  const variants: Variant[] = [];
  for (const [main, ...others] of byKey.values())
    for (const other of others)
      variants.push(variant(other, main as UsedName, spellingDifference(other, main as UsedName)));
  const mains = new Map([...byKey].map(([key, [main]]) => [key, main as UsedName]));
  for (const [key, one] of mains) {
    await letOthersRun(signal);
    const other = singularsOf(key).flatMap((singular) => mains.get(singular) ?? [])[0];
    if (other !== undefined) variants.push(variant(...rarerFirst(one, other), 'plural'));
  }
  for (const [one, other] of await typosIn(mains, signal)) variants.push(variant(...rarerFirst(one, other), 'typo'));
  return variants.sort((one, other) => other.from.count - one.from.count || (one.from.name < other.from.name ? -1 : 1));
}

const variant = (from: UsedName, to: UsedName, differs_in: Variant['differs_in']): Variant => ({
  from,
  to,
  differs_in,
});

/** Lower case first, and plain letters before those with accents. */
const BY_NAME = new Intl.Collator('en');

function byUse(one: UsedName, other: UsedName): number {
  return other.count - one.count || BY_NAME.compare(one.name, other.name);
}

function rarerFirst(one: UsedName, other: UsedName): [UsedName, UsedName] {
  return byUse(one, other) > 0 ? [one, other] : [other, one];
}

/** Without case, accents and separators; a name without letters is left as it is. */
function keyOf(name: string): string {
  const key = foldText(name).replace(/[\s_\-.·]+/gu, '');
  return /\p{L}/u.test(key) ? key : name;
}

function spellingDifference({ name: one }: UsedName, { name: other }: UsedName): Variant['differs_in'] {
  const plain = (name: string): string => name.normalize('NFC').toLowerCase();
  if (plain(one) === plain(other)) return 'case';
  const joined = (name: string): string => plain(name).replace(/[\s_\-.·]+/gu, '');
  return joined(one) === joined(other) ? 'separator' : 'accents';
}

/** Words whose plural is another word. */
const OTHER_WORDS: ReadonlySet<string> = new Set(['news', 'goods', 'customs', 'means', 'glasses', 'arms']);

function singularsOf(key: string): readonly string[] {
  if (!/\p{L}s$/u.test(key) || /(?:ss|us|is)$/u.test(key) || OTHER_WORDS.has(key)) return [];
  const singulars = [
    key.slice(0, -1),
    ...(key.endsWith('es') ? [key.slice(0, -2)] : []),
    ...(key.endsWith('ies') ? [`${key.slice(0, -3)}y`] : []),
  ];
  return singulars.filter((one) => one.length >= MIN_SINGULAR_LENGTH);
}

/** Two words that are one edit apart become the same by losing a letter each, or one of them. */
async function typosIn(names: ReadonlyMap<string, UsedName>, signal: AbortSignal) {
  const byRest = new Map<string, string[]>();
  const pairs = new Map<string, readonly [UsedName, UsedName]>();
  for (const [key, used] of names) {
    await letOthersRun(signal);
    if (key.length < MIN_TYPO_LENGTH || hasUnspacedScript(key)) continue;
    for (const rest of restsOf(key)) {
      const group = byRest.get(rest);
      if (group === undefined) byRest.set(rest, [key]);
      else if (!group.includes(key)) {
        for (const other of group)
          if (isTypo(key, other)) pairs.set([key, other].sort().join('\n'), [used, names.get(other) as UsedName]);
        group.push(key);
      }
    }
  }
  return [...pairs.values()].filter(isSlip);
}

function restsOf(key: string): string[] {
  const rests = [key];
  for (let at = 0; at < key.length; at += 1) rests.push(key.slice(0, at) + key.slice(at + 1));
  return rests;
}

/** One slip inside the word: another first letter makes another word, another end another form. Numbers are never typos. */
function isTypo(one: string, other: string): boolean {
  if (countTypos(one, other) !== 1) return false;
  if (singularsOf(one).includes(other) || singularsOf(other).includes(one)) return false;
  const digits = (word: string): string => word.replace(/\D/g, '');
  return digits(one) === digits(other) && one[0] === other[0] && one.at(-1) === other.at(-1);
}

function isSlip([one, other]: readonly [UsedName, UsedName]): boolean {
  const [rare, usual] = rarerFirst(one, other);
  return rare.count <= MAX_SLIPS || usual.count >= rare.count * SLIP_FACTOR;
}
