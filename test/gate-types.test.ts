import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fetched } from './packages/fetched.ts';

const FOLDER = join(import.meta.dirname, 'must-not-compile');
const COMPILER = join(fetched('check'), 'typescript/bin/tsc');

/** `file:line code`, and the text that the compiler message must equal or start with. */
interface Refusal {
  readonly at: string;
  readonly says: string;
}

/** A comment `// TS1234 words` expects that error in the next line. */
function expectedRefusals(): Refusal[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.ts'));
  return files.flatMap((file) => {
    const lines = readFileSync(join(FOLDER, file), 'utf8').split('\n');
    return lines.flatMap((line, index) => {
      const [, code, says] = /^\s*\/\/ (TS\d+) (.*)$/.exec(line) ?? [];
      return code === undefined || says === undefined ? [] : [{ at: `${file}:${index + 2} ${code}`, says }];
    });
  });
}

function compilerRefusals(): Refusal[] {
  const { stdout } = spawnSync(process.execPath, [COMPILER, '-p', FOLDER, '--pretty', 'false'], { encoding: 'utf8' });
  return stdout.split('\n').flatMap((line) => {
    const [, path, row, code, says] = /^(.+)\((\d+),\d+\): error (TS\d+): (.*)$/.exec(line) ?? [];
    if (path === undefined || says === undefined) return [];
    return [{ at: `${path.slice(path.lastIndexOf('/') + 1)}:${row} ${code}`, says }];
  });
}

test('each counter-example fails to compile at the expected line for the expected reason, and nothing else fails', () => {
  const expected = expectedRefusals().sort((one, other) => one.at.localeCompare(other.at));
  const refused = compilerRefusals().sort((one, other) => one.at.localeCompare(other.at));
  assert.ok(expected.length >= 5, 'the folder of counter-examples is not empty');
  assert.deepEqual(
    refused.map(({ at }) => at),
    expected.map(({ at }) => at),
  );
  for (const [index, { at, says }] of expected.entries()) {
    const said = refused[index]?.says ?? '';
    assert.ok(said.startsWith(says), `${at}\nexpected: ${says}\nsaid:     ${said}`);
  }
});
