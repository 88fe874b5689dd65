// Flips random bits of a closed index: an answer stays as it was, fails with a code, or the integrity check finds the damage.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
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

/** Each row that an answer shows is compared with its checksum, so most of the damage is refused when it is read. */
const MAX_SILENT = FLIPS * 0.15;

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

test(`${FLIPS} random bits: no answer changes without a code, except where the integrity check finds the damage`, async () => {
  const owners = pageOwners();
  const sound = await answers();
  assert.equal(sound.at(-1), '[]', 'the index is sound');
  const bytes = readFileSync(index.folder.file);
  const random = createSeededRandom(SEED);
  const silent: string[] = [];
  for (let flip = 0; flip < FLIPS; flip += 1) {
    const bit = random.below(bytes.length * 8);
    index.restore();
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    writeFileSync(index.folder.file, changed);
    const given = await answers();
    const where = `flip ${flip}, bit ${bit}, in ${owners.get((bit >> 15) + 1)}`;
    for (const code of given.filter((answer) => answer.startsWith('code ')))
      assert.match(code, /^code STORE_(CORRUPT|SCHEMA_TOO_NEW)$/, where);
    if (
      given.length === 1 ||
      given.slice(0, -1).every((answer, at) => answer === sound[at] || answer.startsWith('code '))
    )
      continue;
    assert.notEqual(given.at(-1), '[]', `${where}: an answer changed, and the integrity check finds nothing`);
    silent.push(where);
  }
  assert.ok(silent.length <= MAX_SILENT, silent.join('\n'));
});
