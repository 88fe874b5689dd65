// Generates the text of one note: front matter, headings, prose with links and tags, lists, code.
import { writeEmbed, writeLink } from './note-links.ts';
import { createSeededRandom, type Random } from './random.ts';
import { capitalized, type PlannedNote, type VaultPlan } from './vault-plan.ts';

const LINKS = 6;
const TAGS = [
  '#idea',
  '#reading/paper',
  '#reading/book',
  '#project/alpha',
  '#project/beta',
  '#area/garden',
  '#later',
  '#übung',
] as const;
const STATES = ['open', 'growing', 'done', 'shelved'] as const;
const FOREIGN_SENTENCES = [
  '朝の海はまだ静かで、灯台だけが光っている。',
  '港からの手紙を読み返した。',
  'Вчера прилив был выше обычного.',
] as const;

/** The input for writing one note. */
interface Pen {
  readonly plan: VaultPlan;
  readonly note: PlannedNote;
  readonly random: Random;
}

/** The note at `index` of the plan. Depends only on the plan's seed and the index, not on earlier notes. */
export function noteText(plan: VaultPlan, index: number): string {
  const note = plan.notes[index] ?? plan.notes[0];
  const pen: Pen = { plan, note, random: createSeededRandom(plan.seed * 1_000_003 + index) };
  return `${frontMatter(pen)}# ${capitalized(note.name)}\n\n${sections(pen).join('\n\n')}\n`;
}

function frontMatter({ plan, note, random }: Pen): string {
  const day = (year: number) => `${year}-${twoDigits(1 + random.below(12))}-${twoDigits(1 + random.below(28))}`;
  const aliases = note.aliases.length > 0 ? `aliases: [${note.aliases.join(', ')}]\n` : '';
  return (
    `---\ntitle: ${note.name}\n${aliases}tags:\n  - ${random.pick(TAGS).slice(1)}\n  - ${random.pick(TAGS).slice(1)}\n` +
    `created: ${day(2024)}\nreviewed: ${day(2025)}\nstatus: ${random.pick(STATES)}\nrating: ${random.below(6)}\n` +
    `source: "https://example.org/${plan.vocabulary.drawRare(random)}/${random.below(100_000)}"\n` +
    `summary: ${words({ plan, note, random }, 6).join(' ')}\n---\n`
  );
}

/** About 350 words, spread over the headings; the links are spread over all sections. */
function sections(pen: Pen): string[] {
  const { note, random } = pen;
  const wanted = 150 + random.below(200) + random.below(200);
  const perSection = Math.ceil(wanted / note.headings.length);
  const linksPerSection = LINKS / note.headings.length;
  return note.headings.map((heading, at) => {
    const links = Math.round((at + 1) * linksPerSection) - Math.round(at * linksPerSection);
    const parts = [`## ${heading}`, prose(pen, perSection, links), ...extras(pen)];
    return parts.join('\n\n');
  });
}

/** One or two paragraphs of about `count` words with `links` links. */
function prose(pen: Pen, count: number, links: number): string {
  const { plan, note, random } = pen;
  const sentences: string[] = [];
  let left = count;
  while (left > 0) {
    const length = 7 + random.below(12);
    sentences.push(sentence(words(pen, length)));
    left -= length;
  }
  for (let done = 0; done < links; done++) {
    const at = random.below(sentences.length);
    sentences[at] =
      `${sentences[at]} ${capitalized(plan.vocabulary.draw(random))} ${writeLink(plan, note, random)} ${plan.vocabulary.draw(random)}.`;
  }
  if (random.chance(0.3)) sentences.push(random.pick(TAGS));
  const middle = Math.ceil(sentences.length / 2);
  return `${sentences.slice(0, middle).join(' ')}\n\n${sentences.slice(middle).join(' ')}`.trim();
}

/** Blocks between paragraphs as in real notes, each in some sections only. */
function extras(pen: Pen): string[] {
  const { plan, random } = pen;
  const parts: string[] = [];
  if (random.chance(0.25)) parts.push(taskList(pen));
  if (random.chance(0.12)) parts.push(writeEmbed(plan, random));
  if (random.chance(0.15)) parts.push(code(pen));
  if (random.chance(0.1)) parts.push(table(pen));
  if (random.chance(0.1)) parts.push(`> [!note] ${sentence(words(pen, 4))}\n> ${sentence(words(pen, 9))}`);
  if (random.chance(0.04)) parts.push(random.pick(FOREIGN_SENTENCES));
  return parts;
}

function taskList(pen: Pen): string {
  const line = () => `- [${pen.random.chance(0.4) ? 'x' : ' '}] ${words(pen, 5).join(' ')}`;
  return Array.from({ length: 2 + pen.random.below(3) }, line).join('\n');
}

/** Text in here that looks like a link or a tag is neither. */
function code(pen: Pen): string {
  const { plan, random } = pen;
  const name = () => plan.vocabulary.drawRare(random);
  const line = () => `  const ${name()} = ${name()}(${random.below(1000)}); // [[${name()}]] #${name()}`;
  const lines = Array.from({ length: 3 + random.below(5) }, line);
  return `\`\`\`ts\nfunction ${name()}() {\n${lines.join('\n')}\n}\n\`\`\``;
}

function table(pen: Pen): string {
  const row = () => `| ${words(pen, 3).join(' | ')} |`;
  return [row(), '| --- | --- | --- |', row(), row(), row()].join('\n');
}

function words({ plan, random }: Pen, count: number): string[] {
  return Array.from({ length: count }, () => plan.vocabulary.draw(random));
}

function sentence(given: readonly string[]): string {
  return `${capitalized(given.join(' '))}.`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
