// A seeded life of a vault with `history: keep`: other programs and tools change it while servers come, go and are killed; every past text is then read as it was, or not at all.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../until.ts';
import { configFile, openSession, type Session, temporaryFolder } from './session.ts';

const ROUNDS = 24;
const CHANGES = 6;

function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function textsIn(vault: string): Map<string, string> {
  const files = readdirSync(vault, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
  return new Map(files.map((path) => [path, readFileSync(join(vault, path), 'utf8')]));
}

interface Past {
  readonly at: string;
  readonly texts: ReadonlyMap<string, string>;
}

async function readAt(session: Session, { at, texts }: Past, paths: readonly string[]): Promise<number> {
  const { structured } = await session.call('read_notes', { notes: paths, at });
  const { succeeded = [] } = structured.data ?? {};
  const found = new Map(succeeded.map((one: { id: string; result: unknown }) => [one.id, one.result]));
  let count = 0;
  for (const path of paths) {
    // biome-ignore lint/suspicious/noExplicitAny: a test reads the answer as its client does, without types.
    const result = found.get(path) as any;
    const expected = texts.get(path);
    if (expected !== undefined) {
      if (result === undefined) continue;
      assert.equal(result.content, expected, `${path} at ${at}`);
      assert.equal(result.path, path);
      count += 1;
    } else if (result !== undefined) {
      // It had another name then, with this text.
      assert.equal(result.content, texts.get(result.path), `${path} at ${at}, as ${result.path}`);
    }
  }
  return count;
}

test('all texts of 24 moments of a vault that other programs and tools change, under servers that come and go, are read as they were', async (context: TestContext) => {
  const random = seeded(50);
  const vault = temporaryFolder(context);
  let written = 0;
  const fresh = (): string => {
    written += 1;
    const lines = Array.from({ length: 4 + random(30) }, (_, at) => `Line ${at} of text ${written}, ${random(1e9)}.`);
    return `# Text ${written}\n\n${lines.join('\n')}\n`;
  };
  for (let at = 0; at < 30; at += 1) writeFileSync(join(vault, `N${at}.md`), fresh());
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: read-write }\nhistory: keep\n`);
  const dataFolder = temporaryFolder(context);
  const start = async (): Promise<Session> => openSession(context, { config, dataFolder });
  let sessions = [await start(), await start()];
  const [first] = sessions as [Session, Session];
  await first.indexed();

  const change = async (): Promise<void> => {
    const paths = [...textsIn(vault).keys()];
    const path = paths[random(paths.length)] ?? '';
    const file = join(vault, path);
    const kind = random(10);
    if (kind < 4) writeFileSync(file, fresh());
    else if (kind < 6) writeFileSync(file, `${readFileSync(file, 'utf8')}More ${random(1e9)}.\n`);
    else if (kind < 7) writeFileSync(join(vault, `M${written}.md`), fresh());
    else if (kind < 8) {
      const to = join(vault, `Folder ${random(3)}`, `Moved ${random(1e6)}.md`);
      mkdirSync(dirname(to), { recursive: true });
      renameSync(file, to);
    } else if (kind < 9) rmSync(file);
    else
      await sessions[0]?.call('edit_note', {
        note: path,
        edits: [{ op: 'append', text: `By a tool ${random(1e9)}.` }],
      });
  };

  const past: Past[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let at = 0; at < CHANGES; at += 1) await change();
    if (round % 6 === 3) {
      const [gone, ...others] = sessions as [Session, ...Session[]];
      if (round % 12 === 3) process.kill(gone.processId, 'SIGKILL');
      await gone.close();
      sessions = [...others, await start()];
    }
    const [one] = sessions as [Session, ...Session[]];
    // A scan that runs already may have begun before the changes.
    const isFresh = async (): Promise<boolean> =>
      (await one.call('search_text', { query: 'text', require_fresh: true })).structured.ok;
    await until(isFresh, 'the index is fresh');
    await sleep(20);
    past.push({ at: new Date().toISOString(), texts: textsIn(vault) });
    await sleep(20);
  }
  const all = [...new Set(past.flatMap(({ texts }) => [...texts.keys()]))];
  let read = 0;
  for (const session of sessions)
    for (const one of past)
      for (let at = 0; at < all.length; at += 40) read += await readAt(session, one, all.slice(at, at + 40));
  // What a killed server has indexed and not kept yet is a gap, until the next one has kept it.
  const there = past.reduce((sum, { texts }) => sum + texts.size, 0) * sessions.length;
  assert.ok(read > there * 0.9, `${read} of ${there}`);
  const state = readdirSync(dataFolder, { recursive: true, encoding: 'utf8' });
  assert.ok(state.some((path) => path.endsWith('history.db')) && !existsSync(join(vault, 'history.db')));
});
