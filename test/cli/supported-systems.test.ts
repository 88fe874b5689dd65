// Checks which systems the program refuses, and that the list is what the packages with native parts ship.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemFault } from '../../src/cli/run-program.ts';

const ROOT = join(import.meta.dirname, '../..');

/** `os cpu` of the optional packages of sqlite-vec. */
function shipped(): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const names = Object.keys(packages).filter((path) => path.startsWith('node_modules/sqlite-vec-'));
  return names.map((path) => `${packages[path].os[0]} ${packages[path].cpu[0]}`).sort();
}

test('each system that sqlite-vec ships is supported', () => {
  assert.equal(shipped().length, 5);
  for (const system of shipped()) {
    const [platform, arch] = system.split(' ') as [NodeJS.Platform, NodeJS.Architecture];
    assert.equal(systemFault({ platform, arch }), undefined, system);
  }
});

test('any other is refused with one sentence that names what there is', () => {
  for (const [platform, arch] of [
    ['win32', 'arm64'],
    ['freebsd', 'x64'],
    ['linux', 'ppc64'],
  ] as const)
    assert.match(
      systemFault({ platform, arch }) ?? '',
      new RegExp(`^vaultgraph does not run on ${platform} ${arch}: [^\\n]+Windows on x64$`),
    );
});
