// The laws of the house as functions from source files to breaches. Reads no disk.
import { posix } from 'node:path';
import { type Token, tokensOf } from './tokens.ts';

export interface SourceFile {
  /** Relative to the repository, `src/base/errors.ts`. */
  readonly path: string;
  readonly text: string;
}

/** `path:line what`, in the order of the files. */
export type Rule = (files: readonly SourceFile[]) => string[];

/** What each wing may import beside itself. `app` is the one place where the wings meet. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  contracts: ['base'],
  markdown: ['base'],
  graph: ['base'],
  bases: ['markdown', 'base'],
  postings: ['contracts', 'markdown', 'graph', 'base'],
  compute: ['postings', 'markdown', 'graph', 'contracts', 'base'],
  tools: ['contracts', 'bases', 'postings', 'markdown', 'graph', 'compute', 'base'],
  config: ['contracts', 'base'],
  lifecycle: ['config', 'contracts', 'base'],
  providers: ['contracts', 'postings', 'markdown', 'graph', 'base'],
  indexing: ['contracts', 'markdown', 'graph', 'compute', 'base'],
  mcp: ['contracts', 'base'],
  app: ['base', 'contracts', 'config', 'lifecycle', 'providers', 'indexing', 'tools', 'compute', 'mcp'],
  picture: ['contracts', 'base'],
  reader: ['markdown', 'base'],
  page: ['reader', 'picture', 'contracts', 'markdown', 'base'],
  cli: ['app', 'mcp', 'config', 'lifecycle', 'reader', 'picture', 'contracts', 'base'],
  main: ['cli'],
  bundle: ['base'],
};

/** A path, or the beginning of one that ends with `/`. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  zod: ['src/contracts/', 'src/tools/', 'src/providers/', 'src/config/', 'src/mcp/'],
  yaml: ['src/markdown/', 'src/config/', 'src/cli/install/settings-text.ts'],
  'p-timeout': ['src/base/async/limits.ts'],
  'better-sqlite3': ['src/providers/sqlite/'],
  'sqlite-vec': ['src/providers/sqlite/'],
  pg: ['src/providers/postgresql/connection/'],
  ollama: ['src/providers/ollama/'],
  'pdfjs-dist': ['src/compute/pdf-text.ts'],
  porter2: ['src/tools/search/word-forms.ts'],
  '@huggingface/tokenizers': ['src/providers/model2vec/open-tokenizer.ts'],
  '@modelcontextprotocol/sdk': ['src/mcp/transport/', 'src/mcp/http/'],
  '@modelcontextprotocol/ext-apps': ['src/page/app/'],
  jose: ['src/mcp/http/'],
  'fastest-levenshtein': ['src/base/'],
  diff: ['src/markdown/edit/unified-diff.ts', 'src/cli/install/install-command.ts'],
  'jsonc-parser': ['src/cli/install/settings-text.ts', 'src/markdown/properties/json-properties.ts'],
  'smol-toml': ['src/cli/install/settings-text.ts', 'src/markdown/properties/toml-properties.ts'],
  picomatch: ['src/providers/filesystem/'],
  re2js: ['src/markdown/edit/', 'src/bases/values/regex.ts'],
  '@parcel/watcher': ['src/providers/filesystem/watching/'],
  koffi: ['src/providers/filesystem/writing/', 'src/base/system/memory.ts'],
  graphology: ['src/graph/communities.ts', 'src/page/'],
  'graphology-communities-louvain': ['src/graph/communities.ts'],
  'graphology-layout-forceatlas2': ['src/picture/layout.ts'],
  sigma: ['src/page/'],
  'markdown-it': ['src/reader/'],
  'markdown-it-footnote': ['src/reader/'],
  'markdown-it-mark': ['src/reader/'],
  katex: ['src/reader/'],
  'highlight.js': ['src/reader/'],
  dompurify: ['src/page/reader/'],
  commander: ['src/cli/'],
  'cli-progress': ['src/cli/'],
};

const CORNER_NAMES = /^(?:.*-)?(?:utils?|helpers?|common|manager|misc)$/;
/** The SDK puts a plain error with an integer code on the wire as it is; every other class loses or doubles words. */
const SPEAKS_TO_THE_SDK = 'src/mcp/transport/session-server.ts';
const RAW_ERRORS = new Set(['Error', 'TypeError', 'RangeError']);

interface Import {
  readonly from: string;
  readonly line: number;
}

/** Every module a file names: imports and exports of any kind, `import()`, and texts that are a path to a source file. */
export function importsOf({ text }: SourceFile): Import[] {
  return tokensOf(text).flatMap(({ text: from, isText, line }, index, tokens) => {
    const before = tokens[index - 1]?.text;
    const isImport =
      before === 'from' || before === 'import' || (before === '(' && tokens[index - 2]?.text === 'import');
    return isText && (isImport || /^\.{1,2}\/.*\.ts$/.test(from)) ? [{ from, line }] : [];
  });
}

export const layering: Rule = (files) =>
  files.flatMap((file) =>
    importsOf(file)
      .filter(({ from }) => from.startsWith('.'))
      .flatMap(({ from, line }) => {
        const target = posix.join(posix.dirname(file.path), from);
        return mayImport(file.path, target) ? [] : [`${file.path}:${line} must not import ${target}`];
      }),
  );

function mayImport(path: string, target: string): boolean {
  const [from, to] = [wingOf(path), wingOf(target)];
  if (from === 'providers' && to === 'providers') return maySeeVendor(path, target);
  return from === to || (ARROWS[from]?.includes(to) ?? false);
}

function wingOf(path: string): string {
  const [, wing = ''] = path.split('/');
  return wing.replace(/\.ts$/, '');
}

/** What is true of every server of models, no matter who made it, and of the processes of a machine. */
const SHARED_BY_VENDORS = ['model-server', 'processes'];

/** The store on PostgreSQL keeps a copy of the index in SQLite, and answers from it. Models in a local folder share its checks. */
const BUILDS_ON: Readonly<Record<string, string>> = { postgresql: 'sqlite', onnx: 'model2vec' };

/** The catalog sees every vendor; a vendor sees itself, what it builds on, and what vendors share. */
function maySeeVendor(path: string, target: string): boolean {
  const [vendor, seen] = [path.split('/')[2], target.split('/')[2]];
  return (
    vendor === 'catalog.ts' ||
    SHARED_BY_VENDORS.includes(seen ?? '') ||
    vendor === seen ||
    BUILDS_ON[vendor ?? ''] === seen
  );
}

export const noCircles: Rule = (files) => {
  const targets = new Map(
    files.map((file) => [file.path, importsOf(file).map(({ from }) => posix.join(posix.dirname(file.path), from))]),
  );
  const finished = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) circles.push(`${[...trail.slice(trail.indexOf(path)), path].join(' -> ')}`);
    if (finished.has(path) || trail.includes(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    finished.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return circles;
};

export const packageOwners: Rule = (files) =>
  files.flatMap((file) =>
    importsOf(file)
      .filter(({ from }) => !from.startsWith('.') && !from.startsWith('node:'))
      .filter(({ from }) => !ownersOf(from).some((owner) => isBelow(file.path, owner)))
      .map(({ from, line }) => `${file.path}:${line} must not import the package ${from}`),
  );

function ownersOf(module: string): readonly string[] {
  const [scope = '', name] = module.split('/');
  return OWNERS[scope.startsWith('@') ? `${scope}/${name}` : scope] ?? [];
}

function isBelow(path: string, owner: string): boolean {
  return owner.endsWith('/') ? path.startsWith(owner) : path === owner;
}

/** A breach wherever the tokens of a file, from some index on, match. */
export function tokenRule(
  what: string,
  matches: (tokens: readonly Token[], index: number, path: string) => boolean,
): Rule {
  return (files) =>
    files.flatMap(({ path, text }) => {
      const tokens = tokensOf(text);
      return tokens.flatMap(({ line }, index) => (matches(tokens, index, path) ? [`${path}:${line} ${what}`] : []));
    });
}

/** Whether these words of code are at `index`. */
export function isAt(tokens: readonly Token[], index: number, words: readonly string[]): boolean {
  return words.every((word, step) => tokens[index + step]?.text === word && !tokens[index + step]?.isText);
}

const isMember = (tokens: readonly Token[], index: number): boolean => tokens[index - 1]?.text === '.';

export const noConsole = tokenRule(
  'must not use the console',
  (tokens, index) => isAt(tokens, index, ['console', '.']) && !isMember(tokens, index),
);

export const noRawErrors = tokenRule(
  'must throw a VaultgraphError',
  (tokens, index, path) =>
    path !== SPEAKS_TO_THE_SDK && isAt(tokens, index, ['new']) && RAW_ERRORS.has(tokens[index + 1]?.text ?? ''),
);

export const noEmptyCatch = tokenRule('must not catch and do nothing', (tokens, index) => {
  if (!isAt(tokens, index, ['catch']) || isMember(tokens, index)) return false;
  const opening = tokens.findIndex(({ text, isText }, at) => at > index && text === '{' && !isText);
  return isAt(tokens, opening, ['{', '}']);
});

export const stdoutAtTheBorder = tokenRule(
  'must not touch stdout outside mcp and cli',
  (tokens, index, path) =>
    isAt(tokens, index, ['process', '.', 'stdout']) &&
    !['mcp', 'cli'].includes(wingOf(path)) &&
    tokens[index - 2]?.text !== 'unpipe',
);

/** The others run before anything is loaded, guard the streams, or print what packages print; they make it visible themselves. */
const PRINTS: readonly string[] = [
  'src/cli/output.ts',
  'src/main.ts',
  'src/bundle/start.ts',
  'src/base/threads/worker-threads.ts',
  'src/app/crash-file.ts',
  'src/mcp/transport/process-streams.ts',
];

export const onePrinter = tokenRule(
  'must print through cli/output.ts',
  (tokens, index, path) =>
    ['stdout', 'stderr'].some((name) => isAt(tokens, index, ['process', '.', name])) &&
    !['isTTY', 'on', 'once'].includes(tokens[index + 4]?.text ?? '') &&
    !PRINTS.includes(path),
);

export const exitAtTheBorder = tokenRule(
  'must not end the process outside cli and main',
  (tokens, index, path) => isAt(tokens, index, ['process', '.', 'exit']) && !['cli', 'main'].includes(wingOf(path)),
);

export const noReExportAll = tokenRule('must not re-export a whole module', (tokens, index) =>
  isAt(tokens, index, ['export', '*']),
);

/** The first line of a file, behind a `#!`, is a sentence that says what the file is for. */
export const opensWithASentence: Rule = (files) =>
  files.flatMap(({ path, text }) => {
    const [first = ''] = text.replace(/^#!.*\n/, '').split('\n');
    return /^\/\/ [A-Z\d`].{15,}\.$/.test(first) ? [] : [`${path}:1 must open with a sentence on what it is for`];
  });

export const plainNames: Rule = (files) =>
  files.flatMap(({ path }) => {
    const names = path.replace(/(?:\.d)?\.ts$/, '').split('/');
    const wrong = names.find(
      (name) => name === 'index' || CORNER_NAMES.test(name) || !/^[a-z\d]+(?:[-_][a-z\d]+)*$/.test(name),
    );
    return wrong === undefined ? [] : [`${path}:1 must not be named ${wrong}`];
  });

/** With more files directly in it, a folder is hard to look through. */
const MAX_FILES_IN_FOLDER = 25;

export const smallFolders: Rule = (files) =>
  [...Map.groupBy(files, ({ path }) => posix.dirname(path))]
    .filter(([, inside]) => inside.length > MAX_FILES_IN_FOLDER)
    .map(([folder, inside]) => `${folder}:1 must not hold ${inside.length} files, ${MAX_FILES_IN_FOLDER} at most`);

export const plainLimits = tokenRule(
  'must name a limit MAX_ or MIN_',
  (tokens, index) =>
    tokens[index - 1]?.text === 'const' &&
    /^(?:MOST|LONGEST|FEWEST|SHORTEST|LARGEST|SMALLEST|HIGHEST|LOWEST)_/.test(tokens[index]?.text ?? ''),
);

/** A comment that begins with "Of" or "As" leaves the reader to find its subject. */
export const commentsWithSubject: Rule = (files) =>
  files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, at) =>
        /^\s*(?:\/\/|\/\*\*|\*) (?:Of|As) /.test(line) ? [`${path}:${at + 1} must name what the comment is about`] : [],
      ),
  );

export const noPackedLines = tokenRule('must not spread an object to save lines', (tokens, index) =>
  isAt(tokens, index, ['...', '{']),
);

/** A contract is an interface of `contracts/` with methods: whoever implements or calls it begins with an example. */
export const contractsShowExamples: Rule = (files) =>
  files
    .filter(
      ({ path, text }) => path.startsWith('src/contracts/') && METHODS.test(text) && !text.includes(' * @example\n'),
    )
    .map(({ path }) => `${path}:1 must show an example of its contract`);

/** An interface that is exported, with a method in it. */
const METHODS = /^export interface [^{]+\{\n(?:(?!\}).*\n)*? {2}(?:readonly )?\w+\??(?:<[^>]*>)?(?:\(|: \([^)]*\) =>)/m;
