// Damages a closed index, a bit or a page at a time: no answer is wrong, whether or not the process before ended in order.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import Database from 'better-sqlite3';
import { VaultgraphError } from '../../../../src/base/errors.ts';
import type { Store } from '../../../../src/contracts/store.ts';
import { createSeededRandom } from '../../../bench/random.ts';
import { ALL, asPaths, fill, signal } from '../../../contracts/store/law.ts';
import { EAST, embed, NORTH, opened, UP } from '../../../contracts/store/vector-vault.ts';
import { type KeptIndex, keepIndex } from './kept-index.ts';

const FLIPS = 200;
const SEED = 17;
const NOTES = 120;

let index: KeptIndex;
const paths = Array.from({ length: NOTES }, (_, at) => `${at % 3 === 0 ? 'Deep/' : ''}Note ${at}.md`);

function noteText(at: number): string {
  const properties = `---\naliases: [Alias ${at}]\nmood: calm ${at % 7}\nrank: ${at}\n---\n`;
  const links = [1, 7, 30].map((step) => `See [[Note ${(at * step + step) % (NOTES + 5)}|number ${step}]].`).join(' ');
  const words = Array.from({ length: 40 }, (_, word) => `word${(at * 13 + word * 5) % 400}`).join(' ');
  return `${properties}# Heading ${at}\n#topic${at % 9} ${links}\n\n${words}\n\n- [ ] task ${at} 📅 2026-11-${10 + (at % 20)}\n`;
}

before(async () => {
  index = await keepIndex(async (store) => {
    await fill(store, Object.fromEntries(paths.map((path, at) => [path, noteText(at)])));
    const generation = await opened(store);
    for (const [at, path] of paths.slice(0, 40).entries())
      await embed(store, generation, {
        [path]: [noteText(at), [`${at} one`, at % 2 ? EAST : NORTH], [`${at} two`, UP]],
      });
    await store.activate(generation.id, signal);
  });
});
after(() => index.remove());

const query = (text: string) => ({ terms: [{ text, kind: 'word', negated: false } as const], match: 'any' as const });
const some = asPaths(...paths.filter((_, at) => at % 12 === 0));

/** What the tools read from the store. */
const READS: readonly ((store: Store) => Promise<unknown>)[] = [
  ...['word5', 'word120', 'heading', 'alias'].map((text) => (store: Store) => {
    return store.searchText(query(text), {}, ALL, signal);
  }),
  (store) => store.searchText(query('word10'), { folder: 'Deep', tags: ['#topic3'] }, ALL, signal),
  (store) => store.mentions('Heading', 50, signal),
  (store) => store.wordCounts(['word1', 'word2', 'task'], signal),
  (store) => store.listNotes({}, 'links', 'desc', ALL, signal),
  (store) => store.listNotes({ where: [{ name: 'rank', operator: 'gt', value: 50 }] }, 'path', 'asc', ALL, signal),
  (store) => store.listTags(undefined, {}, signal),
  (store) => store.listTasks({ status: 'any' }, ALL, signal),
  (store) => store.notes(some, signal),
  (store) => store.names(signal),
  ...some.flatMap((path) => [
    (store: Store) => store.candidates(path, signal),
    (store: Store) => store.links(path, 'out', ALL, signal),
    (store: Store) => store.links(path, 'in', ALL, signal),
  ]),
  (store) => store.candidates('Alias 12', signal),
  (store) => store.unresolved({}, 3, ALL, signal),
  async (store) => {
    const { paths: nodes, ...graph } = await store.graph(signal);
    return [
      nodes,
      Object.values(graph).map((column) => (ArrayBuffer.isView(column) ? [...(column as Int32Array)] : 0)),
    ];
  },
  (store) => store.generations(signal),
  (store) => store.nearestChunks(1, EAST, {}, 20, signal),
  (store) => store.nearestNotes(1, UP, {}, [], 20, signal),
  (store) => store.quarantine(ALL, signal),
  (store) => store.counts(signal),
  (store) => store.keptJobs(signal),
];

/** The answer of each read as text, or the code it fails with; one code if the store does not open. */
async function answers(): Promise<readonly string[]> {
  try {
    const { capability: store, close } = await index.folder.open();
    try {
      const given: string[] = [];
      for (const read of READS) given.push(await answerOf(read(store)));
      return [...given, await answerOf(store.integrity(signal))];
    } finally {
      await close();
    }
  } catch (thrown) {
    return [codeOf(thrown)];
  }
}

async function answerOf(work: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await work);
  } catch (thrown) {
    return codeOf(thrown);
  }
}

function codeOf(thrown: unknown): string {
  assert.ok(thrown instanceof VaultgraphError, String(thrown));
  return `code ${thrown.code}`;
}

/** What each page of the file belongs to, for the message of a failure. */
function pageOwners(): ReadonlyMap<number, string> {
  const database = new Database(index.folder.file, { readonly: true });
  const rows = database.prepare('SELECT pageno, name FROM dbstat').all() as { pageno: number; name: string }[];
  database.close();
  return new Map(rows.map(({ pageno, name }) => [pageno, name]));
}

interface Damage {
  readonly where: string;
  readonly bytes: Buffer;
}

const PAGE = 4_096;

/** Single bits, and pages that are zeroed, full of noise, swapped with another or with one of the same kind, or missing at the end. */
function damages(sound: Buffer): Damage[] {
  const random = createSeededRandom(SEED);
  const owners = pageOwners();
  const pages = sound.length / PAGE;
  const changed = (where: string, change: (bytes: Buffer) => void): Damage => {
    const bytes = Buffer.from(sound);
    change(bytes);
    return { where, bytes };
  };
  const bits = Array.from({ length: FLIPS }, () => {
    const bit = random.below(sound.length * 8);
    return changed(`bit ${bit} in ${owners.get((bit >> 15) + 1)}`, (bytes) => {
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    });
  });
  const ofPages = Array.from({ length: pages }, (_, page) => {
    const [from, to] = [page * PAGE, (page + 1) * PAGE];
    const other = random.below(pages) * PAGE;
    const alike = Array.from({ length: pages - 1 }, (_, at) => (at + 1) * PAGE).filter(
      (at) => sound[at] === sound[from],
    );
    const twin = alike[random.below(alike.length)] ?? other;
    const where = `page ${page + 1} of ${owners.get(page + 1)}`;
    return [
      changed(`zeros in ${where}`, (bytes) => bytes.fill(0, from, to)),
      changed(`zeros in the second half of ${where}`, (bytes) => bytes.fill(0, from + PAGE / 2, to)),
      changed(`noise in ${where}`, (bytes) => bytes.fill(0xa5, from, to)),
      changed(`page ${other / PAGE + 1} in place of ${where}`, (bytes) => sound.copy(bytes, from, other, other + PAGE)),
      // SQLite can read it: a page of the same kind, which may be without rows.
      changed(`the like page ${twin / PAGE + 1} in place of ${where}`, (bytes) =>
        sound.copy(bytes, from, twin, twin + PAGE),
      ),
      { where: `the end missing from ${where}`, bytes: sound.subarray(0, from + 1) },
    ];
  });
  return [...bits, ...ofPages.flat()].filter(({ bytes }) => !bytes.equals(sound));
}

for (const isSealed of [true, false]) {
  test(`no answer is wrong on a damaged file ${isSealed ? 'that was closed in order' : 'of a process that was killed'}`, {
    timeout: 600_000,
  }, async () => {
    index.restore();
    const sound = await answers();
    assert.equal(sound.at(-1), '[]', 'the index is sound');
    index.restore();
    const all = damages(readFileSync(index.folder.file));
    for (const { where, bytes } of isSealed ? all : all.filter((_, at) => at % 3 === 0)) {
      index.restore();
      writeFileSync(index.folder.file, bytes);
      if (!isSealed) rmSync(`${index.folder.file}.seal`);
      const given = await answers();
      for (const code of given.filter((answer) => answer.startsWith('code ')))
        assert.match(code, /^code STORE_(CORRUPT|SCHEMA_TOO_NEW)$/, where);
      if (isSealed) assert.equal(given.join(), 'code STORE_CORRUPT', where);
      // Damage that only one question meets fails that question and all later ones.
      else if (given.length > 1)
        for (const [at, answer] of given.slice(0, -1).entries())
          if (answer !== 'code STORE_CORRUPT') assert.equal(answer, sound[at], where);
    }
  });
}
