// `vaultgraph status`: prints what is configured, how fresh the index is and what failed.
import { NEVER } from '../base/until-aborted.ts';
import type { CommonOptions } from './common-options.ts';
import { type Done, inEachVault } from './each-vault.ts';
import { EXIT } from './exit-code.ts';
import { type StatusData, statusText } from './status-text.ts';
import { withCore } from './with-core.ts';

export function runStatus(options: CommonOptions): Promise<number> {
  return inEachVault(options, statusIn);
}

function statusIn(options: CommonOptions): Promise<Done> {
  return withCore(options, async (core) => {
    const { text, structured } = await core.call('status', {}, { signal: NEVER });
    const shown = structured.ok
      ? statusText(structured.data as StatusData, core.config.vaultRoot, core.vault.view)
      : `${text}\n`;
    return { exit: structured.ok ? EXIT.done : EXIT.failed, json: structured, text: shown };
  });
}
