// `vaultgraph status`: prints what is configured, how fresh the index is and what failed.
import type { CommonOptions } from './common-options.ts';
import { EXIT } from './exit-code.ts';
import { withCore } from './with-core.ts';

export function runStatus(options: CommonOptions): Promise<number> {
  return withCore(options, async (core) => {
    const { text, structured } = await core.call('status', {}, { signal: new AbortController().signal });
    process.stdout.write(`${options.json ? JSON.stringify(structured) : text}\n`);
    return structured.ok ? EXIT.done : EXIT.failed;
  });
}
