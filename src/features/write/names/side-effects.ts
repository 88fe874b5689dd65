// Adds to a planned write what it does beyond its files: names that it takes from other notes, new links that lead nowhere, and properties that Obsidian ignores.
import type { CallContext } from '../../../contracts/tool.ts';
import type { WritePlan } from '../write-plan.ts';
import { deadLinks } from './dead-links.ts';
import { plannedPaths, plannedTexts, type Sources } from './planned-names.ts';
import { takenNames, takenNameText } from './taken-names.ts';

/** A plan that takes a name from another note needs consent. */
export async function withSideEffects(plan: WritePlan, granted: Sources, call: CallContext): Promise<WritePlan> {
  if (plan.files.length === 0 || plan.renamesTag !== undefined) return plan;
  const paths = plannedPaths(plan);
  const texts = await plannedTexts(plan, call);
  const takesOver = await takenNames(paths, texts, granted, call);
  // A move writes no links of its own, and lists those that it cannot keep.
  const dead = plan.moves === undefined ? await deadLinks(paths, texts, granted, call) : undefined;
  const ignored = texts.flatMap((text) => text.notices.map((notice) => ({ path: text.path, notice })));
  const facts = {
    ...(takesOver.length === 0 ? {} : { takes_over: takesOver }),
    ...(dead === undefined ? {} : { unresolved_links: dead.links }),
  };
  return {
    ...plan,
    ...(takesOver.length === 0 ? {} : { takesOver, needsConsent: true }),
    affected: [...takesOver.map(takenNameText), ...plan.affected],
    ...(dead === undefined ? {} : { deadLinks: dead }),
    ...(ignored.length === 0 ? {} : { ignoredProperties: ignored }),
    facts: { ...plan.facts, ...facts },
  };
}
