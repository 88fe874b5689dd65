// Checks that the browser is opened with the system's own program and the address as one argument, without a shell.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openerFor } from '../../../src/cli/view/view-command.ts';

const URL_WITH_SIGNS = 'http://127.0.0.1:1/a&b|c;$(d)';

test('each system has its own program, and the address is one argument', () => {
  const programs = (['darwin', 'win32', 'linux', 'freebsd'] as const).map((platform) => {
    const [program, args] = openerFor(platform, URL_WITH_SIGNS);
    assert.equal(args.at(-1), URL_WITH_SIGNS);
    assert.doesNotMatch(program, /cmd|sh$|powershell/);
    return program;
  });
  assert.deepEqual(programs, ['open', 'rundll32', 'xdg-open', 'xdg-open']);
});
