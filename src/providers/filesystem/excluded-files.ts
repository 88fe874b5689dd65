// Finds the files that Obsidian's setting "Excluded files" hides. Runs in a file thread.
import { runInNewContext } from 'node:vm';
import { isObject } from '../../base/plain-object.ts';
import type { SettingsFile, VaultListing } from '../../contracts/vault.ts';

export interface HiddenPaths {
  readonly paths: ReadonlySet<string>;
  readonly faults: NonNullable<VaultListing['settingsFault']> | undefined;
}

/** Time of the processor: a regular expression of the user may take for ever for some path; this thread is not free meanwhile. */
const MAX_FILTER_MS = 250;
/** Further regular expressions are not tried after so much of it. */
const MAX_MS = 2_000;
/** On a busy machine an expression gets its time of the processor late. */
const MAX_WAIT_MS = 2_000;

/** @param file `app.json` */
export function hiddenPaths(file: SettingsFile, paths: readonly string[], checkStop: () => void): HiddenPaths {
  const filters = filtersIn(file);
  const { path } = file;
  if (typeof filters === 'string') return { paths: new Set(), faults: { path, reasons: [filters], isUnread: true } };
  const reasons: string[] = [];
  const hidden = new Set<string>();
  const end = processorMs() + MAX_MS;
  for (const filter of filters) {
    checkStop();
    const matched = matching(filter, paths, end);
    if (typeof matched === 'string') reasons.push(`${JSON.stringify(filter)} hides nothing: ${matched}`);
    else for (const each of matched) hidden.add(each);
  }
  return { paths: hidden, faults: reasons.length === 0 ? undefined : { path, reasons } };
}

/** Why they are not known, as a string. */
function filtersIn(file: SettingsFile): readonly unknown[] | string {
  if (file.result === 'nothing') return [];
  if (file.result === 'fault') return file.reason;
  try {
    const settings: unknown = JSON.parse(file.text);
    const { userIgnoreFilters = [] } = isObject(settings) ? settings : { userIgnoreFilters: undefined };
    const filters = userIgnoreFilters ?? [];
    return Array.isArray(filters) ? filters : 'userIgnoreFilters is not a list';
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return 'it is not valid JSON';
  }
}

/** Matches a filter as Obsidian reads it: a regular expression between slashes, or the beginning of a path, without regard to case. */
function matching(filter: unknown, paths: readonly string[], end: number): readonly string[] | string {
  if (typeof filter !== 'string') return 'it is not a string';
  const text = filter.normalize('NFC');
  if (text === '') return 'it is empty';
  const isRegex = text.length > 2 && text.startsWith('/') && text.endsWith('/');
  if (isRegex) return processorMs() < end ? matchingRegex(text.slice(1, -1), paths) : 'the other ones took too long';
  const begin = new RegExp(`^${text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}`, 'i');
  return paths.filter((path) => begin.test(path));
}

const MATCHES = `const regex = new RegExp(source, 'i');
JSON.stringify(JSON.parse(paths).flatMap((path, at) => (regex.test(path) ? [at] : [])))`;

function matchingRegex(source: string, paths: readonly string[]): readonly string[] | string {
  const fault = syntaxFault(source);
  if (fault !== undefined) return fault;
  const begun = processorMs();
  for (let waitMs = MAX_FILTER_MS; ; waitMs *= 2) {
    const matched = matchedWithin(source, paths, waitMs);
    if (matched !== undefined) return matched;
    const isSlow = processorMs() - begun >= MAX_FILTER_MS / 2;
    if (isSlow || waitMs >= MAX_WAIT_MS) return `it took longer than ${MAX_FILTER_MS} ms`;
  }
}

/** Only V8 reads every expression as Obsidian does, and only a script of its own can be ended. Undefined if it was. */
function matchedWithin(
  source: string,
  paths: readonly string[],
  timeout: number,
): readonly string[] | string | undefined {
  try {
    const context = { source, paths: JSON.stringify(paths) };
    const indexes = JSON.parse(String(runInNewContext(MATCHES, context, { timeout }))) as number[];
    return indexes.map((at) => paths[at] as string);
  } catch (thrown) {
    // An error of the script is none of this realm, so only its code says what it is.
    return Object(thrown).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? undefined : 'it cannot be matched';
  }
}

/** The time of the processor that this thread has had; of the process where Node does not know that of a thread. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1_000;
}

function syntaxFault(source: string): string | undefined {
  try {
    new RegExp(source, 'i');
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return 'it is not a regular expression';
  }
}
