// A day with a PostgreSQL store: two sessions over HTTP on one machine, the graph page on another one.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { assertEach } from '../assert-each.ts';
import { describePostgres } from '../postgresql/describe-postgres.ts';
import { until } from '../until.ts';
import { withPage } from '../view/page-under-test.ts';
import { startHttp } from './http-process.ts';
import { type PostgresServers, sharePostgres } from './postgresql-servers.ts';
import { PROGRAM, ROOT } from './session.ts';

const NOTES = join(ROOT, 'vault-fixtures/tiny');
const WRITABLE = { vault: { access: 'read-write' } };

/** The address of the page, by the program on the machine with this number. */
async function startView(context: TestContext, shared: PostgresServers, at: number): Promise<string> {
  const { vault, dataFolder } = shared.place(at);
  const args = ['view', '--no-open', '--vault', vault, '--data-dir', dataFolder, '--config', shared.config];
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: dataFolder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  context.after(async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  return line as string;
}

describePostgres('a day with a PostgreSQL store', (server) => {
  test('what one session over HTTP writes, the other one finds, reads and undoes', async (context) => {
    const shared = await sharePostgres(context, server(), { notes: NOTES, config: WRITABLE });
    const { vault } = shared.place(0);
    const { connect } = await startHttp(context, shared.config, ['--no-auth', '--vault', vault]);
    const [one, other] = [await connect(''), await connect('')];
    await until(async () => (await one.call('status')).structured.data.index.freshness === 'fresh', 'indexed');
    const created = await one.call('create_note', { path: 'Day.md', content: 'A quokka beside [[Tide pool]].' });
    assert.equal(created.structured.ok, true, created.text);
    const found = await other.call('search_text', { query: 'quokka' });
    assertEach(found.structured.data.hits, ({ path }: { path: string }) => path, ['Day.md'], found.text);
    const neighbours = await other.call('get_neighbors', { note: 'Day' });
    assert.match(neighbours.text, /Tide pool/);
    const [read] = (await other.call('read_notes', { notes: ['Day'] })).structured.data.succeeded;
    const edit = { note: 'Day', edits: [{ op: 'replace_text', target: 'quokka', text: 'numbat' }] };
    const edited = await other.call('edit_note', { ...edit, if_match: read.result.etag });
    assert.equal(edited.structured.ok, true, edited.text);
    assert.equal((await one.call('search_text', { query: 'numbat' })).structured.data.total, 1);
    const undone = await one.call('undo_change', { change_id: edited.structured.data.change_id });
    assert.equal(undone.structured.ok, true, undone.text);
    assert.equal((await other.call('search_text', { query: 'quokka' })).structured.data.total, 1);
  });

  test('the page on another machine draws the graph, shows a note, and follows what is written elsewhere', async (context) => {
    const shared = await sharePostgres(context, server(), { notes: NOTES, config: WRITABLE });
    const writer = await shared.openAt(0);
    await writer.indexed();
    const url = await startView(context, shared, 1);
    await withPage(url, async ({ page, until: untilSeen, text }) => {
      assert.match(await text('#summary'), /11 notes {2}· {2}1 canvas/);
      await page.evaluate(`location.hash = '#selected=${encodeURIComponent('Places/Tide pool.md')}'`);
      await untilSeen(`document.querySelector('#panel .note-body') !== null`);
      assert.equal(await text('#panel h1'), 'Tide pool');
      const created = await writer.call('create_note', { path: 'Day.md', content: 'A quokka.' });
      assert.equal(created.structured.ok, true, created.text);
      await untilSeen(`document.querySelector('#summary').textContent.includes('12 notes')`);
    });
  });
});
