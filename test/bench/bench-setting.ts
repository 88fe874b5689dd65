// Defines what every benchmark gets: the vault, the programs, and a folder to write to.
import { randomInt } from 'node:crypto';
import { mkdtempSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { GeneratedVault } from './generate-vault.ts';
import { createSeededRandom, type Random } from './random.ts';
import { STOP_WORDS } from './vocabulary.ts';

export interface BenchSetting {
  readonly vault: GeneratedVault;
  /** The built program of the product. */
  readonly program: string;
  /** The folder for everything that the benchmark writes. */
  readonly workFolder: string;
  /** The config file of the product; without one it has its defaults. */
  readonly config?: string;
  /** Command-line options of Node for the product. */
  readonly nodeOptions?: readonly string[];
  /** When the benchmark stops starting new measurements, on the clock of `performance.now()`. */
  readonly endsAt: number;
}

/** A new empty folder for one index. */
export function newFolder({ workFolder }: BenchSetting, name: string): string {
  return mkdtempSync(join(workFolder, `${name}-`));
}

/** Bytes of all files in a folder and its subfolders. */
export function bytesIn(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** A word that occurs in some notes, neither in most nor in only one. */
export function middlingWord({ vault }: BenchSetting, random: Random): string {
  const { words } = vault.plan.vocabulary;
  return words[STOP_WORDS.length + 40 + random.below(600)] ?? 'the';
}

/** A word that no note contains, one letter from a word of some notes. */
export function misspelledWord(setting: BenchSetting, random: Random): string {
  const word = middlingWord(setting, random);
  return `${word.slice(0, 3)}q${word.slice(3)}`;
}

export function questionRandom(): Random {
  return createSeededRandom(4_711);
}

/** A word that no note contains yet. */
export function newWord(): string {
  return `zyx${randomInt(2 ** 40).toString(36)}`;
}
