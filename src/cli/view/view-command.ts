// `vaultgraph view`: serves the graph page until Ctrl-C, or writes the graph to a file.
import { spawn } from 'node:child_process';
import { access } from 'node:fs/promises';
import { extname } from 'node:path';
import type { GraphCore } from '../../app/graph-core.ts';
import { removeLeftoversSync, replaceFile } from '../../base/atomic-write.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { oneLine } from '../../base/visible-controls.ts';
import { currentIndex } from '../bring-up-to-date.ts';
import type { CommonOptions } from '../common-options.ts';
import { closeAtEarlyEnd } from '../end-process.ts';
import { EXIT } from '../exit-code.ts';
import { exportText, type FormatName } from '../export/export-text.ts';
import { print, printJson, report, writeFailure } from '../output.ts';
import { knownVaults, outputPath } from '../output-place.ts';
import { usageError } from '../usage.ts';
import { withCore } from '../with-core.ts';
import { createPageAnswers } from './page-answers.ts';
import { builtPageFiles } from './page-files.ts';
import { openPageServer, type PageServer } from './page-server.ts';

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
    const answers = createPageAnswers(core);
    const server = await openPageServer(answers, builtPageFiles(import.meta.url), options.port);
    closeAtEarlyEnd(server.close);
    core.nameClient('vaultgraph view');
    core.attend();
    answers.prepare();
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

interface WriteOptions extends CommonOptions {
  readonly file: string;
  readonly force?: boolean;
  readonly withText?: boolean;
}

const ENDINGS: Readonly<Record<string, FormatName>> = {
  '.html': 'html',
  '.svg': 'svg',
  '.graphml': 'graphml',
  '.json': 'json',
  '.dot': 'dot',
};

/** @throws FILE_WRITE_FAILED, and the errors of the index */
async function writePicture(options: WriteOptions): Promise<number> {
  const format = ENDINGS[extname(options.file).toLowerCase()];
  if (format === undefined)
    throw refused(`${options.file}: use a file name that ends with ${Object.keys(ENDINGS).join(', ')}`);
  if (options.withText && format !== 'html') throw refused('--with-text works only with an .html file');
  return withCore(options, (core) => write(core, options, format));
}

async function write(core: GraphCore, options: WriteOptions, format: FormatName): Promise<number> {
  const output = { command: 'view', path: options.file, accepted: ACCEPTED };
  const file = await outputPath(output, await knownVaults(options, core.config));
  const job = await currentIndex(core.indexer, options);
  if (job?.state === 'cancelled') throw new VaultgraphError('CANCELLED', { committed: 'none' });
  const wrote = await writeWhole(file, exportText(format, core, options.withText), options.force ?? false);
  if (!wrote) throw refused(`${options.file} already exists. Use --force to replace it.`);
  if (options.json) printJson({ file, format });
  else print(`${oneLine(file)}\n`);
  return (job?.counts.failed ?? 0) > 0 ? EXIT.part : EXIT.done;
}

function refused(rule: string): VaultgraphError {
  return usageError({ command: 'view', rule, accepted: ACCEPTED });
}

const ACCEPTED = ['--export', '--force', '--with-text'];

/** @returns false, with nothing written, if the file exists and may not be replaced. @throws FILE_WRITE_FAILED, and what `text` throws */
async function writeWhole(file: string, text: AsyncIterable<string>, replace: boolean): Promise<boolean> {
  if (!replace && (await isThere(file))) {
    removeLeftoversSync(file);
    return false;
  }
  try {
    await replaceFile(file, text, { isNew: !replace });
    return true;
  } catch (thrown) {
    throw writeFailure(thrown, file);
  }
}

async function isThere(file: string): Promise<boolean> {
  const [outcome] = await Promise.allSettled([access(file)]);
  return outcome.status === 'fulfilled';
}
