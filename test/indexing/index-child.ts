// Started by a test: indexes the vault folder named on its command line and tells of each step, until it ends or is killed.

import { vaultFolderAt } from '../providers/filesystem/vault-folder.ts';
import { openIndex } from './index-under-test.ts';

const [outside = '', kind = 'catch_up'] = process.argv.slice(2);
const { indexer, run, close } = await openIndex(vaultFolderAt(outside));
const tell = (line: string): boolean => process.stdout.write(`${line}\n`);
const job = await run({ kind: kind as 'catch_up', onProgress: ({ phase, counts }) => tell(`${phase} ${counts.done}`) });
tell(`${job.state} ${indexer.state().pending}`);
await close();
