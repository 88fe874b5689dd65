// Decides which notes and attachments a generated vault contains and their names, before any text is written.
import { createSeededRandom, type Random } from './random.ts';
import { createVocabulary, type Vocabulary } from './vocabulary.ts';

export interface PlannedNote {
  /** Vault-relative, with `.md`. */
  readonly path: string;
  readonly folder: string;
  readonly name: string;
  readonly headings: readonly [string, ...string[]];
  readonly aliases: readonly string[];
}

export interface VaultPlan {
  readonly seed: number;
  readonly vocabulary: Vocabulary;
  /** Earlier notes get more links from other notes. */
  readonly notes: readonly [PlannedNote, ...PlannedNote[]];
  readonly attachments: readonly [string, ...string[]];
  /** The number of notes with a name, in lower case. */
  readonly namesakes: ReadonlyMap<string, number>;
}

const NOTES_PER_FOLDER = 40;
const NOTES_PER_ATTACHMENT = 50;
const SHARED_NAMES = ['Index', 'Meeting', 'Overview', 'Reading list', 'Log'] as const;
const FOREIGN_NAMES = ['読書メモ', 'Übersicht', 'Café', '旅行計画', 'Żółw', 'Ελλάδα', 'Заметка'] as const;

/** The plan of a vault of `notes` notes (at least 1); the same for the same seed. */
export function planVault(notes: number, seed: number): VaultPlan {
  const random = createSeededRandom(seed);
  const vocabulary = createVocabulary(seed);
  const folders = planFolders(notes, vocabulary, random);
  const taken = new Set<string>();
  const plan = () => planNote(folders, vocabulary, random, taken);
  const planned: [PlannedNote, ...PlannedNote[]] = [plan()];
  while (planned.length < notes) planned.push(plan());
  return {
    seed,
    vocabulary,
    notes: planned,
    attachments: planAttachments(notes),
    namesakes: countNames(planned),
  };
}

/** Each folder is in the root or in an earlier folder, so the tree is a few levels deep. */
function planFolders(notes: number, vocabulary: Vocabulary, random: Random): [string, ...string[]] {
  const folders: [string, ...string[]] = ['Inbox'];
  const wanted = Math.ceil(notes / NOTES_PER_FOLDER);
  while (folders.length < wanted) {
    const name = `${capitalized(vocabulary.drawRare(random))} ${folders.length}`;
    folders.push(random.chance(0.25) ? name : `${random.pick(folders)}/${name}`);
  }
  return folders;
}

function planNote(
  folders: readonly [string, ...string[]],
  vocabulary: Vocabulary,
  random: Random,
  taken: Set<string>,
): PlannedNote {
  let folder: string;
  let name: string;
  do {
    folder = random.pick(folders);
    name = planName(vocabulary, random);
  } while (taken.has(`${folder}/${name}`.toLowerCase()));
  taken.add(`${folder}/${name}`.toLowerCase());
  const words = (count: number) => Array.from({ length: count }, () => vocabulary.drawRare(random)).join(' ');
  const heading = () => capitalized(words(2 + random.below(2)));
  return {
    path: `${folder}/${name}.md`,
    folder,
    name,
    headings: [heading(), ...Array.from({ length: 2 + random.below(3) }, heading)],
    aliases: random.chance(0.15) ? [capitalized(words(2))] : [],
  };
}

function planName(vocabulary: Vocabulary, random: Random): string {
  const drawn = random.next();
  if (drawn < 0.02) return random.pick(SHARED_NAMES);
  const word = capitalized(vocabulary.drawRare(random));
  if (drawn < 0.06) return `${random.pick(FOREIGN_NAMES)} ${word}`;
  return `${word} ${vocabulary.drawRare(random)}`;
}

function planAttachments(notes: number): [string, ...string[]] {
  const rest = Array.from(
    { length: Math.floor(notes / NOTES_PER_ATTACHMENT) },
    (_, at) => `Attachments/figure ${at + 2}.png`,
  );
  return ['Attachments/figure 1.png', ...rest];
}

function countNames(notes: readonly PlannedNote[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { name } of notes) counts.set(name.toLowerCase(), (counts.get(name.toLowerCase()) ?? 0) + 1);
  return counts;
}

export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
