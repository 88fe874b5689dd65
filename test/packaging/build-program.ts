// Bundles the program and its threads into dist/, with the data that they load.
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { escapeScripts } from './ascii-program.ts';
import { writeTokenTable } from './token-table.ts';

const ROOT = join(import.meta.dirname, '../..');
const DIST = join(ROOT, 'dist');

/**
 * Entries that share chunks. A thread that shares them with the program loads dozens of small files: not those that each start
 * of a server waits for.
 */
const GROUPS = [
  [
    'src/main.ts',
    'src/compute/thread.ts',
    'src/providers/onnx/onnx-thread.ts',
    'src/providers/postgresql/write/store-thread.ts',
    'src/providers/sqlite/history/history-thread.ts',
  ],
  [
    'src/providers/filesystem/file-thread.ts',
    'src/providers/model2vec/tokenizer-thread.ts',
    'src/providers/sqlite/write/writer-thread.ts',
  ],
];

const requireModule = createRequire(import.meta.url);

/**
 * Loads Node's own modules with `require`: an import reads every property of one, which loads what lies behind its getters, such
 * as all of `fetch` for `node:http`.
 */
const requireBuiltins: Plugin = {
  name: 'require-builtins',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^node:/, namespace: 'file' }, ({ path, kind }) =>
      kind === 'import-statement' && path !== 'node:module'
        ? { path, namespace: 'builtin', sideEffects: false }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({ contents: builtinModule(path) }));
  },
};

/** One export for each property; the unused ones are dropped with their reads. */
function builtinModule(name: string): string {
  const names = Object.keys(requireModule(name)).filter((key) => key !== 'default');
  const exported = names.map((key) => `export const ${key} = /* @__PURE__ */ property(${JSON.stringify(key)});`);
  return [
    `const whole = /* @__PURE__ */ require(${JSON.stringify(name)});`,
    'const property = (key) => whole[key];',
    'export default whole;',
    ...exported,
  ].join('\n');
}

/**
 * Leaves out what the SDK's server checks the answers to its own questions with: this program checks them itself, and loading a
 * compiler of JSON schemas takes milliseconds of each start.
 */
const withoutSchemaCompiler: Plugin = {
  name: 'without-schema-compiler',
  setup: ({ onLoad }) => {
    onLoad({ filter: /validation.ajv-provider\.js$/ }, () => ({ contents: 'export class AjvJsonSchemaValidator {}' }));
  },
};

/** Parts of the page's reader that the program needs too, to write a site: it loads the page's files. */
const PAGE_PARTS: Readonly<Record<string, string>> = {
  formula: "await import('./page/math.js'); export const mathml = globalThis.vaultgraphReader.math;",
  render: "await import('./page/markdown.js'); export const { createRenderer } = globalThis.vaultgraphReader;",
  highlight: "await import('./page/code.js'); export const highlighted = globalThis.vaultgraphReader.code;",
};

const sharedWithPage: Plugin = {
  name: 'shared-with-page',
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^\.\/page\// }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /reader.(?:formula|highlight|render)\.ts$/ }, ({ path }) => ({
      contents: PAGE_PARTS[basename(path, '.ts')] ?? '',
    }));
  },
};

/** What the bundles of the tests share with those of the program. */
export const BUNDLING: BuildOptions = {
  absWorkingDir: ROOT,
  entryNames: '[name]',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  external: ['better-sqlite3', 'sqlite-vec', '@parcel/watcher', 'koffi', 'pg-native'],
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  logLevel: 'warning',
};

const OPTIONS: BuildOptions = {
  ...BUNDLING,
  outdir: DIST,
  target: 'node22',
  minify: true,
  alias: {
    ...BUNDLING.alias,
    'pdfjs-dist/legacy/build/pdf.mjs': 'pdfjs-dist/legacy/build/pdf.min.mjs',
    'pdfjs-dist/legacy/build/pdf.worker.mjs': 'pdfjs-dist/legacy/build/pdf.worker.min.mjs',
  },
  plugins: [requireBuiltins, sharedWithPage, withoutSchemaCompiler],
};

async function buildProgram(): Promise<void> {
  rmSync(DIST, { recursive: true, force: true });
  for (const [at, entryPoints] of GROUPS.entries()) {
    const { metafile } = await build({ ...OPTIONS, entryPoints, metafile: true });
    writeFileSync(join(DIST, `program-${at}.meta.json`), JSON.stringify(metafile));
  }
  escapeScripts(DIST);
  writeTokenTable(ROOT);
}

if (import.meta.main) await buildProgram();
