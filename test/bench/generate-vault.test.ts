// Checks that the generated vault is deterministic, has the stated size, and is linked like a real one. Measures no speed.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type GeneratedVault, generateVault } from './generate-vault.ts';

const NOTES = 400;
const LINK = /\[\[([^\]|#]+)[^\]]*\]\]/g;
const CODE = /^```.*?^```/gms;

test('equal seeds give equal bytes, different seeds different bytes', async (context) => {
  const [first, second, other] = await Promise.all([5, 5, 6].map((seed) => generated(context, seed)));
  assert.ok(first && second && other);
  assert.deepEqual(contents(first), contents(second));
  assert.notDeepEqual(contents(first), contents(other));
});

test('a note has about 3.85 KB; none is empty or very large', async (context) => {
  const vault = await generated(context, 7);
  const sizes = vault.plan.notes.map(({ path }) => statSync(join(vault.folder, path)).size);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  assert.equal(sizes.length, NOTES);
  assert.equal(bytes, vault.noteBytes);
  assert.ok(Math.abs(bytes / NOTES - 3_850) < 150, `${bytes / NOTES} bytes a note`);
  assert.ok(Math.min(...sizes) > 1_000 && Math.max(...sizes) < 12_000);
});

test('the files are those of the plan, with unique paths also if case is ignored', async (context) => {
  const { folder, plan } = await generated(context, 8);
  const planned = [...plan.notes.map(({ path }) => path), ...plan.attachments];
  assert.deepEqual(filesBelow(folder), [...planned].sort());
  assert.equal(new Set(planned.map((path) => path.toLowerCase())).size, planned.length);
});

test('most links resolve, a few do not, and some notes have many more links than others', async (context) => {
  const vault = await generated(context, 9);
  const known = new Set(vault.plan.notes.flatMap(({ name, path }) => [name, path.slice(0, -'.md'.length)]));
  const pictures = new Set(vault.plan.attachments);
  const counts = new Map<string, number>();
  let links = 0;
  let leading = 0;
  for (const target of linkTargets(vault)) {
    if (pictures.has(target)) continue;
    links++;
    if (known.has(target)) leading++;
    counts.set(target, (counts.get(target) ?? 0) + 1);
  }
  assert.ok(links / NOTES > 5 && links / NOTES < 7, `${links / NOTES} wikilinks and note embeds a note`);
  assert.ok(leading / links > 0.93 && leading / links < 0.99, `${leading} of ${links} lead to a note`);
  assert.ok(Math.max(...counts.values()) > (20 * links) / NOTES);
});

test('names repeat across folders, and some are not ASCII', async (context) => {
  const { plan } = await generated(context, 10);
  assert.ok(Math.max(...plan.namesakes.values()) > 1);
  assert.ok(plan.notes.some(({ name }) => [...name].some((character) => character > '\u{2fff}')));
});

async function generated(context: TestContext, seed: number): Promise<GeneratedVault> {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-generate-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return generateVault(folder, NOTES, seed);
}

function contents({ folder }: GeneratedVault): [string, string, number][] {
  return filesBelow(folder).map((path) => {
    const file = join(folder, path);
    return [path, readFileSync(file, 'base64'), statSync(file).mtimeMs];
  });
}

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort();
}

function* linkTargets({ folder, plan }: GeneratedVault): Generator<string> {
  for (const { path } of plan.notes) {
    const text = readFileSync(join(folder, path), 'utf8').replaceAll(CODE, '');
    for (const [, target] of text.matchAll(LINK)) if (target !== undefined) yield target;
  }
}
