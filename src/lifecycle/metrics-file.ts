// Keeps one text file as it is now, whole at every moment, for a program that reads it from time to time.
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { VaultgraphError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { faultOf, type OutputFile, PROCESS_MARK } from './config/output-files.ts';
import { errnoOf } from './log-file.ts';

const WRITE_EVERY_MS = 15_000;

export interface MetricsFile {
  /** Writes it a last time. */
  close(): Promise<void>;
}

/**
 * Writes the file at once and then every 15 seconds. A write that fails later is logged, once until one succeeds.
 * @throws CONFIG_INVALID with the place of the setting where the first write fails
 */
export async function openMetricsFile(
  file: OutputFile,
  text: () => string,
  log: Log,
  everyMs = WRITE_EVERY_MS,
): Promise<MetricsFile> {
  const path = file.path.replaceAll(PROCESS_MARK, String(process.pid));
  const first = await written(path, text);
  if (first !== undefined) throw cannotWrite(file, first);
  let last: Promise<void> = Promise.resolve();
  let isFaulty = false;

  async function writeNow(): Promise<void> {
    const errno = await written(path, text);
    if (errno !== undefined && !isFaulty) log('warn', 'metrics_file_failed', { code: errno });
    isFaulty = errno !== undefined;
  }

  const timer = setInterval(() => {
    last = last.then(writeNow);
  }, everyMs).unref();
  return Object.freeze({
    close: async () => {
      clearInterval(timer);
      await last.then(writeNow);
    },
  });
}

/** The errno of what kept the file from being written; a reader sees the old text or the new one. */
async function written(path: string, text: () => string): Promise<string | undefined> {
  const temporary = `${path}.${process.pid}.tmp`;
  const write = async (): Promise<void> => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, text());
    await rename(temporary, path);
  };
  const [outcome] = await Promise.allSettled([write()]);
  if (outcome.status === 'fulfilled') return undefined;
  await Promise.allSettled([rm(temporary, { force: true })]);
  return errnoOf(outcome.reason);
}

function cannotWrite(file: OutputFile, errno: string): VaultgraphError {
  return new VaultgraphError('CONFIG_INVALID', {
    faults: [faultOf(file, `\`${file.key}\` cannot be written (${errno})`)],
  });
}
