// Started by a test as another user: lists the vault on its command line, reads the paths named after it, prints both.
import type { NotePath } from '../../../src/base/note.ts';
import { openVault, vaultFolderAt } from './vault-folder.ts';

const { signal } = new AbortController();
const [outside = '', ...paths] = process.argv.slice(2);
const { vault, close } = await openVault(vaultFolderAt(outside));
const { files, unreadableFolders } = await vault.list(signal);
const { failed } = await vault.read(paths as NotePath[], signal);
const errors = failed.map(({ id, error }) => [id, error.code, error.details]);
process.stdout.write(JSON.stringify({ files: files.map(({ path }) => path), unreadableFolders, errors }));
await close();
