// Kills its process in the middle of the first change of several files that is committed; loaded before the program with `--import`.
import fs from 'node:fs';

/** How many files have been linked or renamed by then. */
const PLACED = 100;
const { linkSync, renameSync } = fs;
let placed = Number.NEGATIVE_INFINITY;

function countPlaced(): void {
  placed += 1;
  if (placed === PLACED) process.kill(process.pid, 'SIGKILL');
}

fs.renameSync = (from, to) => {
  renameSync(from, to);
  if (String(to).endsWith('.committed')) placed = 0;
  else countPlaced();
};

fs.linkSync = (from, to) => {
  linkSync(from, to);
  countPlaced();
};
