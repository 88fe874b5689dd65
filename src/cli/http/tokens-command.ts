// `vaultgraph tokens`: lists, adds and revokes the bearer tokens of HTTP clients.

import { commandLine } from '../../base/command-line.ts';
import { quoted, VaultgraphError } from '../../base/errors.ts';
import { didYouMean } from '../../base/nearest.ts';
import type { TokenEntry } from '../../config/http-tokens.ts';
import { type CommonOptions, configsFor, servedFor } from '../common-options.ts';
import { EXIT } from '../exit-code.ts';
import { print, printJson } from '../output.ts';
import { serverConfig } from '../served.ts';
import { usageError } from '../usage.ts';
import { tokensOf } from './http-config.ts';

export type TokenAction = 'list' | 'add' | 'revoke';

export interface TokensOptions extends CommonOptions {
  readonly view?: string;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** @throws CONFIG_INVALID, CONFIG_MISSING; INVALID_INPUT if the arguments do not fit */
export async function runTokens(
  action: TokenAction,
  name: string | undefined,
  options: TokensOptions,
): Promise<number> {
  const tokens = tokensOf(serverConfig(await configsFor(options)));
  if (action !== 'add' && options.view !== undefined) throw wrong('--view goes with add');
  if (action === 'list') {
    if (name !== undefined) throw wrong('list takes no name');
    return printed(options, { tokens: tokens.list().map(shown) }, listText(tokens.list()));
  }
  if (name === undefined) throw wrong(`${action} needs the name of a token`);
  if (action === 'revoke') {
    if (!(await tokens.revoke(name))) throw unknownToken(name, tokens.list());
    return printed(options, { revoked: name }, `revoked ${name}; clients that use it are refused from now on\n`);
  }
  if (!NAME.test(name)) throw wrong('a name has up to 64 letters, digits, dots, hyphens and underscores');
  await checkView(options);
  const token = await tokens.add(name, options.view);
  return printed(options, { name, ...(options.view !== undefined && { view: options.view }), token }, addedText(token));
}

function printed({ json = false }: TokensOptions, value: object, text: string): number {
  if (json) printJson(value);
  else print(text);
  return EXIT.done;
}

const shown = ({ name, view, created }: TokenEntry) => ({ name, view: view ?? null, created });

function listText(entries: readonly TokenEntry[]): string {
  if (entries.length === 0) return `there are no tokens; add one with \`${commandLine('tokens add NAME')}\`\n`;
  return entries
    .map(
      ({ name, view, created }) =>
        `${name}  ${view === undefined ? '(everything served)' : `view ${view}`}  ${created}\n`,
    )
    .join('');
}

const addedText = (token: string): string =>
  `${token}\nThis token is shown once. Clients send it as the header \`Authorization: Bearer TOKEN\`.\n`;

async function checkView(options: TokensOptions): Promise<void> {
  const { view } = options;
  if (view === undefined) return;
  const names = [...(await servedFor(options)).views.keys()];
  if (names.includes(view)) return;
  const what = names.length === 0 ? 'the config has no `views`' : `there is no view ${quoted(view)}`;
  const faults = [{ file: '--view', what, ...(names.length > 0 && { allowed: names, ...didYouMean(view, names) }) }];
  throw new VaultgraphError('CONFIG_INVALID', { faults });
}

function wrong(rule: string): VaultgraphError {
  return usageError({ command: 'tokens', rule, accepted: ['list', 'add NAME [--view VIEW]', 'revoke NAME'] });
}

function unknownToken(name: string, entries: readonly TokenEntry[]): VaultgraphError {
  const accepted = entries.map((entry) => entry.name);
  return usageError({ command: 'tokens revoke', rule: `there is no token ${quoted(name)}`, accepted, received: name });
}
