// Writes the generated vault into a folder; the same seed gives the same bytes.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { noteText } from './note-text.ts';
import { planVault, type VaultPlan } from './vault-plan.ts';

export const BENCH_SEED = 20_261_121;

/** Notes written before timers and signals get a turn. */
const SLICE = 500;
const FIRST_MODIFIED_S = 1_700_000_000;
const MIN_PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

export interface GeneratedVault {
  readonly folder: string;
  readonly plan: VaultPlan;
  /** Bytes of all notes, without attachments. */
  readonly noteBytes: number;
}

/** Fills `folder`, which must be empty or missing, with `notes` notes. Their time stamps are in the past, a minute apart. */
export async function generateVault(folder: string, notes: number, seed = BENCH_SEED): Promise<GeneratedVault> {
  const plan = planVault(notes, seed);
  const made = new Set<string>();
  let noteBytes = 0;
  for (const [index, { path }] of plan.notes.entries()) {
    const text = Buffer.from(noteText(plan, index));
    noteBytes += text.length;
    writeAged(join(folder, path), text, index, made);
    if (index % SLICE === SLICE - 1) await setImmediate();
  }
  for (const [index, path] of plan.attachments.entries()) writeAged(join(folder, path), MIN_PNG, index, made);
  return { folder, plan, noteBytes };
}

function writeAged(file: string, bytes: Buffer, index: number, made: Set<string>): void {
  const folder = dirname(file);
  if (!made.has(folder)) mkdirSync(folder, { recursive: true });
  made.add(folder);
  writeFileSync(file, bytes);
  const modified = FIRST_MODIFIED_S + index * 60;
  utimesSync(file, modified, modified);
}
