// `vaultgraph config`: prints every setting with its value and where it comes from.
import { visibleJson } from '../base/visible-controls.ts';
import type { Config } from '../config/config.ts';
import { type CommonOptions, configsFor } from './common-options.ts';
import { EXIT } from './exit-code.ts';
import { print, printJson } from './output.ts';

export async function runConfig(options: CommonOptions): Promise<number> {
  const settings = await settingsOf(options);
  const width = Math.max(...settings.map(({ key }) => key.length));
  const lines = settings.map(({ key, value, origin }) => `${key.padEnd(width)}  ${visibleJson(value)}  (${origin})\n`);
  if (options.json) printJson({ settings });
  else print(lines.join(''));
  return EXIT.done;
}

/** What several vaults share is listed once. */
async function settingsOf(options: CommonOptions): Promise<Config['settings']> {
  const configs = await configsFor(options);
  if ('one' in configs) return configs.one.settings;
  const all = configs.several.flatMap(({ config }) => config.settings);
  const isOfVault = ({ key }: Config['settings'][number]): boolean => key.startsWith('vaults.');
  const shared = all.filter((one, at) => !isOfVault(one) && all.findIndex(({ key }) => key === one.key) === at);
  const before = shared.findIndex(({ key }) => key.startsWith('providers.'));
  return [...shared.slice(0, before), ...all.filter(isOfVault), ...shared.slice(before)];
}
