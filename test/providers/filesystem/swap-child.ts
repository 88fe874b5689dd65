// Started by a test: swaps folders of a vault for links to folders outside and back, until it is killed.
import { renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

const [root = '', outside = '', ...names] = process.argv.slice(2);

process.stdout.write('swapping');
for (;;) {
  for (const name of names) {
    renameSync(join(root, name), join(outside, `${name}.aside`));
    symlinkSync(join(outside, name), join(root, name));
    unlinkSync(join(root, name));
    renameSync(join(outside, `${name}.aside`), join(root, name));
  }
}
