// Started by a test: makes a change in the vault on its command line and kills itself at a failpoint.
import { vaultFolderAt } from '../vault-folder.ts';
import { fill, KINDS } from './change-kinds.ts';
import { openWorkbench } from './workbench.ts';

const [outside = '', title = '', point = '', occurrence = ''] = process.argv.slice(2);
const folder = vaultFolderAt(outside);
fill(folder);
const bench = openWorkbench(folder);
const request = KINDS.find((kind) => kind.title === title)?.request(bench);
let reached = 0;
if (request !== undefined) {
  bench.apply(request, {
    at(name) {
      if (name === point && reached++ === Number(occurrence)) process.kill(process.pid, 'SIGKILL');
    },
  });
}
