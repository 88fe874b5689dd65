// Kills its process in the middle of the first change of several files that is committed; loaded before the program with `--import`.
import fs from 'node:fs';

/** How many files of the change are at their new place by then. */
const LINKS = 100;
const { linkSync, renameSync } = fs;
let links = Number.NEGATIVE_INFINITY;

fs.renameSync = (from, to) => {
  renameSync(from, to);
  if (String(to).endsWith('.committed')) links = 0;
};

fs.linkSync = (from, to) => {
  linkSync(from, to);
  links += 1;
  if (links === LINKS) process.kill(process.pid, 'SIGKILL');
};
