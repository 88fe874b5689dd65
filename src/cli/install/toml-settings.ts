// Parses TOML settings and changes one table in place.
import { parse, stringify, TomlError } from 'smol-toml';
import type { Parsed } from './json-settings.ts';

export function parseToml(text: string): Parsed {
  try {
    return { value: parse(text.replace(/^\uFEFF/, '')) };
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const what = 'cannot be read as TOML; nothing was changed';
    return { value: {}, fault: { what, line: thrown.line, column: thrown.column } };
  }
}

/** Sets that table, or removes it if undefined: in its old place, otherwise at the end. */
export function editToml(text: string, path: readonly string[], value: object | undefined): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split(/(?<=\n)/);
  const [from, to] = stretchOf(lines, path);
  const table = value === undefined ? '' : tableText(path, value).replaceAll('\n', eol);
  if (from < to) return [...lines.slice(0, from), table, ...lines.slice(to)].join('');
  if (table === '') return text;
  const gap = text === '' ? '' : text.endsWith('\n') ? eol : `${eol}${eol}`;
  return `${text}${gap}${table}`;
}

function tableText(path: readonly string[], value: object): string {
  const nested = path.reduceRight<object>((inner, key) => ({ [key]: inner }), value);
  return `${stringify(nested).trim()}\n`;
}

/** The lines of the table and its adjacent subtables; comments above the next table belong to that one. */
function stretchOf(lines: readonly string[], path: readonly string[]): readonly [from: number, to: number] {
  const headers = lines.flatMap((line, at) => (/^\s*\[/.test(line) ? [{ at, keys: headerKeys(line) }] : []));
  const first = headers.findIndex(({ keys }) => isBelow(keys, path));
  const header = headers[first];
  if (header === undefined) return [lines.length, lines.length];
  const next = headers.slice(first).find(({ keys }) => !isBelow(keys, path));
  let to = next?.at ?? lines.length;
  while (next !== undefined && /^\s*(?:#.*)?\s*$/.test(lines[to - 1] ?? '')) to -= 1;
  return [header.at, to];
}

const isBelow = (keys: readonly string[], path: readonly string[]): boolean =>
  path.every((key, at) => keys[at] === key);

/** The keys of a table header such as `[a."b.c"]`; empty for other lines. */
function headerKeys(line: string): readonly string[] {
  const { value, fault } = parseToml(line);
  if (fault !== undefined) return [];
  const keys: string[] = [];
  for (let inner: unknown = value; typeof inner === 'object' && inner !== null; ) {
    const [entry] = Object.entries(inner);
    if (entry === undefined) break;
    keys.push(entry[0]);
    inner = entry[1];
  }
  return keys;
}
