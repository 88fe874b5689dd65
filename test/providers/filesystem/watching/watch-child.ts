// Watches the folder on its command line and prints each sign as a line of JSON; ends when its input ends.
import { report, stdin, stdout } from 'node:process';
import { openVault, vaultFolderAt } from '../vault-folder.ts';

const { signal } = new AbortController();
const { vault, close } = await openVault(vaultFolderAt(String(process.argv[2])));
const print = (what: object): void => void stdout.write(`${JSON.stringify(what)}\n`);
const isLoaded = (): boolean => JSON.stringify(report.getReport()).includes('watcher.node');
await vault.list(signal);
print({ kind: 'listed', isLoaded: isLoaded() });
const watch = await vault.watch(print, signal);
print({ kind: 'watching', isLoaded: isLoaded() });
stdin.resume();
await new Promise((resolve) => stdin.once('end', resolve));
await watch.close();
await close();
print({ kind: 'closed' });
