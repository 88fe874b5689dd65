// Checks that the suggested command of an error is masked like its hint: it can name the folder of the program or of the vault.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { failureOf } from '../../../src/mcp/render/failure.ts';

test('a suggested command is masked', () => {
  const damaged = new VaultgraphError('STORE_CORRUPT', { op: 'open', file: 'index.db' });
  const mask = (text: string): string => text.replaceAll('--rebuild-index', '<masked>');
  const { hint, actions } = failureOf(damaged, new Set(), mask).error;
  assert.match(hint, /doctor <masked>/);
  assert.deepEqual(
    actions?.map((action) => 'command' in action && action.command),
    ['vaultgraph doctor <masked>'],
  );
});
