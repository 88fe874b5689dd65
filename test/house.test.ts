import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Rule, SourceFile } from './house/rules.ts';
import * as rules from './house/rules.ts';
import { onePlacePerSystemMatter } from './house/system-places.ts';

const ROOT = join(import.meta.dirname, '..');

/** Found without git, so that files that are not committed yet are checked too. */
const HOUSE: readonly SourceFile[] = globSync('src/**/*.ts', { cwd: ROOT })
  .map((path) => path.replaceAll('\\', '/'))
  .sort()
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

interface Law {
  readonly law: string;
  readonly rule: Rule;
  /** Each entry is one file that breaks the rule. */
  readonly culprits: readonly SourceFile[];
  /** Files that look similar but do not break the rule. */
  readonly innocents: readonly SourceFile[];
}

const file = (path: string, ...lines: string[]): SourceFile => ({ path, text: `${lines.join('\n')}\n` });
const importing = (path: string, from: string): SourceFile => file(path, `import { it } from '${from}';`);

const LAWS: readonly Law[] = [
  {
    law: 'import arrows go one way',
    rule: rules.layering,
    culprits: [
      importing('src/tools/search/search.ts', '../../providers/ollama/client.ts'),
      importing('src/base/batch.ts', '../contracts/store.ts'),
      importing('src/compute/jobs.ts', '../tools/notes/filters.ts'),
      importing('src/tools/notes/filters.ts', '../../mcp/wire/method.ts'),
      importing('src/mcp/transport/server.ts', '../../tools/catalog.ts'),
      importing('src/mcp/wire/prompt-methods.ts', '../../tools/prompts/catalog.ts'),
      importing('src/tools/prompts/connect_note.ts', '../../providers/catalog.ts'),
      importing('src/tools/complete/complete.ts', '../../mcp/wire/note-uri.ts'),
      importing('src/providers/sqlite/store.ts', '../filesystem/errno.ts'),
      importing('src/providers/model-server/send.ts', '../ollama/pull-model.ts'),
      importing('src/lifecycle/loader.ts', '../app/graph-core.ts'),
      importing('src/cli/export.ts', '../indexing/indexer.ts'),
      importing('src/new-wing/thing.ts', '../base/errors.ts'),
      file('src/graph/centrality.ts', `import type { Store } from '../contracts/store.ts';`),
      file('src/graph/centrality.ts', `export { it } from '../markdown/links.ts';`),
      file('src/indexing/indexer.ts', `const later = await import('../tools/diagnose/status.ts');`),
      file('src/contracts/tool.ts', `type It = typeof import('../mcp/transport/server.ts');`),
      file('src/indexing/indexer.ts', `new Worker(new URL('../mcp/transport/server.ts', import.meta.url));`),
    ],
    innocents: [
      importing('src/tools/diagnose/status.ts', '../notes/filters.ts'),
      importing('src/providers/sqlite/store.ts', './rows.ts'),
      importing('src/providers/catalog.ts', './sqlite/store.ts'),
      importing('src/providers/ollama/ask-ollama.ts', '../model-server/send.ts'),
      importing('src/app/graph-core.ts', '../providers/catalog.ts'),
      importing('src/app/graph-core.ts', '../tools/catalog.ts'),
      importing('src/tools/prompts/connect_note.ts', '../notes/cut-text.ts'),
      file(
        'src/base/log.ts',
        `// import { it } from '../tools/diagnose/status.ts';`,
        `const text = "from '../mcp/transport/server.ts'";`,
      ),
    ],
  },
  {
    law: 'imports go in no circle',
    rule: rules.noCircles,
    culprits: [importing('src/base/batch.ts', './batch.ts')],
    innocents: [importing('src/base/batch.ts', './errors.ts')],
  },
  {
    law: 'each package has its owners',
    rule: rules.packageOwners,
    culprits: [
      importing('src/tools/diagnose/status.ts', 'yaml'),
      importing('src/lifecycle/loader.ts', 'p-timeout'),
      importing('src/indexing/indexer.ts', 'better-sqlite3'),
      importing('src/providers/model-server/send.ts', 'ollama'),
      importing('src/mcp/expose.ts', '@modelcontextprotocol/sdk/types.js'),
      importing('src/graph/centrality.ts', 'graphology'),
      importing('src/base/note.ts', 'zod'),
      importing('src/cli/export.ts', 'left-pad'),
    ],
    innocents: [
      importing('src/base/async/limits.ts', 'p-timeout'),
      importing('src/mcp/transport/server.ts', '@modelcontextprotocol/sdk/types.js'),
      importing('src/base/log.ts', 'node:fs'),
    ],
  },
  {
    law: 'no file writes to the console',
    rule: rules.noConsole,
    culprits: [
      file('src/mcp/transport/server.ts', `console.log('hello');`),
      file('src/base/log.ts', 'const log = console.error;'),
    ],
    innocents: [file('src/base/log.ts', '// console.log', `const text = 'console.log';`, 'windows.console.open();')],
  },
  {
    law: 'errors are our own',
    rule: rules.noRawErrors,
    culprits: ['Error', 'TypeError', 'RangeError'].map((name) =>
      file('src/tools/diagnose/status.ts', `throw new ${name}('no');`),
    ),
    innocents: [file('src/tools/diagnose/status.ts', `throw new VaultgraphError('INTERNAL', { kind: 'new Error' });`)],
  },
  {
    law: 'what is caught is answered',
    rule: rules.noEmptyCatch,
    culprits: [
      file('src/tools/diagnose/status.ts', 'try { it(); } catch {}'),
      file('src/tools/diagnose/status.ts', 'try { it(); } catch (error) {', '  // nothing to do', '}'),
    ],
    innocents: [
      file('src/tools/diagnose/status.ts', 'try { it(); } catch (error) { throw error; }', 'it().catch(() => {});'),
    ],
  },
  {
    law: 'stdout belongs to mcp and cli',
    rule: rules.stdoutAtTheBorder,
    culprits: [file('src/tools/diagnose/status.ts', `process.stdout.write('hello');`)],
    innocents: [
      file('src/cli/export.ts', `process.stdout.write('hello');`),
      file('src/mcp/guard.ts', 'process.stdout;'),
      file('src/compute/thread.ts', 'worker.stdout.unpipe(process.stdout);'),
    ],
  },
  {
    law: 'commands print through one file',
    rule: rules.onePrinter,
    culprits: [
      file('src/cli/view/view-command.ts', `process.stdout.write('hello');`),
      file('src/cli/status-text.ts', `styleText('red', text, { stream: process.stderr });`),
      file('src/cli/doctor/checks.ts', `createLog('error', (line) => process.stderr.write(line));`),
      file('src/cli/export/export-command.ts', 'pipeline(text, process.stdout);'),
      file('src/indexing/watch/watch-vault.ts', `process.stderr.write('hello');`),
    ],
    innocents: [
      file('src/cli/output.ts', 'process.stdout.write(text);'),
      file('src/cli/view/view-command.ts', 'if (process.stdout.isTTY) open();', `process.stdout.on('error', end);`),
    ],
  },
  {
    law: 'cli and main end the process',
    rule: rules.exitAtTheBorder,
    culprits: [file('src/mcp/transport/server.ts', 'process.exit(1);')],
    innocents: [file('src/main.ts', 'process.exit(1);'), file('src/mcp/transport/server.ts', 'process.exitCode = 1;')],
  },
  {
    law: 'what differs between systems has one place each',
    rule: onePlacePerSystemMatter,
    culprits: [
      file('src/cli/doctor/http.ts', `if (process.platform !== 'win32') it();`),
      file('src/cli/doctor/http.ts', `import { renameSync } from 'node:fs';`),
      file('src/cli/models/download.ts', `import { open, rename, rm } from 'node:fs/promises';`),
      file('src/indexing/watch/watch-vault.ts', `import { watch } from 'node:fs';`),
      file('src/cli/export.ts', `process.once('SIGINT', end);`),
      file('src/cli/export.ts', 'process.on(signal, end);'),
      file('src/cli/export.ts', `process.kill(child, 'SIGTERM');`),
    ],
    innocents: [
      file('src/base/system/system-rules.ts', `const isWindows = process.platform === 'win32';`),
      file('src/base/system/process.ts', `process.on('SIGINT', end); process.kill(process.pid, 'SIGKILL');`),
      file('src/cli/export.ts', 'const { platform } = process;', `process.on('exit', end);`, 'rename(disk, from, to);'),
      file('src/providers/filesystem/writing/change-log.ts', `import { rename } from './disk.ts';`),
      file('src/providers/filesystem/watching/survey.ts', `import { watch } from 'node:fs';`),
    ],
  },
  {
    law: 'a name has one address',
    rule: rules.noReExportAll,
    culprits: [file('src/graph/all.ts', `export * from './pagerank.ts';`)],
    innocents: [file('src/graph/all.ts', 'export const times = 2 * 3;')],
  },
  {
    law: 'a file opens with what it is for',
    rule: rules.opensWithASentence,
    culprits: [
      file('src/base/log.ts', `import { it } from './note.ts';`),
      file('src/base/log.ts', '// log stuff'),
      file('src/base/log.ts', '', '// The sentence comes too late in this file.'),
    ],
    innocents: [file('src/main.ts', '#!/usr/bin/env node', '// The way in, which refuses an old Node.')],
  },
  {
    law: 'a file is named after what it holds',
    rule: rules.plainNames,
    culprits: [
      'tools/index.ts',
      'base/utils.ts',
      'graph/helpers/sum.ts',
      'cli/path-utils.ts',
      'mcp/dispatchResult.ts',
    ].map((path) => file(`src/${path}`)),
    innocents: [file('src/tools/diagnose/search_text.ts'), file('src/indexing/index-job.ts')],
  },
  {
    law: 'a limit is named MAX or MIN',
    rule: rules.plainLimits,
    culprits: ['MOST_NOTES', 'LONGEST_WAIT', 'FEWEST_ROWS'].map((name) =>
      file('src/base/batch.ts', `export const ${name} = 5;`),
    ),
    innocents: [
      file(
        'src/base/batch.ts',
        '// MOST_NOTES',
        'const MAX_NOTES = 5;',
        'const ALMOST_FULL = 5;',
        'const MIN_ROWS = 1;',
      ),
    ],
  },
  {
    law: 'a comment says what it is about',
    rule: rules.commentsWithSubject,
    culprits: [
      file('src/base/batch.ts', '/** Of a note. */', 'const MAX = 5;'),
      file('src/base/batch.ts', '  // As before.', 'const MAX = 5;'),
    ],
    innocents: [file('src/base/batch.ts', '/** The length of a note. */', "const text = 'Of a note.';")],
  },
  {
    law: 'an object is not spread to save lines',
    rule: rules.noPackedLines,
    culprits: [file('src/base/batch.ts', 'export const pair = { ...{ a: 1, b: 2 } };')],
    innocents: [file('src/base/batch.ts', 'export const pair = (more?: object) => ({ ...(more && { ...more }) });')],
  },
  {
    law: 'a contract shows an example',
    rule: rules.contractsShowExamples,
    culprits: [
      file('src/contracts/clock.ts', 'export interface Clock {', '  readonly name: string;', '  now(): number;', '}'),
      file('src/contracts/clock.ts', 'export interface Clock {', '  readonly now: () => number;', '}'),
    ],
    innocents: [
      file(
        'src/contracts/clock.ts',
        '/**',
        ' * @example',
        ' * clock.now();',
        ' */',
        'export interface Clock {',
        '  now(): number;',
        '}',
      ),
      file(
        'src/contracts/clock.ts',
        'export interface Time {',
        '  readonly now: number;',
        '}',
        'function now() {',
        '  f();',
        '}',
      ),
      file('src/base/clock.ts', 'export interface Clock {', '  now(): number;', '}'),
    ],
  },
];

test('source files are found', () => {
  assert.ok(HOUSE.length > 20, `${HOUSE.length} files`);
  assert.ok(HOUSE.some(({ path }) => path === 'src/base/errors.ts'));
});

for (const { law, rule, culprits, innocents } of LAWS) {
  test(`${law}: the source files follow the rule`, () => {
    assert.deepEqual(rule(HOUSE), []);
  });

  test(`${law}: a violation is reported and a similar valid file is not`, () => {
    for (const culprit of culprits) assert.equal(rule([culprit]).length, 1, `${culprit.path}\n${culprit.text}`);
    assert.deepEqual(rule(innocents), []);
  });
}

test('no folder holds more than 25 files', () => {
  const files = (count: number): SourceFile[] =>
    Array.from({ length: count }, (_, at) => file(`src/tools/write/part-${at}.ts`));
  assert.deepEqual(rules.smallFolders(HOUSE), []);
  assert.deepEqual(rules.smallFolders([...files(25), file('src/tools/search/search.ts')]), []);
  assert.deepEqual(rules.smallFolders(files(26)), ['src/tools/write:1 must not hold 26 files, 25 at most']);
});

test('an import cycle over several files is reported', () => {
  const circle = [importing('src/base/a.ts', './b.ts'), importing('src/base/b.ts', './a.ts')];
  assert.deepEqual(rules.noCircles(circle), ['src/base/a.ts -> src/base/b.ts -> src/base/a.ts']);
});
