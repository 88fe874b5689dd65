// Gives the kept history the texts that are about to be indexed, and in the background those that it lacks.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../base/log.ts';
import { fileKindOf } from '../../base/note.ts';
import { errorOf } from '../../base/outcome.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { FileState } from '../../contracts/change-set.ts';
import type { NewestText, ReadText, TextHistory } from '../../contracts/feed.ts';
import type { Store } from '../../contracts/store.ts';
import type { FileContent, FileEntry, Vault } from '../../contracts/vault.ts';
import { type Comparison, FILES_PER_STEP, isNote, type Known } from './comparison.ts';
import { slicesOf } from './index-slice.ts';

/** The bytes are copied at once, because parsing moves them to another thread. */
function readTexts(contents: readonly FileContent[]): ReadText[] {
  return contents
    .filter(({ path }) => fileKindOf(path) !== 'attachment')
    .map(({ path, bytes, modifiedMs }) => ({ path, bytes: Uint8Array.from(bytes), modifiedMs }));
}

/** Keeps the texts of the files, except of those that Obsidian's settings exclude. @param files the listed files that were read */
export function keepTexts(
  history: TextHistory | undefined,
  contents: readonly FileContent[],
  files: readonly FileEntry[],
  known: Known,
): Promise<void> | undefined {
  if (history === undefined || contents.length === 0) return undefined;
  const isHidden = (file: { readonly path: string; readonly excluded?: boolean }): boolean =>
    file.excluded === true || known.files.get(file.path)?.excluded === true;
  const hidden = new Set<string>(files.filter(isHidden).map(({ path }) => path));
  return history.keep(readTexts(contents.filter(({ path }) => !hidden.has(path))));
}

/** Leaves the texts of files that are gone, or are excluded from now on; those that no longer are have not been read meanwhile. */
export async function leaveTexts(
  history: TextHistory | undefined,
  { removed, added }: Comparison,
  known: Known,
): Promise<void> {
  if (history === undefined) return;
  const excluded = added.filter((file) => file.excluded === true && known.files.has(file.path));
  await history.leave([...removed, ...excluded].filter(isNote).map(({ path }) => path));
  if (added.some((file) => file.excluded !== true && known.files.get(file.path)?.excluded === true)) history.doubt();
}

export interface HistoryFillParts {
  readonly vault: Vault;
  readonly store: Store;
  readonly history: TextHistory;
  readonly log: Log;
  /** Resolves when no job of the text index runs. */
  readonly idle: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Between two slices, so that the machine has time for others. */
const PAUSE_MS = 50;

/** What it has kept is found as kept by the next one, so it can end at any time. */
export class HistoryFill {
  readonly #parts: HistoryFillParts;
  #running: Promise<void> | undefined;

  constructor(parts: HistoryFillParts) {
    this.#parts = parts;
  }

  /** After a scan of the whole vault. Does nothing while it runs. */
  start(): void {
    this.#running ??= this.#attempt().finally(() => {
      this.#running = undefined;
    });
  }

  async ended(): Promise<void> {
    await this.#running;
  }

  async #attempt(): Promise<void> {
    const { history, log, signal } = this.#parts;
    const error = await errorOf(this.#fill());
    history.filled();
    if (error === undefined) return;
    // The next scan goes on with what is missing.
    history.doubt();
    if (!signal.aborted) log('warn', 'history_failed', { code: error.code });
  }

  async #fill(): Promise<void> {
    const { history, store, signal, log, idle } = this.#parts;
    await history.prune(signal);
    if (!history.isDoubtful) return;
    let newest: readonly NewestText[] = [];
    const read = async (): Promise<readonly NewestText[]> => {
      newest = await newestOf(await store.fileStates(signal));
      return newest;
    };
    // A job that runs now keeps texts that the index does not know yet.
    await idle();
    const missing = new Set<string>(await history.compare(read, signal));
    for (const slice of slicesOf(newest.filter(({ path }) => missing.has(path)))) await this.#keepLate(slice);
    if (missing.size > 0) log('info', 'history_filled', { counts: { texts: missing.size } });
  }

  async #keepLate(slice: readonly NewestText[]): Promise<void> {
    const { vault, history, idle, signal } = this.#parts;
    await idle();
    signal.throwIfAborted();
    const { succeeded } = await vault.read(
      slice.map(({ path }) => path),
      signal,
    );
    await history.keep(readTexts(succeeded.map(({ result }) => result)).map((text) => ({ ...text, isLate: true })));
    await sleep(PAUSE_MS, undefined, { signal });
  }
}

async function newestOf(files: readonly FileState[]): Promise<NewestText[]> {
  const newest: NewestText[] = [];
  for (const [at, file] of files.entries()) {
    if (at % FILES_PER_STEP === 0) await letOthersRun();
    const { path, hash, sizeBytes, excluded } = file;
    if (isNote(file) && hash && excluded !== true) newest.push({ path, hash, sizeBytes });
  }
  return newest;
}
