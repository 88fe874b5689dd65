import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog, joinLogs } from '../../src/base/log.ts';

test('a line has its fields in one order, and none that says nothing', () => {
  const lines: string[] = [];
  const log = createLog('debug', (line) => lines.push(line));
  log('warn', 'provider_retry', {
    wait_ms: 5,
    attempt: '2/5',
    provider: 'ollama',
    code: 'PROVIDER_BUSY',
    path: undefined,
  });
  log('info', 'serving');
  assert.match(
    lines[0] ?? '',
    /^\{"ts":"[^"]+Z","level":"warn","event":"provider_retry","code":"PROVIDER_BUSY","provider":"ollama","attempt":"2\/5","wait_ms":5\}\n$/,
  );
  assert.deepEqual(Object.keys(JSON.parse(lines[1] ?? '')), ['ts', 'level', 'event']);
});

test('what is below the level is not written, each log by its own level', () => {
  const [few, all]: [string[], string[]] = [[], []];
  const log = joinLogs(
    createLog('warn', (line) => few.push(line)),
    createLog('debug', (line) => all.push(line)),
  );
  for (const level of ['debug', 'info', 'warn', 'error'] as const) log(level, 'event');
  assert.deepEqual([few.length, all.length], [2, 4]);
});
