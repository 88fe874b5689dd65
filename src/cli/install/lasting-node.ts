// The path of a Node that is still there after its next update. Starts nothing.
import { existsSync, realpathSync } from 'node:fs';

/** Homebrew keeps each version in a folder of its own, which goes with the version, and a link to the newest beside it. */
const IN_CELLAR = /^(.*)\/Cellar\/([^/]+)\/[^/]+\/bin\/node$/;

/** The link where it leads to this very program; otherwise the program as it runs. @param running absolute */
export function lastingNode(running = process.execPath): string {
  const [, prefix, formula] = IN_CELLAR.exec(running) ?? [];
  const link = `${prefix}/opt/${formula}/bin/node`;
  return prefix !== undefined && existsSync(link) && realpathSync(link) === realpathSync(running) ? link : running;
}
