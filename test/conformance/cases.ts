// Loads the cases of vault-fixtures/links: for each a small vault, one of its notes, and the expected value of one field of that note.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const FIELDS = [
  'links',
  'embeds',
  'frontmatterLinks',
  'tags',
  'aliases',
  'headings',
  'blocks',
  'resolve',
] as const;
export type Field = (typeof FIELDS)[number];

export interface ConformanceCase {
  readonly id: string;
  readonly group: string;
  readonly note: string;
  readonly field: Field;
  readonly expected: readonly unknown[];
  readonly certainty: 'proven' | 'documented' | 'reported';
  readonly source: string;
  /** The system by whose rules it is read; default: Obsidian. */
  readonly dialect?: string;
  /** The vault, if its file names or line endings cannot be stored in every checkout; default: the folder named like the case. */
  readonly files?: Readonly<Record<string, string>>;
}

const FOLDER = join(import.meta.dirname, '../../vault-fixtures/links');

export function readCases(file = join(FOLDER, 'expected.json')): readonly ConformanceCase[] {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Writes the case's vault to an empty folder. */
export function writeVault({ id, files }: ConformanceCase, folder: string): void {
  if (files === undefined) cpSync(join(FOLDER, id), folder, { recursive: true });
  for (const [path, text] of Object.entries(files ?? {})) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
