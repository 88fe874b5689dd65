// Exports a vault with the built program and parses the lines it prints.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAM = join(import.meta.dirname, '../../dist/main.js');
const MAX_BYTES = 1 << 28;

export interface ExportedLink {
  readonly kind: 'wikilink' | 'embed' | 'markdown' | 'reference' | 'property' | 'canvas';
  readonly key?: string;
  readonly link: string;
  readonly path: string | null;
  readonly subpath: string;
  readonly display: string;
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  readonly end: number;
  readonly match?: 'exact' | 'case' | 'ambiguous';
  readonly others?: readonly string[];
  readonly target_line?: number | null;
  readonly suggestion?: string;
  readonly suggested_by?: string;
}

export interface ExportedNote {
  readonly path: string;
  readonly kind: 'note' | 'canvas' | 'base';
  readonly title: string;
  readonly aliases: readonly string[];
  readonly tags: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
  readonly headings: readonly {
    readonly text: string;
    readonly level: number;
    readonly line: number;
    readonly column: number;
    readonly offset: number;
  }[];
  readonly blocks: readonly { readonly id: string; readonly line: number; readonly end_line: number }[];
  readonly links: readonly ExportedLink[];
  readonly tag_places: readonly {
    readonly tag: string;
    readonly from: 'properties' | 'body';
    readonly line: number;
    readonly column: number;
    readonly offset: number;
  }[];
  readonly notices?: readonly string[];
  readonly encoding?: string;
  readonly faults?: readonly {
    readonly phase: string;
    readonly code: string;
    readonly reason: string;
    readonly line?: number;
    readonly column?: number;
  }[];
}

export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the built program until it exits. */
export function runProgram(args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { maxBuffer: MAX_BYTES }, (fault, stdout, stderr) => {
      resolve({ status: fault === null ? 0 : Number(fault.code ?? -1), stdout, stderr });
    });
  });
}

/** Every note of the vault by its path, in the order printed, by Obsidian's rules whatever else the folder shows, unless others are given. */
export async function exportVault(
  folder: string,
  dataFolder: string,
  dialect = 'obsidian',
): Promise<Map<string, ExportedNote>> {
  const config = join(dataFolder, 'obsidian.yaml');
  mkdirSync(dataFolder, { recursive: true });
  writeFileSync(config, JSON.stringify({ vault: { path: folder, dialect } }));
  const { stdout, stderr } = await runProgram(['export', '--config', config, '--data-dir', dataFolder]);
  const lines = stdout.split('\n').filter((line) => line !== '');
  if (lines.length === 0 && stderr.includes('Error [')) throw new Error(stderr);
  const notes = lines.map((line): ExportedNote => JSON.parse(line));
  return new Map(notes.map((note) => [note.path, note]));
}

/** Like `exportVault`, with a temporary index. */
export async function exportOnce(folder: string): Promise<Map<string, ExportedNote>> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'vaultgraph-export-'));
  try {
    return await exportVault(folder, dataFolder);
  } finally {
    rmSync(dataFolder, { recursive: true, force: true });
  }
}
