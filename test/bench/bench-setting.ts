// What every measure is given: the vault, the programs, and room to write.
import { randomInt } from 'node:crypto';
import { mkdtempSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { GeneratedVault } from './generate-vault.ts';
import { createSeededRandom, type Random } from './random.ts';
import { STOP_WORDS } from './vocabulary.ts';

export interface BenchSetting {
  readonly vault: GeneratedVault;
  /** The product's own program. */
  readonly program: string;
  /** Everything the bench writes lies in here. */
  readonly workFolder: string;
  /** When the bench gives up what it has not measured yet, on the clock of `performance.now()`. */
  readonly endsAt: number;
}

/** A new empty folder for one index. */
export function newFolder({ workFolder }: BenchSetting, name: string): string {
  return mkdtempSync(join(workFolder, `${name}-`));
}

/** Bytes of all files in a folder and below it. */
export function bytesIn(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** A word that stands in some notes, neither in most nor in a single one. */
export function middlingWord({ vault }: BenchSetting, random: Random): string {
  const { words } = vault.plan.vocabulary;
  return words[STOP_WORDS.length + 40 + random.below(600)] ?? 'the';
}

export function questionRandom(): Random {
  return createSeededRandom(4_711);
}

/** A word that no note holds yet. */
export function newWord(): string {
  return `zyx${randomInt(2 ** 40).toString(36)}`;
}
