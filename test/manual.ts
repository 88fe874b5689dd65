// Generates the tables of docs/ and the manifests from the code; `node test/manual.ts` writes them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { ERRORS, type ErrorCode } from '../src/base/errors.ts';
import { FUNCTIONS } from '../src/bases/functions/function-list.ts';
import { CLIENTS, LOOKED_UP } from '../src/cli/install/clients.ts';
import { DISPATCHER_FAILS } from '../src/mcp/dispatch/dispatch.ts';
import { promptCatalog, toolCatalog } from '../src/tools/catalog.ts';
import { EXAMPLE, withBlock, withKey } from './example-config.ts';
import { manifests } from './packaging/manifests.ts';

export const ROOT = join(import.meta.dirname, '..');

const FIXED_BY = {
  N: '–',
  C: 'the caller, with other arguments',
  D: 'temporary; retry later',
  'D*': 'the user, then retry',
  U: 'the user',
};

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

const NEEDS: Readonly<Record<string, string>> = {
  store: 'store',
  embedding: 'embedding',
  llm: 'llm',
  rerank: 'rerank',
  writer: 'read-write',
};

/** What a tool requires, in the words of the config. */
function toolRows(): string[][] {
  return toolCatalog.map(({ name, needs, summary }) => {
    const more = needs.flatMap((need: string) => NEEDS[need] || []);
    return [`\`${name}\``, more.join(', ') || '–', summary.replaceAll('|', '\\|')];
  });
}

function promptRows(): string[][] {
  return promptCatalog.map((prompt) => {
    const given = prompt.arguments.map(({ name, required }) => `\`${name}\`${required ? ' (needed)' : ''}`);
    return [`\`${prompt.name}\``, given.join(', ') || '–', prompt.description.replaceAll('|', '\\|')];
  });
}

function toolCodeRows(): string[][] {
  return toolCatalog.map(({ name, fails }) => {
    const own = fails.filter((code: ErrorCode) => !DISPATCHER_FAILS.includes(code));
    return [`\`${name}\``, own.map(linked).join(' ') || '–'];
  });
}

/** A link to the code's section of docs/errors.md. */
const linked = (code: string): string => `[\`${code}\`](errors.md#${code.toLowerCase()})`;

function errorRows(): string[][] {
  return Object.entries(ERRORS).map(([code, { category, retry, http }]) => [
    linked(code),
    category,
    FIXED_BY[retry],
    String(http),
  ]);
}

const MACHINES = [
  { platform: 'linux', env: {}, home: '~', cwd: '' },
  { platform: 'darwin', env: {}, home: '~', cwd: '' },
  { platform: 'win32', env: { APPDATA: '%APPDATA%' }, home: '%USERPROFILE%', cwd: '' },
] as const;

function sourceRows(): string[][] {
  return CLIENTS.map(({ title, page }) => [title, `\`${page}\``]);
}

function clientRows(): string[][] {
  return CLIENTS.map((client) => {
    const files = MACHINES.map((machine) => `\`${client.settingsFile(machine)}\``);
    return [client.title, `\`${client.name}\``, ...files, client.reload];
  });
}

/** Keys that are commented out in the example because they have no fixed default, in the order of the file. */
const WITHOUT_DEFAULT = [
  'config_folder',
  'guide',
  'language',
  'path',
  'driver',
  ...['host', 'port', 'database', 'user', 'password', 'url', 'schema', 'tls', 'ca', 'pool', 'timeout'],
  'api_key',
  'dimensions',
  'query_prefix',
  'document_prefix',
  'context',
  'max_memory',
  'api_key',
  'weight',
  'max_memory',
  'within',
  'api_key',
  'only',
];

/** Keys without which their section is refused; a test leaves out each key. The vault can also be named by a flag or a variable. */
export const REQUIRED: readonly string[] = [
  'vault.path',
  ...['type', 'model', 'fallback.type', 'fallback.model'].map((key) => `providers.embedding.${key}`),
  ...['type', 'model'].map((key) => `providers.llm.${key}`),
  ...['wire', 'model', 'endpoint'].map((key) => `providers.rerank.${key}`),
  ...['issuer', 'audience'].map((key) => `http.oauth.${key}`),
];

/** The example file is the complete config; another test compares it with the schema. */
function configRows(): string[][] {
  const withSections = ['embedding', 'llm', 'rerank', 'oauth'].reduce(withBlock, EXAMPLE);
  const whole = withBlock(WITHOUT_DEFAULT.reduce(withKey, withSections), 'fallback');
  const defaults = new Set(rowsOf(withSections).map(([key]) => key));
  return rowsOf(whole).map(([key = '', value = '', meaning = '']) => {
    const shown = `\`${value}\``;
    if (REQUIRED.includes(key)) return [`\`${key}\``, `required; for example ${shown}`, meaning];
    const isDefault = defaults.has(key) || meaning.includes(`Default: ${value.replaceAll('"', '')}.`);
    const absent = /default/i.test(meaning) ? 'as described' : 'none';
    return [`\`${key}\``, isDefault ? shown : `${absent}; for example ${shown}`, meaning];
  });
}

function rowsOf(text: string): string[][] {
  const { contents } = parseDocument(text);
  return isMap(contents) ? settingRows(contents, '') : [];
}

function settingRows(map: YAMLMap, above: string, inherited = ''): string[][] {
  return map.items.flatMap((pair) => {
    const key = `${above}${pair.key}`;
    const meaning = meaningOf(pair, map) || inherited;
    if (isMap(pair.value) && pair.value.items.length > 0) return settingRows(pair.value, `${key}.`, meaning);
    return [[key, shown(pair.value), meaning]];
  });
}

/** A quoted text keeps its quotes, because a trailing space may matter. */
function shown(value: unknown): string {
  const isQuoted = isScalar(value) && value.type === 'QUOTE_DOUBLE';
  return isQuoted ? JSON.stringify(value.value) : `${value}`.trim();
}

/** The comment above a key; YAML gives the one above a map's first key to the map. */
function meaningOf(pair: Pair, map: YAMLMap): string {
  const own = isScalar(pair.key) ? pair.key.commentBefore : undefined;
  const comment = own ?? (map.items[0] === pair ? map.commentBefore : undefined) ?? '';
  return (
    comment
      .split(/\n\s*\n/)
      .at(-1)
      ?.replace(/\s+/g, ' ')
      .trim()
      .replaceAll('|', '\\|') ?? ''
  );
}

function functionRows(): string[][] {
  return [...Map.groupBy(FUNCTIONS, ({ on }) => on)].map(([on, functions]) => [
    on,
    functions.map(({ name, signature }) => `\`${name}${signature}\``.replaceAll('|', '\\|')).join(', '),
  ]);
}

/** The tables of each page; the page's path is relative to the root. */
export const TABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/tools.md': {
    tools: table(['tool', 'needs', 'what it answers'], toolRows()),
    prompts: table(['prompt', 'arguments', 'what it does'], promptRows()),
    'tool-codes': table(['tool', 'codes of its own'], toolCodeRows()),
  },
  'docs/bases.md': { functions: table(['of', 'functions'], functionRows()) },
  'docs/configuration.md': {
    config: table(['key', 'default', 'meaning'], configRows()),
  },
  'docs/clients.md': {
    clients: table(['client', '`--client`', 'Linux', 'macOS', 'Windows', 'then'], clientRows()),
    sources: table(['client', `page, looked up on ${LOOKED_UP}`], sourceRows()),
  },
  'docs/errors.md': {
    errors: table(['code', 'kind', 'who can fix it', 'HTTP status in `--json`'], errorRows()),
  },
};

/** The text between a table's two marker comments. */
export function tableIn(text: string, name: string): string | undefined {
  return new RegExp(`<!-- ${name} -->\n([\\s\\S]*?)\n?<!-- /${name} -->`).exec(text)?.[1];
}

function withTables(text: string, tables: Readonly<Record<string, string>>): string {
  return Object.entries(tables).reduce(
    (kept, [name, rows]) =>
      kept.replace(
        new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`),
        (_all, open, close) => `${open}${rows}\n${close}`,
      ),
    text,
  );
}

function writeAll(): void {
  for (const [page, tables] of Object.entries(TABLES)) {
    const file = join(ROOT, page);
    writeFileSync(file, withTables(readFileSync(file, 'utf8'), tables));
  }
  for (const [path, text] of Object.entries(manifests())) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
  }
}

if (import.meta.main) writeAll();
