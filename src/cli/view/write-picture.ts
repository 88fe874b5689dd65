// `vaultgraph view --export FILE`: writes the graph to a file.
import { access, constants, copyFile, realpath } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { replaceFile } from '../../base/atomic-write.ts';
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { GraphCore } from '../../graph-core.ts';
import { runIndexJob } from '../bring-up-to-date.ts';
import type { CommonOptions } from '../common-options.ts';
import { EXIT } from '../exit-code.ts';
import { exportText, type FormatName } from '../export/export-text.ts';
import { withCore } from '../with-core.ts';

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
export async function writePicture(options: WriteOptions): Promise<number> {
  const format = ENDINGS[extname(options.file).toLowerCase()];
  if (format === undefined)
    return refuse(`${options.file}: use a file name that ends with ${Object.keys(ENDINGS).join(', ')}`);
  if (options.withText && format !== 'html') return refuse('--with-text works only with an .html file');
  return withCore(options, (core) => write(core, options, format));
}

async function write(core: GraphCore, options: WriteOptions, format: FormatName): Promise<number> {
  const file = resolve(options.file);
  if (!isAbsolute(options.file) && (await isWithin(core.config.vaultRoot, file)))
    return refuse(`That would write ${options.file} into the vault. Give an absolute path if you want that.`);
  const { signal } = new AbortController();
  const job = await runIndexJob(core.indexer, { kind: 'catch_up' }, options);
  const wrote = await writeWhole(file, exportText(format, core, signal, options.withText), options.force ?? false);
  if (!wrote) return refuse(`${options.file} already exists. Use --force to replace it.`);
  process.stdout.write(options.json ? `${JSON.stringify({ file, format })}\n` : `${file}\n`);
  return job.counts.failed > 0 ? EXIT.part : EXIT.done;
}

/** Follows symbolic links as the write itself would. */
async function isWithin(folder: string, file: string): Promise<boolean> {
  const [place] = await Promise.allSettled([realpath(dirname(file))]);
  const real = place.status === 'fulfilled' ? join(place.value, basename(file)) : file;
  const way = relative(folder, real);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function refuse(why: string): number {
  process.stderr.write(`${why}\n`);
  return EXIT.usage;
}

/** @returns false, with nothing written, if the file exists and may not be replaced. @throws FILE_WRITE_FAILED, and what `text` throws */
async function writeWhole(file: string, text: AsyncIterable<string>, replace: boolean): Promise<boolean> {
  if (!replace && (await isThere(file))) return false;
  // Unlike a rename, this fails if another program has created the file in the meantime.
  const copyNew = (temporary: string) => copyFile(temporary, file, constants.COPYFILE_EXCL);
  try {
    await replaceFile(file, text, replace ? {} : { commit: copyNew });
    return true;
  } catch (thrown) {
    throw writeFailure(thrown, file);
  }
}

async function isThere(file: string): Promise<boolean> {
  const [seen] = await Promise.allSettled([access(file)]);
  return seen.status === 'fulfilled';
}

function writeFailure(thrown: unknown, file: string): VaultgraphError {
  const errno = thrown instanceof Error && 'errno' in thrown && 'code' in thrown ? String(thrown.code) : undefined;
  if (errno === undefined || thrown instanceof VaultgraphError) return toVaultgraphError(thrown);
  return new VaultgraphError('FILE_WRITE_FAILED', { path: file, errno, step: 'writing', original_intact: true });
}
