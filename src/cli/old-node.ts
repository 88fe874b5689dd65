// What a Node that is too old says: the command that works here, or what to install. Has to run on that Node.
import { existsSync } from 'node:fs';
import { near, nodeOfCheckout, shellWord } from '../base/command-line.ts';

/** One line; on a terminal the command has a line of its own. @param script the program */
export function oldNodeText(oldest: number, script: string): string {
  const args = process.argv.slice(2).map(shellWord);
  const fault = `vaultgraph needs Node ${oldest} or newer, this is ${process.versions.node}`;
  const node = nodeOfCheckout(script);
  if (!existsSync(node)) return `${fault}; install a newer one from https://nodejs.org\n`;
  const command = [near(node), near(script), ...args].join(' ');
  return `${fault}; this checkout has one:${process.stderr.isTTY ? '\n' : ' '}${command}\n`;
}
