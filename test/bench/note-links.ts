// Generates the links of a note in the syntax used in its text.
import type { Random } from './random.ts';
import { capitalized, type PlannedNote, type VaultPlan } from './vault-plan.ts';

/** Cubing a uniform number favours the first notes: the in-degree at rank r falls as r to the power of −2/3. */
function drawTarget(plan: VaultPlan, random: Random): PlannedNote {
  const place = random.next();
  return plan.notes[Math.floor(plan.notes.length * place * place * place)] ?? plan.notes[0];
}

/** One link in one of the usual syntaxes; one in twenty-five does not resolve. */
export function writeLink(plan: VaultPlan, source: PlannedNote, random: Random): string {
  const drawn = random.next();
  const target = drawTarget(plan, random);
  const name = linkName(plan, target);
  if (drawn < 0.6) return `[[${name}]]`;
  if (drawn < 0.72) return `[[${name}|${plan.vocabulary.draw(random)} ${plan.vocabulary.drawRare(random)}]]`;
  if (drawn < 0.8) return `[[${name}#${random.pick(target.headings)}]]`;
  if (drawn < 0.86) return `[[${withoutExtension(target.path)}]]`;
  if (drawn < 0.96) return `[${target.name}](${relativeUrl(source, target)})`;
  return `[[${capitalized(plan.vocabulary.drawRare(random))} unwritten]]`;
}

/** An embedded picture or part of another note. */
export function writeEmbed(plan: VaultPlan, random: Random): string {
  if (random.chance(0.5)) return `![[${random.pick(plan.attachments)}]]`;
  const target = drawTarget(plan, random);
  return `![[${linkName(plan, target)}#${random.pick(target.headings)}]]`;
}

/** A name shared by several notes is written as a path, as editors do. */
function linkName(plan: VaultPlan, target: PlannedNote): string {
  const alone = plan.namesakes.get(target.name.toLowerCase()) === 1;
  return alone ? target.name : withoutExtension(target.path);
}

function relativeUrl(source: PlannedNote, target: PlannedNote): string {
  const up = '../'.repeat(source.folder.split('/').length);
  return encodeURI(up + target.path);
}

function withoutExtension(path: string): string {
  return path.slice(0, -'.md'.length);
}
