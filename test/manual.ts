// The README's tables as the code has them; `node test/manual.ts` writes them in. Knows no wording but its own columns.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '../src/base/errors.ts';
import { DISPATCHER_FAILS } from '../src/mcp/dispatch.ts';
import { toolCatalog } from '../src/tools/catalog.ts';

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
    const own = tool.fails.filter((code: never) => !DISPATCHER_FAILS.includes(code));
    const needs = tool.needs.filter((need: string) => need === 'store' || need === 'embedding' || need === 'llm');
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

export const TABLES: Readonly<Record<string, string>> = {
  tools: table(['tool', 'needs', 'what it answers', 'codes of its own'], toolRows()),
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
