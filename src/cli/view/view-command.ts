// `vaultgraph view`: the graph in a page of the user's own browser until Ctrl-C, or in a file.

import { spawn } from 'node:child_process';
import type { CommonOptions } from '../common-options.ts';
import { closeAtEarlyEnd } from '../early-end.ts';
import { withCore } from '../with-core.ts';
import { createPageAnswers } from './page-answers.ts';
import { builtPageFiles } from './page-files.ts';
import { openPageServer, type PageServer } from './page-server.ts';
import { writePicture } from './write-picture.ts';

export interface ViewOptions extends CommonOptions {
  readonly port: number;
  /** Without a word, where somebody sits at a terminal. */
  readonly open?: boolean;
  readonly export?: string;
  readonly force?: boolean;
  readonly withText?: boolean;
}

/** Serves until the process is told to end. @throws CONFIG_INVALID, CONFIG_MISSING, STORE_* before it serves; FILE_WRITE_FAILED */
export function runView(options: ViewOptions): Promise<number> {
  const { export: file } = options;
  if (file !== undefined) return writePicture({ ...options, file });
  return withCore(options, async (core) => {
    const server = await openPageServer(createPageAnswers(core), builtPageFiles(import.meta.url), options.port);
    closeAtEarlyEnd(server.close);
    core.attend();
    process.stdout.write(options.json ? `${JSON.stringify({ url: server.url })}\n` : `${server.url}\n`);
    if (options.open ?? process.stdout.isTTY) open(server);
    return untilToldToEnd();
  });
}

function open(server: PageServer): void {
  openBrowser(server.onceUrl(), (why) =>
    process.stderr.write(`no browser was opened (${why}): open the address yourself, or start with --no-open\n`),
  );
}

/** A signal ends the command from outside. */
const untilToldToEnd = (): Promise<never> => new Promise(() => undefined);

/** The program and what it is given; no shell reads it. */
export function openerFor(platform: NodeJS.Platform, url: string): readonly [string, readonly string[]] {
  if (platform === 'darwin') return ['open', [url]];
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', url]];
  return ['xdg-open', [url]];
}

/** @param onFailure told once at most, with a word on why */
function openBrowser(url: string, onFailure: (why: string) => void): void {
  const [program, args] = openerFor(process.platform, url);
  const child = spawn(program, args, { stdio: 'ignore', detached: true, windowsHide: true });
  child.once('error', (fault: NodeJS.ErrnoException) => onFailure(`${program}: ${fault.code}`));
  child.once('exit', (code) => {
    if (code !== 0 && code !== null) onFailure(`${program} ended with ${code}`);
  });
  child.unref();
}
