// `vaultgraph status`: prints what is configured, how fresh the index is and what failed.
import { NEVER } from '../base/until-aborted.ts';
import type { CommonOptions } from './common-options.ts';
import { EXIT } from './exit-code.ts';
import { type StatusData, statusText } from './status-text.ts';
import { withCore } from './with-core.ts';

export function runStatus(options: CommonOptions): Promise<number> {
  return withCore(options, async (core) => {
    const { text, structured } = await core.call('status', {}, { signal: NEVER });
    const shown = structured.ok
      ? statusText(structured.data as StatusData, core.config.vaultRoot, core.vault.view)
      : `${text}\n`;
    process.stdout.write(options.json ? `${JSON.stringify(structured)}\n` : shown);
    return structured.ok ? EXIT.done : EXIT.failed;
  });
}
