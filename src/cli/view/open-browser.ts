// Has the system open an address in the user's browser. Knows no page.
import { spawn } from 'node:child_process';

/** The program and what it is given; no shell reads it. */
export function openerFor(platform: NodeJS.Platform, url: string): readonly [string, readonly string[]] {
  if (platform === 'darwin') return ['open', [url]];
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', url]];
  return ['xdg-open', [url]];
}

/** @param onFailure told once at most, with a word on why */
export function openBrowser(url: string, onFailure: (why: string) => void): void {
  const [program, args] = openerFor(process.platform, url);
  const child = spawn(program, args, { stdio: 'ignore', detached: true, windowsHide: true });
  child.once('error', (fault: NodeJS.ErrnoException) => onFailure(`${program}: ${fault.code}`));
  child.once('exit', (code) => {
    if (code !== 0 && code !== null) onFailure(`${program} ended with ${code}`);
  });
  child.unref();
}
