// Rule: tags that look like variants of each other.
import { letOthersRun } from '../../base/threads/turns.ts';
import { type CheckQuery, type CheckRule, type Finding, fixedBy } from './check-rule.ts';
import { type NoteProfile, noteProfiles } from './note-profiles.ts';
import { type UsedName, type Variant, variantsOf } from './variants.ts';

interface TagVariant extends Finding, Variant {}

/** Those of the most notes first. */
export const similarTags: CheckRule<TagVariant> = {
  find: async (query) => {
    const profiles = await noteProfiles(query);
    const basis = profiles.flatMap(({ path, tags }) => [path, tags]);
    const variants: TagVariant[] = [];
    for (const { written, ...one } of await query.keptWhile(basis, () => tagVariants(profiles, query)))
      if (one.differs_in !== 'typo' || !(await isWord(written, query))) variants.push(one);
    return variants;
  },
  show: (findings, query) =>
    findings.map(({ from, to, differs_in }) => ({
      tag: from.name,
      notes: from.count,
      like: to.name,
      like_notes: to.count,
      differs_in,
      ...fixedBy(
        query,
        ['rename_tag', { from: from.name.slice(1), to: to.name.slice(1), dry_run: true }],
        ['list_notes', { tags: [from.name] }],
      ),
    })),
};

/** The variants that the tags alone show, each with the rarer name without the one above it. */
async function tagVariants(profiles: readonly NoteProfile[], { call }: CheckQuery) {
  const variants: (TagVariant & { readonly written: UsedName })[] = [];
  const { levels, together } = await usedTags(profiles, call.signal);
  for (const [parent, names] of levels) {
    const used = [...names].map(([name, paths]) => ({ name, count: paths.size }));
    for (const { from: written, to: like, differs_in } of await variantsOf(used, call.signal)) {
      const whole = (used: UsedName): UsedName => ({ ...used, name: `${parent}${used.name}` });
      const [from, to] = [whole(written), whole(like)];
      if (differs_in === 'typo' && together.has(`${from.name} ${to.name}`)) continue;
      variants.push({ names: [from.name], from, to, differs_in, written });
    }
  }
  return variants.sort((one, other) => other.from.count - one.from.count || (one.from.name < other.from.name ? -1 : 1));
}

/** A word that notes have without the tag is no slip. */
async function isWord({ name, count }: UsedName, { granted, call }: CheckQuery): Promise<boolean> {
  const { docFrequencies } = await granted.store.wordCounts([name], call.signal);
  return (docFrequencies[0] ?? 0) > count;
}

/** By parent (`#`, `#area/`), each name below it as it is spelled, with its notes; and which names are used together. */
async function usedTags(profiles: readonly NoteProfile[], signal: AbortSignal) {
  const levels = new Map<string, Map<string, Set<string>>>();
  const together = new Set<string>();
  for (const { path, tags } of profiles) {
    await letOthersRun(signal);
    const names = [...new Set(tags.map(({ tag }) => tag))];
    for (const tag of names) addTag(levels, tag, path);
    if (names.length <= MAX_TOGETHER)
      for (const one of names) for (const other of names) together.add(`${one} ${other}`);
  }
  return { levels, together };
}

/** A note with more tags is a list of tags. */
const MAX_TOGETHER = 20;

function addTag(levels: Map<string, Map<string, Set<string>>>, tag: string, path: string): void {
  let parent = '#';
  for (const name of tag.slice(1).split('/')) {
    const level = levels.get(parent) ?? new Map<string, Set<string>>();
    levels.set(parent, level.set(name, (level.get(name) ?? new Set()).add(path)));
    parent = `${parent}${name}/`;
  }
}
