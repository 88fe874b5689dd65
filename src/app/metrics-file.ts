// Writes the metrics to a text file periodically and atomically, for a program that polls it.

import { dirname } from 'node:path';
import { Serial } from '../base/async/serial.ts';
import { replaceFile } from '../base/atomic-write.ts';
import { errnoOf } from '../base/errno.ts';
import { VaultgraphError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { makeFolder } from '../base/make-folder.ts';
import { faultOf, type OutputFile, PROCESS_MARK } from '../config/server-settings.ts';

const WRITE_EVERY_MS = 15_000;

export interface MetricsFile {
  /** Writes it a last time. */
  close(): Promise<void>;
}

/**
 * Writes the file at once and then every 15 seconds. A write that fails later is logged, once until one succeeds.
 * @throws CONFIG_INVALID with the position of the setting if the first write fails
 */
export async function openMetricsFile(
  file: OutputFile,
  text: () => string,
  log: Log,
  everyMs = WRITE_EVERY_MS,
): Promise<MetricsFile> {
  const path = file.path.replaceAll(PROCESS_MARK, String(process.pid));
  const first = await writeMetrics(path, text);
  if (first !== undefined) throw cannotWrite(file, first);
  const writes = new Serial();
  let isFaulty = false;

  async function writeNow(): Promise<void> {
    const errno = await writeMetrics(path, text);
    if (errno !== undefined && !isFaulty) log('warn', 'metrics_file_failed', { code: errno });
    isFaulty = errno !== undefined;
  }

  const timer = setInterval(() => void writes.run(writeNow), everyMs).unref();
  return Object.freeze({
    close: async () => {
      clearInterval(timer);
      await writes.run(writeNow);
    },
  });
}

/** @returns the errno of a failed write; undefined after a successful one */
async function writeMetrics(path: string, text: () => string): Promise<string | undefined> {
  try {
    makeFolder(dirname(path));
    await replaceFile(path, text());
    return undefined;
  } catch (thrown) {
    return errnoOf(thrown);
  }
}

function cannotWrite(file: OutputFile, errno: string): VaultgraphError {
  return new VaultgraphError('CONFIG_INVALID', {
    faults: [faultOf(file, `\`${file.key}\` cannot be written (${errno})`)],
  });
}
