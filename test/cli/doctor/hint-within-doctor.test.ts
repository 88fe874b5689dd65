// Checks that no finding of the doctor sends the user to the doctor, and that hints address the user.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { findingsText, runChecks } from '../../../src/cli/doctor/doctor-command.ts';
import { hintWithinDoctor } from '../../../src/cli/doctor/finding.ts';
import { hintForUser } from '../../../src/cli/perform.ts';

test('an error whose hint is to run the doctor has another one within it', () => {
  const request = {
    attempts: 1,
    elapsed_ms: 1,
    level: 'call',
    capability: 'llm',
    provider: 'ollama',
    model: 'm',
  } as const;
  for (const error of [
    new VaultgraphError('PROVIDER_BAD_RESPONSE', { ...request, expected: 'JSON', received: 'text' }),
    new VaultgraphError('STORE_UNAVAILABLE', { op: 'open', module: 'better-sqlite3', reason: 'it does not load' }),
    new VaultgraphError('FILE_WRITE_FAILED', { path: 'a.md', errno: 'ELIBACC', step: 'lock', original_intact: true }),
  ] as const) {
    assert.match(error.hint, /run `vaultgraph doctor`/);
    assert.doesNotMatch(hintWithinDoctor(error as VaultgraphError), /doctor/);
  }
  const damaged = new VaultgraphError('STORE_CORRUPT', { op: 'open', file: 'index.db' });
  assert.match(hintWithinDoctor(damaged as VaultgraphError), /`vaultgraph doctor --rebuild-index`/);
});

test('several faults of a config are one finding on one line', async () => {
  const faults = [
    { file: 'c.yaml', line: 1, what: 'the first' },
    { file: 'c.yaml', line: 2, what: 'the second' },
  ];
  const run = () => Promise.reject(new VaultgraphError('CONFIG_INVALID', { faults }));
  const [line] = findingsText(await runChecks([{ name: 'config', run }])).split('\n');
  assert.match(line ?? '', /c\.yaml:1\b.*the first; c\.yaml:2\b.*the second$/);
});

test('on the command line a hint addresses the user', () => {
  assert.equal(
    hintForUser('Ask the user to run `ollama pull m`, or to set another model.'),
    'Run `ollama pull m`, or set another model.',
  );
  assert.equal(
    hintForUser('The file is unchanged; ask the user to check the disk.'),
    'The file is unchanged; check the disk.',
  );
  const readOnly = new VaultgraphError('READ_ONLY', { tool: 'edit_note', config_key: 'vault.access' });
  assert.equal(hintForUser(readOnly.hint), 'Allow it with vault.access: read-write in the config.');
  const blocked = new VaultgraphError('MASS_DELETE_BLOCKED', { known: 60, missing: 55, ratio: 0.9 });
  assert.match(hintForUser(blocked.hint), /on purpose, run `vaultgraph index --confirm.*`\.$/);
});
