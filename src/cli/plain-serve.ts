// Parses the flags of a plain `serve` without loading the command line, because a client waits for it.
import { parseArgs } from 'node:util';
import type { CommonOptions } from './common-options.ts';

const FLAGS = {
  config: { type: 'string' },
  vault: { type: 'string' },
  'data-dir': { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** Undefined for anything but a plain `serve`; the command line parses or rejects it. */
export function plainServeOptions(argv: readonly string[]): CommonOptions | undefined {
  const [command, ...args] = argv.slice(2);
  if (command !== 'serve') return undefined;
  const { values, tokens } = parseArgs({ args, options: FLAGS, strict: false, tokens: true });
  const isPlain = tokens.every(
    (token) => token.kind === 'option' && isFlag(token.name, token.value) && token.rawName === `--${token.name}`,
  );
  if (!isPlain) return undefined;
  const { 'data-dir': dataDir, ...rest } = values;
  return { ...rest, ...(dataDir === undefined ? {} : { dataDir }) } as CommonOptions;
}

/** A value that begins with a dash may be the next flag, so it is left to the command line. */
function isFlag(name: string, value: string | undefined): boolean {
  if (name === 'json') return value === undefined;
  return Object.hasOwn(FLAGS, name) && value !== undefined && !value.startsWith('-');
}
