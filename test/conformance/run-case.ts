// Runs one case through the built program and compares the field that it tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type ConformanceCase, type Field, writeVault } from './cases.ts';
import { type ExportedLink, type ExportedNote, exportVault } from './exported-vault.ts';

export interface CaseResult {
  readonly case: ConformanceCase;
  readonly passed: boolean;
  /** Only the fields that the case tests; undefined if the note is not exported. */
  readonly got: readonly unknown[] | undefined;
}

/** Indexes the case's vault in a temporary folder and exports it. */
export async function runCase(one: ConformanceCase): Promise<CaseResult> {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-case-'));
  try {
    const vault = join(folder, 'vault');
    writeVault(one, vault);
    const note = (await exportVault(vault, join(folder, 'data'), one.dialect)).get(one.note.normalize('NFC'));
    const got = note === undefined ? undefined : fieldOf(note, one);
    return { case: one, passed: isDeepStrictEqual(got, one.expected.map(normalized)), got };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The results in the order of the cases, computed with limited concurrency. */
export async function runCases(cases: readonly ConformanceCase[], atOnce: number): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  const left = [...cases.entries()];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) results[next[0]] = await runCase(next[1]);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

const READ: Readonly<Record<Field, (note: ExportedNote) => readonly unknown[]>> = {
  links: ({ links }) => linksOf(links, 'wikilink', 'markdown').map(writtenLink),
  embeds: ({ links }) => linksOf(links, 'embed').map(writtenLink),
  frontmatterLinks: ({ links }) => linksOf(links, 'property').map(writtenLink),
  tags: ({ tags }) => tags,
  aliases: ({ aliases }) => aliases,
  headings: ({ headings }) => headings.map(({ level, text }) => ({ level, heading: text })),
  blocks: ({ blocks }) => blocks.map(({ id, line, end_line }) => ({ id, from: line, to: end_line })),
  resolve: ({ links }) =>
    [
      ...linksOf(links, 'property'),
      ...linksOf(links, 'wikilink', 'markdown', 'canvas'),
      ...linksOf(links, 'embed'),
    ].map(resolvedLink),
};

function linksOf(links: readonly ExportedLink[], ...kinds: ExportedLink['kind'][]): ExportedLink[] {
  return links.filter(({ kind }) => kinds.includes(kind));
}

function writtenLink({ key, link, display }: ExportedLink): object {
  return { key, link, displayText: display };
}

function resolvedLink({ link, path, target_line, match, suggestion }: ExportedLink): object {
  return { link, path, line: target_line, ambiguous: match === 'ambiguous', suggestion };
}

/** The actual rows, each with only the fields of the expected one. */
function fieldOf(note: ExportedNote, { field, expected }: ConformanceCase): readonly unknown[] {
  return READ[field](note).map((row, index) => {
    const names = isRecord(expected[index]) ? Object.keys(expected[index]) : [];
    if (!isRecord(row) || names.length === 0) return row;
    return normalized(Object.fromEntries(names.map((name) => [name, row[name]])));
  });
}

/** Paths are compared in NFC, with U+00A0 as a space. */
function normalized(row: unknown): unknown {
  if (!isRecord(row)) return row;
  const { path } = row;
  return typeof path === 'string' ? { ...row, path: path.normalize('NFC').replaceAll('\u00A0', ' ') } : row;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
