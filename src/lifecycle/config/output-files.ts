// The files beside stderr that a server writes for its user: where they lie, and that it is not in the vault. Opens nothing.
import type { ConfigFault } from '../../base/errors.ts';
import type { ConfigDocument, Place } from './config-document.ts';
import { absolutePath, type ConfigSources } from './config-sources.ts';
import { liesInside } from './data-folder.ts';
import type { ServerSettings } from './server-settings.ts';

export interface OutputFile {
  readonly key: 'log.file' | 'metrics.file';
  /** Absolute. */
  readonly path: string;
  /** Of the value in the config. */
  readonly place: Place;
}

export interface OutputFiles {
  readonly log?: OutputFile;
  readonly metrics?: OutputFile;
}

/** What stands in a path for the number of the process, so that servers side by side do not overwrite each other. */
export const PROCESS_MARK = '{pid}';

/** @param settings undefined where they have faults of their own */
export function outputFiles(
  settings: Pick<ServerSettings, 'log' | 'metrics'> | undefined,
  document: ConfigDocument,
  { cwd, home }: Pick<ConfigSources, 'cwd' | 'home'>,
): OutputFiles {
  const fileOf = (section: 'log' | 'metrics'): OutputFiles => {
    const written = settings?.[section].file ?? null;
    if (written === null) return {};
    const place = document.placeOf([section, 'file'], 'value');
    return { [section]: { key: `${section}.file`, path: absolutePath(written, cwd, home), place } };
  };
  return Object.freeze({ ...fileOf('log'), ...fileOf('metrics') });
}

/** The vault is never written to, and two files are two files. */
export async function outputFaults(files: OutputFiles, vaultRoot: string): Promise<readonly ConfigFault[]> {
  const { log, metrics } = files;
  const faults: ConfigFault[] = [];
  for (const file of [log, metrics]) {
    if (file === undefined || !(await liesInside(vaultRoot, file.path))) continue;
    faults.push(faultOf(file, `\`${file.key}\` lies inside the vault, which is never written to`));
  }
  if (metrics !== undefined && log?.path === metrics.path)
    faults.push(faultOf(metrics, '`metrics.file` is the same file as `log.file`'));
  return faults;
}

export function faultOf({ key, place }: OutputFile, what: string): ConfigFault {
  return { ...place, key, what };
}
