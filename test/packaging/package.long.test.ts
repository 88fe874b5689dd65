// Checks the installed package: its contents, that it needs no compiler, and that it runs from any path and on each supported Node.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { publint } from 'publint';
import {
  environment,
  fetchNode,
  firstAnswer,
  type Installed,
  install,
  manifestOf,
  type Packed,
  pack,
  ROOT,
  workFolder,
} from './installed.ts';

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
/** In bytes: the download of a first `npx`, and its installed size. Of them pdf.js is 550,000 and 1,750,000. */
const MAX_PACKED = 2_600_000;
const MAX_UNPACKED = 7_300_000;

suite('the package', () => {
  const work = workFolder();
  let packed: Packed;
  let installed: Installed;
  let home: string;
  let serve: readonly string[];

  before(() => {
    packed = pack(work.path);
    installed = install(packed, work.path);
    home = join(work.path, 'home');
    const vault = join(work.path, 'My Notes');
    mkdirSync(home);
    cpSync(join(ROOT, 'vault-fixtures/tiny'), vault, { recursive: true });
    serve = ['serve', '--vault', vault, '--data-dir', join(home, 'data')];
  });
  after(() => work.remove());

  const answers = async (command: string, args: readonly string[] = []): Promise<void> => {
    const { tools, structured, version } = await firstAnswer(command, [...args, ...serve], home);
    assert.ok(tools.includes('search_text') && tools.length > 10, tools.join());
    assert.equal(structured.ok, true);
    assert.ok(structured.data.hits.length > 0);
    assert.equal(version, manifest.version);
  };

  test('contains the program and its documentation, nothing else, and is small', (context) => {
    const stray = packed.paths.filter(
      (path) =>
        !/^(?:dist|docs|skills|\.claude-plugin)\/|^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|config\.example\.yaml)$/.test(
          path,
        ),
    );
    assert.deepEqual(stray, []);
    for (const path of ['dist/main.js', 'dist/THIRD-PARTY-LICENSES', 'README.md', 'LICENSE', 'CHANGELOG.md'])
      assert.ok(packed.paths.includes(path), path);
    assert.ok(packed.paths.every((path) => !/\.(?:ts|map|tsbuildinfo)$|\.meta\.json$/.test(path)));
    context.diagnostic(`${packed.size} bytes packed, ${packed.unpackedSize} unpacked, ${packed.paths.length} files`);
    assert.ok(packed.size < MAX_PACKED, `${packed.size} bytes`);
    assert.ok(packed.unpackedSize < MAX_UNPACKED, `${packed.unpackedSize} bytes`);
  });

  test('publint finds no problems', async () => {
    const { messages } = await publint({ pkgDir: installed.folder, pack: false, strict: true });
    assert.deepEqual(messages, []);
  });

  test('every package that the program imports is a dependency, and every dependency is imported', () => {
    const dist = join(installed.folder, 'dist');
    const texts = readdirSync(dist)
      .filter((file) => file.endsWith('.js'))
      .map((file) => readFileSync(join(dist, file), 'utf8'));
    const dependencies = Object.keys(manifest.dependencies);
    assert.deepEqual(
      texts.flatMap(packagesIn).filter((name) => !isBuiltin(name) && !dependencies.includes(name)),
      [],
    );
    for (const name of dependencies)
      assert.ok(
        texts.some((text) => text.includes(`"${name}"`)),
        name,
      );
  });

  test('contains the licence of every bundled package', () => {
    const text = readFileSync(join(installed.folder, 'dist/THIRD-PARTY-LICENSES'), 'utf8');
    const sources = globSync('src/**/*.ts', { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8'));
    const used = sources.flatMap((source) => packagesIn(source.replace(/import type [^;]+;/g, '')));
    const bundled = [...new Set(used)].filter((name) => !isBuiltin(name) && !(name in manifest.dependencies));
    assert.ok(bundled.length > 10, bundled.join());
    for (const name of bundled) assert.match(text, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(.+\\)$`, 'm'));
    assert.equal(
      text.match(/^-{80}\n\n(?=\S+ \d+\.\d+)/gm)?.length,
      text.match(/^\S+ \d+\.\d+\.\d+\S* \(.+\)$/gm)?.length,
    );
  });

  test('needs no install scripts and no compiler', () => {
    const { scripts = {}, dependencies } = manifestOf(installed.folder) as Record<string, Record<string, string>>;
    for (const script of ['preinstall', 'install', 'postinstall']) assert.equal(scripts[script], undefined);
    for (const [name, version] of Object.entries(dependencies ?? {}))
      assert.equal(manifestOf(join(dirname(installed.folder), name)).version, version);
  });

  test('exports nothing but its manifest, because it is a program', () => {
    const script = `await import('vaultgraph').then(() => process.exit(9), (e) => process.stdout.write(e.code))`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: dirname(dirname(installed.folder)),
      encoding: 'utf8',
    });
    assert.equal(stdout, 'ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  test('answers a client from a path with spaces, through the link that npm created and through a link to that', async () => {
    const link = join(work.path, 'a link');
    symlinkSync(installed.program, link);
    await answers(installed.program);
    await answers(link);
    await answers(process.execPath, [join(installed.folder, 'dist/main.js')]);
  });

  test('installs itself into a client with the path of the program, not of a link', async () => {
    const run = spawnSync(installed.program, ['install', '--client', 'cursor', '--vault', serve[2] ?? '', '--json'], {
      env: environment(home),
      encoding: 'utf8',
    });
    assert.equal(run.status, 0, run.stderr);
    const { server } = JSON.parse(run.stdout);
    assert.match(server.args[0], /vaultgraph[\\/]dist[\\/]main\.js$/);
    assert.ok(statSync(server.args[0]).isFile());
    assert.ok((await firstAnswer(server.command, server.args, home)).structured.ok);
  });

  test('doctor finds every native module', () => {
    const run = spawnSync(installed.program, ['doctor', '--json', ...serve.slice(1)], {
      env: environment(home),
      encoding: 'utf8',
    });
    const { checks } = JSON.parse(run.stdout);
    assert.deepEqual(
      checks.filter(({ status }: { status: string }) => status === 'failing'),
      [],
    );
  });

  for (const major of [22, 24, 26]) {
    test(`runs on Node ${major}`, async (context) => {
      const node = fetchNode(major);
      const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
      context.diagnostic(stdout.trim());
      assert.match(stdout, new RegExp(`^v${major}\\.`));
      await answers(node, [installed.program]);
    });
  }

  test('on Node 20 it exits with one line that names the required version', () => {
    const node = fetchNode(20);
    const run = spawnSync(installed.program, serve, { env: environment(home, node), encoding: 'utf8', input: '' });
    assert.match(run.stderr, /^vaultgraph needs Node 22 or newer, this is 20\.\d+\.\d+[^\n]*\n$/);
    assert.equal(run.stdout, '');
    assert.equal(run.status, 1);
  });
});

/** The packages imported by name, without subpaths; `require` also occurs in strings that are never run. */
function packagesIn(text: string): string[] {
  const found = text.matchAll(/(?:(?<!\.)\bfrom\s*|\bimport\s*\(?)["']([@a-z][^"'\s]*)["']/g);
  return [...found].map(([, from = '']) => /^(?:@[^/]+\/)?[^/]+/.exec(from)?.[0] ?? from);
}
