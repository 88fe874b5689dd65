// Indexes the vault folder named on the command line and prints each step; a child process of tests.

import { vaultFolderAt } from '../providers/filesystem/vault-folder.ts';
import { openIndex } from './index-under-test.ts';

const [outside = '', kind = 'catch_up'] = process.argv.slice(2);
const { indexer, run, close } = await openIndex(vaultFolderAt(outside));
const report = (line: string): boolean => process.stdout.write(`${line}\n`);
const job = await run({
  kind: kind as 'catch_up',
  onProgress: ({ phase, counts }) => report(`${phase} ${counts.done}`),
});
report(`${job.state} ${indexer.state().pending}`);
await close();
