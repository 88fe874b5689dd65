// `vaultgraph config`: prints every setting with its value and where it comes from.
import { type CommonOptions, configFor } from './common-options.ts';
import { EXIT } from './exit-code.ts';

export async function runConfig(options: CommonOptions): Promise<number> {
  const { settings } = await configFor(options);
  const width = Math.max(...settings.map(({ key }) => key.length));
  const lines = settings.map(
    ({ key, value, origin }) => `${key.padEnd(width)}  ${JSON.stringify(value)}  (${origin})\n`,
  );
  process.stdout.write(options.json ? `${JSON.stringify({ settings })}\n` : lines.join(''));
  return EXIT.done;
}
