// Checks the progress output: a bar on a terminal, lines elsewhere, JSON with --json, nothing with --quiet.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type Manner, type Screen, showProgress } from '../../src/cli/screen/show-progress.ts';
import { atTerminal, skip } from './terminal-under-test.ts';

function screenOf(isTTY: boolean): { readonly screen: Screen; written(): string } {
  const stream = new PassThrough();
  const terminal = {
    isTTY,
    columns: 120,
    rows: 30,
    cursorTo: () => true,
    clearLine: () => true,
    moveCursor: () => true,
  };
  const screen = Object.assign(stream, terminal) as unknown as Screen;
  return { screen, written: () => String(stream.read() ?? '') };
}

async function seen(isTTY: boolean, manner: Manner): Promise<string> {
  const { screen, written } = screenOf(isTTY);
  const progress = showProgress('indexing', manner, screen);
  progress.show(100, 400);
  await wait(50);
  progress.show(200, 400, ' · [PROVIDER_BUSY] next try in 3 s');
  progress.end();
  return written();
}

suite('progress', () => {
  test('on a terminal it is a bar with percentage, count, rate and time left', async () => {
    const drawn = await seen(true, {});
    assert.match(drawn, /indexing \S+ 50% · 200\/400 · [\d,.]+\/s · 1 s left · \[PROVIDER_BUSY\] next try in 3 s/);
    assert.match(drawn, /[█░]/);
  });

  test('elsewhere it is plain lines without control sequences', async () => {
    const lines = await seen(false, {});
    assert.match(
      lines,
      /^indexing 100\/400 · 0\/s\nindexing 200\/400 · \d+\/s · 1 s left · \[PROVIDER_BUSY\] next try in 3 s\n$/,
    );
  });

  test('work done by an earlier run does not count for the rate or the time left', async () => {
    const [, line = ''] = (await seen(false, {})).split('\n');
    const rate = Number(/ (\d+)\/s/.exec(line)?.[1]);
    // Of the 200 that are done, 100 were done in about 50 ms.
    assert.ok(rate > 50 && rate <= 2_100, line);
  });

  test('with --json each line is an object, also on a terminal', async () => {
    for (const isTTY of [true, false]) {
      const [, last] = (await seen(isTTY, { json: true }))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const { per_second: rate, ...rest } = last;
      assert.ok(rate > 0);
      assert.deepEqual(rest, {
        progress: 'indexing',
        done: 200,
        total: 400,
        seconds_left: 1,
        note: '[PROVIDER_BUSY] next try in 3 s',
      });
    }
  });

  test('with --quiet there is nothing', async () => {
    for (const isTTY of [true, false]) assert.equal(await seen(isTTY, { quiet: true }), '');
  });
});

suite('index at a real terminal', { skip }, () => {
  test('draws a bar that ends at 100 %, shows the cursor again, and prints its result', (context) => {
    const drawn = atTerminal(context, ['index']);
    assert.match(drawn, /indexing \S+ 100% · (\d+)\/\1 · /);
    assert.ok(drawn.lastIndexOf('\u001B[?25h') > drawn.lastIndexOf('\u001B[?25l'), 'the cursor is back');
    assert.match(drawn, /succeeded: \d+ files, \d+ indexed/);
  });

  test('with --quiet prints its result and nothing else', (context) => {
    const drawn = atTerminal(context, ['index', '--quiet']);
    assert.doesNotMatch(drawn, /indexing/);
    assert.match(drawn, /^succeeded: \d+ files, \d+ indexed, 0 removed, 0 failed\r\n$/);
  });
});
