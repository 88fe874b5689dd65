// Earlier texts from a real git repository: names, deletions, what is hidden, and settings that start programs.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { VaultgraphError } from '../../../src/base/errors.ts';
import type { NotePath } from '../../../src/base/note.ts';
import type { Moment } from '../../../src/contracts/vault.ts';
import { createGitTexts } from '../../../src/providers/filesystem/git-texts.ts';
import { createExclusion } from '../../../src/providers/filesystem/path-rules.ts';
import { createView } from '../../../src/providers/filesystem/view-globs.ts';
import { type GitVault, gitVault } from '../../git-vault.ts';
import { temporaryFolder } from '../../journeys/session.ts';

const never = new AbortController().signal;
const on = (day: string): Moment => ({ beforeMs: Date.parse(`${day}T23:59:59Z`) });

function textsOf(root: string, { exclude = [], read = ['**'] }: { exclude?: string[]; read?: string[] } = {}) {
  const texts = createGitTexts(root, createExclusion(exclude, createView({ read, write: ['**'] })));
  return {
    at: async (path: string, moment: Moment) => {
      const { bytes, path: then, keptBy } = await texts.earlier(path as NotePath, moment, never);
      assert.equal(keptBy, 'git');
      return [then, Buffer.from(bytes).toString()];
    },
    why: async (path: string, moment: Moment) => {
      const error = await texts.earlier(path as NotePath, moment, never).catch((thrown: VaultgraphError) => thrown);
      assert.ok('code' in error, 'it is refused');
      return 'reason' in error.details ? error.details.reason : error.code;
    },
  };
}

/** A vault in the folder `vault` of a repository. */
function setUp(context: TestContext): { readonly root: string; readonly vault: string; readonly repository: GitVault } {
  const root = temporaryFolder(context);
  const repository = gitVault(root);
  repository.put('vault/Hafen ä.md', 'one\ntwo\nthree\nfour\nfive\n');
  repository.put('vault/Gone.md', 'gone\n');
  repository.put('vault/Private/Plan.md', 'a plan\nof some\nlines\n');
  repository.put('outside.md', 'outside\n');
  return { root, vault: join(root, 'vault'), repository };
}

test('a text is that of the last commit up to the time, by the name that the file had then', async (context) => {
  const { vault, repository } = setUp(context);
  const first = repository.commit('2026-03-01');
  repository.put('vault/Hafen ä.md', 'one\ntwo\nthree\nfour\nsix\n');
  repository.commit('2026-05-01');
  repository.move('vault/Hafen ä.md', 'vault/Log/[port] *.md');
  repository.remove('vault/Gone.md');
  const third = repository.commit('2026-07-01');
  repository.put('vault/Log/[port] *.md', 'not committed\n');
  const { at, why } = textsOf(vault);
  const [before, after] = ['one\ntwo\nthree\nfour\nfive\n', 'one\ntwo\nthree\nfour\nsix\n'];
  assert.deepEqual(await at('Log/[port] *.md', on('2026-03-01')), ['Hafen ä.md', before]);
  assert.deepEqual(await at('Log/[port] *.md', { revision: first.slice(0, 10) }), ['Hafen ä.md', before]);
  assert.deepEqual(await at('Log/[port] *.md', on('2026-06-30')), ['Hafen ä.md', after]);
  assert.deepEqual(await at('Log/[port] *.md', on('2026-11-01')), ['Log/[port] *.md', after]);
  assert.deepEqual(await at('Hafen ä.md', on('2026-05-02')), ['Hafen ä.md', after]);
  assert.deepEqual(await at('Gone.md', on('2026-06-01')), ['Gone.md', 'gone\n']);
  assert.equal(await why('Gone.md', on('2026-07-02')), 'deleted');
  assert.equal(await why('Gone.md', { revision: third }), 'deleted');
  assert.equal(await why('Log/[port] *.md', on('2026-02-28')), 'not_committed');
  assert.equal(await why('Never.md', on('2026-07-02')), 'not_committed');
  assert.equal(await why('Gone.md', { revision: 'deadbeef' }), 'unknown_revision');
});

test('names that look like options, commits of 1970, and texts in Git LFS', async (context) => {
  const root = temporaryFolder(context);
  const repository = gitVault(root);
  const names = ['-dash.md', '--format=x.md', ':(top)a.md', '"quoted".md', 'new\nline.md', '🌊.md'];
  for (const name of names) repository.put(name, `old ${name}`);
  repository.commit('1970-01-02');
  for (const name of names) repository.put(name, `new ${name}`);
  repository.put('Large.md', 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n');
  repository.commit('2026-03-01');
  const { at, why } = textsOf(root);
  for (const name of names) {
    assert.deepEqual(await at(name, on('1970-01-03')), [name, `old ${name}`]);
    assert.deepEqual(await at(name, on('2026-03-02')), [name, `new ${name}`]);
  }
  for (const day of ['1969-12-30', '1970-01-01']) assert.equal(await why('-dash.md', on(day)), 'not_committed');
  assert.equal(await why('Large.md', on('2026-03-02')), 'lfs_pointer');
});

test('a text of a file outside the vault, hidden by the config, or behind a link is not shown, by no name', async (context) => {
  const { vault, repository } = setUp(context);
  symlinkSync('../outside.md', join(vault, 'Link.md'));
  repository.commit('2026-03-01');
  repository.move('outside.md', 'vault/Inside.md');
  repository.move('vault/Private/Plan.md', 'vault/Plan.md');
  repository.commit('2026-05-01');
  const whole = textsOf(vault);
  assert.deepEqual(await whole.at('Inside.md', on('2026-05-01')), ['Inside.md', 'outside\n']);
  assert.equal(await whole.why('Inside.md', on('2026-03-02')), 'not_committed');
  assert.equal(await whole.why('../outside.md', on('2026-03-02')), 'PATH_NOT_ALLOWED');
  assert.equal(await whole.why('Link.md', on('2026-03-02')), 'not_committed');
  assert.equal((await whole.at('Plan.md', on('2026-03-02')))[0], 'Private/Plan.md');
  const excluded = textsOf(vault, { exclude: ['Private/**'] });
  assert.equal(await excluded.why('Plan.md', on('2026-03-02')), 'not_committed');
  assert.equal(await excluded.why('Private/Plan.md', on('2026-03-02')), 'PATH_NOT_ALLOWED');
  const unseen = textsOf(vault, { read: ['**', '!Private/**'] });
  assert.equal(await unseen.why('Plan.md', on('2026-03-02')), 'not_committed');
  assert.equal(await unseen.why('Private/Plan.md', on('2026-03-02')), 'not_committed');
  assert.equal(await unseen.why('.git/config', on('2026-03-02')), 'PATH_NOT_ALLOWED');
});

test('settings of the repository start no program, and nothing in it changes', async (context) => {
  const { root, vault, repository } = setUp(context);
  repository.commit('2026-03-01');
  const [program, sign] = [join(root, '.git', 'program'), join(root, 'started')];
  writeFileSync(program, `#!/bin/sh\ntouch '${sign}'\n`);
  chmodSync(program, 0o755);
  mkdirSync(join(root, '.git', 'hooks'), { recursive: true });
  for (const hook of ['post-index-change', 'reference-transaction'])
    symlinkSync(program, join(root, '.git', 'hooks', hook));
  for (const name of [
    'core.fsmonitor',
    'core.pager',
    'pager.log',
    'gpg.program',
    'diff.external',
    'diff.x.textconv',
    'filter.x.smudge',
    'core.sshCommand',
    'alias.log',
  ])
    repository.git('config', name, name === 'alias.log' ? `!${program}` : program);
  repository.git('config', 'log.showSignature', 'true');
  repository.git('config', 'extensions.partialClone', 'origin');
  repository.git('config', 'remote.origin.url', `ext::${program}`);
  writeFileSync(join(root, '.git', 'info', 'attributes'), '*.md diff=x filter=x\n');
  rmSync(sign, { force: true });
  const before = readdirSync(join(root, '.git'), { recursive: true }).toSorted();
  const { at, why } = textsOf(vault);
  assert.deepEqual(await at('Gone.md', on('2026-03-02')), ['Gone.md', 'gone\n']);
  assert.equal(await why('Gone.md', { revision: '0123456789abcdef0123456789abcdef01234567' }), 'unknown_revision');
  assert.deepEqual(readdirSync(join(root, '.git'), { recursive: true }).toSorted(), before);
  assert.equal(existsSync(sign), false, 'a program was started');
});

test('without a repository, with a broken one, or without git, the reason says so', async (context) => {
  const { root, vault, repository } = setUp(context);
  repository.commit('2026-03-01');
  const { PATH } = process.env;
  process.env.PATH = '/nowhere';
  context.after(() => {
    process.env.PATH = PATH;
  });
  assert.equal(await textsOf(vault).why('Gone.md', on('2026-03-02')), 'no_git');
  process.env.PATH = PATH;
  writeFileSync(join(root, '.git', 'HEAD'), 'nonsense\n');
  assert.equal(await textsOf(vault).why('Gone.md', on('2026-03-02')), 'git_failed');
  rmSync(join(root, '.git'), { recursive: true });
  assert.equal(await textsOf(vault).why('Gone.md', on('2026-03-02')), 'no_repository');
});

test('a repository without commits, a shallow clone and a submodule are told apart', async (context) => {
  const empty = temporaryFolder(context);
  const repository = gitVault(empty);
  repository.put('Sea.md', 'sea\n');
  assert.equal(await textsOf(empty).why('Sea.md', on('2026-03-01')), 'no_commits');
  repository.commit('2026-03-01');
  repository.put('Sea.md', 'more sea\n');
  repository.commit('2026-05-01');

  const shallow = join(temporaryFolder(context), 'clone');
  repository.git('clone', '--quiet', '--depth', '1', `file://${empty}`, shallow);
  assert.equal(await textsOf(shallow).why('Sea.md', on('2026-04-01')), 'not_cloned');
  assert.deepEqual(await textsOf(shallow).at('Sea.md', on('2026-05-01')), ['Sea.md', 'more sea\n']);

  const outer = temporaryFolder(context);
  const vault = gitVault(outer);
  vault.put('vault/Land.md', 'land\n');
  vault.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', `file://${empty}`, 'vault/Sub/Port');
  vault.commit('2026-06-01');
  const { at, why } = textsOf(join(outer, 'vault'));
  assert.deepEqual(await at('Sub/Port/Sea.md', on('2026-04-01')), ['Sub/Port/Sea.md', 'sea\n']);
  assert.equal(await why('Sub/Port/Old/Gone.md', on('2026-06-02')), 'not_committed');
  assert.deepEqual(await at('Land.md', on('2026-06-02')), ['Land.md', 'land\n']);
  const inside = textsOf(join(outer, 'vault'), { exclude: ['Sub/**'] });
  assert.equal(await inside.why('Sub/Port/Sea.md', on('2026-04-01')), 'PATH_NOT_ALLOWED');
});
