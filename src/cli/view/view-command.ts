// `vaultgraph view`: serves the graph page until Ctrl-C, or writes the graph to a file.
import { spawn } from 'node:child_process';
import type { CommonOptions } from '../common-options.ts';
import { closeAtEarlyEnd } from '../early-end.ts';
import { print, printJson, report } from '../output.ts';
import { withCore } from '../with-core.ts';
import { createPageAnswers } from './page-answers.ts';
import { builtPageFiles } from './page-files.ts';
import { openPageServer, type PageServer } from './page-server.ts';
import { writePicture } from './write-picture.ts';

export interface ViewOptions extends CommonOptions {
  readonly port: number;
  /** Default: true in a terminal. */
  readonly open?: boolean;
  readonly export?: string;
  readonly force?: boolean;
  readonly withText?: boolean;
}

/** Serves until the process gets a signal. @throws CONFIG_INVALID, CONFIG_MISSING, STORE_* at the start; FILE_WRITE_FAILED */
export function runView(options: ViewOptions): Promise<number> {
  const { export: file } = options;
  if (file !== undefined) return writePicture({ ...options, file });
  return withCore(options, async (core) => {
    const server = await openPageServer(createPageAnswers(core), builtPageFiles(import.meta.url), options.port);
    closeAtEarlyEnd(server.close);
    core.nameClient('vaultgraph view');
    core.attend();
    if (options.json) printJson({ url: server.url });
    else print(`${server.url}\n`);
    if (options.open ?? process.stdout.isTTY) open(server);
    return untilToldToEnd();
  });
}

function open(server: PageServer): void {
  openBrowser(server.onceUrl(), (why) =>
    report(`no browser was opened (${why}): open the address yourself, or start with --no-open\n`),
  );
}

/** Never resolves: a signal ends the command. */
const untilToldToEnd = (): Promise<never> => new Promise(() => undefined);

/** The program that opens the browser and its arguments; no shell is involved. */
export function openerFor(platform: NodeJS.Platform, url: string): readonly [string, readonly string[]] {
  if (platform === 'darwin') return ['open', [url]];
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', url]];
  return ['xdg-open', [url]];
}

/** @param onFailure called at most once, with the reason */
function openBrowser(url: string, onFailure: (why: string) => void): void {
  const [program, args] = openerFor(process.platform, url);
  const child = spawn(program, args, { stdio: 'ignore', detached: true, windowsHide: true });
  child.once('error', (fault: NodeJS.ErrnoException) => onFailure(`${program}: ${fault.code}`));
  child.once('exit', (code) => {
    if (code !== 0 && code !== null) onFailure(`${program} ended with ${code}`);
  });
  child.unref();
}
