import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';

it('P5 nothing is printed for any answer, although the package would, and the process exits by itself', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'silence-child.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  assert.equal(stdout, '');
  assert.match(stderr, /^60 failures: (?:PROVIDER_\w+ ?)+$/);
  assert.equal(code, 0);
});
