// The README's tables as the code has them; `node test/manual.ts` writes them in. Knows no wording but its own columns.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { ERRORS, type ErrorCode } from '../src/base/errors.ts';
import { DISPATCHER_FAILS } from '../src/mcp/dispatch.ts';
import { toolCatalog } from '../src/tools/catalog.ts';
import { EXAMPLE, withBlock, withKey } from './example-config.ts';

export const README = join(import.meta.dirname, '../README.md');

const MENDS = {
  N: 'nobody',
  C: 'the caller, by other arguments',
  D: 'time: call again',
  'D*': 'the user, then call again',
  U: 'the user',
};

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function toolRows(): string[][] {
  return toolCatalog.map((tool) => {
    const own = tool.fails.filter((code: ErrorCode) => !DISPATCHER_FAILS.includes(code));
    const shown: Readonly<Record<string, string>> = {
      store: 'store',
      embedding: 'embedding',
      llm: 'llm',
      writer: 'read-write',
    };
    const needs = tool.needs.flatMap((need: string) => shown[need] ?? []);
    const codes = own.map((code: string) => `\`${code}\``).join(' ');
    return [`\`${tool.name}\``, needs.join(', ') || '–', tool.summary.replaceAll('|', '\\|'), codes || '–'];
  });
}

function errorRows(): string[][] {
  return Object.entries(ERRORS).map(([code, { category, retry, http }]) => [
    `\`${code}\``,
    category,
    MENDS[retry],
    String(http),
  ]);
}

/** What the example leaves commented out has no default but one that depends; the key of each provider in the order of the file. */
const WITHOUT_DEFAULT = ['path', 'api_key', 'dimensions', 'query_prefix', 'document_prefix', 'context', 'api_key'];

/** The example is the complete config, and a test of its own holds it against the schema. */
function configRows(): string[][] {
  const withProviders = ['embedding', 'llm'].reduce(withBlock, EXAMPLE);
  const whole = withBlock(WITHOUT_DEFAULT.reduce(withKey, withProviders), 'fallback');
  const defaults = new Set(rowsOf(withProviders).map(([key]) => key));
  return rowsOf(whole).map(([key = '', value = '', meaning = '']) => [
    `\`${key}\``,
    `${defaults.has(key) ? '' : 'none; such as '}\`${value}\``,
    meaning,
  ]);
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

/** A text in quotes keeps them: there may be a space at its end. */
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

export const TABLES: Readonly<Record<string, string>> = {
  tools: table(['tool', 'needs', 'what it answers', 'codes of its own'], toolRows()),
  config: table(['key', 'default; for the path an example', 'meaning'], configRows()),
  errors: table(['code', 'kind', 'who can mend it', 'HTTP status in `--json`'], errorRows()),
};

/** What stands between a table's two marks in `text`. */
export function tableIn(text: string, name: string): string | undefined {
  return new RegExp(`<!-- ${name} -->\n([\\s\\S]*?)\n?<!-- /${name} -->`).exec(text)?.[1];
}

function withTables(text: string): string {
  return Object.entries(TABLES).reduce(
    (kept, [name, rows]) =>
      kept.replace(
        new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`),
        (_all, open, close) => `${open}${rows}\n${close}`,
      ),
    text,
  );
}

if (import.meta.main) writeFileSync(README, withTables(readFileSync(README, 'utf8')));
