// Rule: names of properties, and the values of one with few, that look like variants of each other.
import type { NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { type Call, type CheckQuery, type CheckRule, type Finding, fixedBy } from './check-rule.ts';
import { type NoteProfile, noteProfiles } from './note-profiles.ts';
import { type Variant, variantsOf } from './variants.ts';

interface PropertyVariant extends Finding, Variant {
  /** Whose values are compared; undefined for names. */
  readonly property?: string;
  /** A note with the rarer one. */
  readonly path: NotePath;
}

type Uses = Map<string, Set<NotePath>>;

/** Their values differ from note to note. */
const FREE_TEXT: ReadonlySet<string> = new Set([
  ...['title', 'aliases', 'alias', 'tags', 'tag', 'description', 'summary', 'name', 'cssclasses', 'cssclass'],
  ...['abstract', 'subtitle', 'author', 'authors', 'id', 'url', 'link', 'source', 'permalink', 'slug'],
]);
const MAX_VALUES = 30;
/** So many different values are few whatever the number of notes. */
const ALWAYS_FEW = 12;
const MAX_VALUE_LENGTH = 40;

/** Those of the most notes first. */
export const similarProperties: CheckRule<PropertyVariant> = {
  find: async (query) => {
    const profiles = await noteProfiles(query);
    const basis = profiles.flatMap(({ path, properties }) => [path, properties]);
    return query.keptWhile(basis, () => propertyVariants(profiles, query));
  },
  show: (findings, query) =>
    findings.map(({ from, to, differs_in, property, path }) => ({
      ...(property === undefined ? { property: from.name } : { property, value: from.name }),
      notes: from.count,
      like: to.name,
      like_notes: to.count,
      differs_in,
      path,
      ...fixedBy(query, ...callsFor({ from, to, property }, path)),
    })),
};

function callsFor(
  { from, to, property }: Pick<Variant, 'from' | 'to'> & { readonly property: string | undefined },
  path: NotePath,
): Call[] {
  const only = {
    where: [`${property ?? from.name} ${property === undefined ? 'exists' : `= ${JSON.stringify(from.name)}`}`],
  };
  const key = from.name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const find = `(?m)^(["']?)${key}(["']?\\s*:)`;
  return [
    property === undefined
      ? [
          'replace_in_notes',
          { find, replace: `$1${to.name.replaceAll('$', '$$$$')}$2`, regex: true, in: ['properties'], filter: only },
        ]
      : ['set_properties', { filter: only, set: [{ property, value: to.name }], dry_run: true }],
    ['list_notes', only],
    ['read_notes', { notes: [path] }],
  ];
}

async function propertyVariants(profiles: readonly NoteProfile[], query: CheckQuery) {
  const { names, values } = await usedProperties(profiles, query.call.signal);
  const variants = await variantsAmong(names, query);
  for (const [property, uses] of values)
    if (areFew(uses)) variants.push(...(await variantsAmong(uses, query, property)));
  return variants.sort((one, other) => other.from.count - one.from.count || (one.from.name < other.from.name ? -1 : 1));
}

async function variantsAmong(uses: Uses, { call }: CheckQuery, property?: string): Promise<PropertyVariant[]> {
  const used = [...uses].map(([name, paths]) => ({ name, count: paths.size }));
  const variants = await variantsOf(used, call.signal);
  return variants.flatMap((one) => {
    const [own = new Set<NotePath>(), others = new Set<NotePath>()] = [uses.get(one.from.name), uses.get(one.to.name)];
    // What one note has side by side is different on purpose; a value used once each shows no habit.
    if ([...own].some((path) => others.has(path))) return [];
    if (property !== undefined && one.differs_in === 'typo' && one.to.count < 2) return [];
    const names = [property === undefined ? one.from.name : `${property}: ${one.from.name}`];
    const [path = ''] = own;
    return [{ ...one, names, path: path as NotePath, ...(property !== undefined && { property }) }];
  });
}

async function usedProperties(profiles: readonly NoteProfile[], signal: AbortSignal) {
  const names: Uses = new Map();
  const values = new Map<string, Uses>();
  for (const { path, properties } of profiles) {
    await letOthersRun(signal);
    for (const [name, value] of properties) {
      addUse(names, name, path);
      const key = foldName(name);
      if (typeof value !== 'string' || FREE_TEXT.has(key)) continue;
      const uses = values.get(key) ?? new Map();
      values.set(key, uses);
      addUse(uses, value.trim(), path);
    }
  }
  return { names, values };
}

function addUse(uses: Uses, name: string, path: NotePath): void {
  uses.set(name, (uses.get(name) ?? new Set<NotePath>()).add(path));
}

function areFew(uses: Uses): boolean {
  const all = [...uses];
  const notes = all.reduce((sum, [, paths]) => sum + paths.size, 0);
  if (all.length > MAX_VALUES || (all.length > ALWAYS_FEW && notes < all.length * 2)) return false;
  return all.every(([value]) => value.length <= MAX_VALUE_LENGTH && !/\[\[|:\/\/|\n/.test(value));
}
