// Gives the feed of changes the content of attachments as hashes of samples, so that one with only another time is no change.
import { setTimeout as sleep } from 'node:timers/promises';
import { sampledHash } from '../../base/content-hash.ts';
import type { NotePath } from '../../base/note.ts';
import { outcomeOf } from '../../base/outcome.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Sampled } from '../../contracts/change-set.ts';
import type { StoredFeed } from '../../contracts/feed.ts';
import type { IndexJob } from '../../contracts/indexer.ts';
import type { FileEntry, Vault } from '../../contracts/vault.ts';
import { type Comparison, type HasText, isNote } from './comparison.ts';

/** New attachments that a job samples itself, which takes some ten milliseconds; later jobs sample the others. */
const MAX_NEW = 256;
const FILES_PER_READ = 64;
/** Between two jobs, so that the machine has time for others. */
const PAUSE_MS = 50;

export class AttachmentSamples {
  readonly #vault: Pick<Vault, 'readSamples'>;
  readonly #feed: Pick<StoredFeed, 'unread'>;
  /** Those that the feed has without their content, and those that could not be read. */
  readonly #missing = new Set<string>();
  readonly #unreadable = new Set<string>();
  #isFilling = false;

  constructor(vault: Pick<Vault, 'readSamples'>, feed: Pick<StoredFeed, 'unread'>) {
    this.#vault = vault;
    this.#feed = feed;
  }

  /** @param listed the files that the job is about */
  async into(
    comparison: Comparison,
    listed: readonly FileEntry[],
    hasText: HasText,
    signal: AbortSignal,
  ): Promise<Comparison> {
    const { added, touched } = comparison;
    const isToSample = (file: FileEntry): boolean => !isNote(file) && !hasText(file) && !file.evicted;
    const fresh = added.filter(isToSample).slice(0, MAX_NEW);
    const paths = new Set<string>([...added, ...touched].map(({ path }) => path));
    const missing = this.#missing.size === 0 ? [] : listed.filter(({ path }) => this.#missing.has(path));
    const late = missing.filter((file) => isToSample(file) && !paths.has(file.path)).slice(0, MAX_NEW);
    const all = [...fresh, ...touched.filter(({ evicted }) => !evicted), ...late];
    if (all.length === 0) return comparison;
    const hashes = await this.#hashesOf(all, signal);
    const withHash = (file: FileEntry): FileEntry & Sampled => {
      const hash = hashes.get(file.path);
      return hash === undefined ? file : { ...file, hash };
    };
    const sampled = late.filter(({ path }) => hashes.has(path));
    return { ...comparison, added: added.map(withHash), touched: [...touched, ...sampled].map(withHash) };
  }

  /** After a scan, in jobs of their own: what they read is then what the index knows. */
  async fill(read: (paths: readonly string[]) => Promise<IndexJob>, signal: AbortSignal): Promise<void> {
    if (this.#isFilling) return;
    this.#isFilling = true;
    const unread = await outcomeOf(this.#feed.unread(signal));
    for (const path of 'value' in unread ? unread.value : []) if (!this.#unreadable.has(path)) this.#missing.add(path);
    while (this.#missing.size > 0) {
      const some: string[] = [];
      for (const path of this.#missing) if (some.push(path) === MAX_NEW) break;
      const job = await outcomeOf(sleep(PAUSE_MS, undefined, { signal }).then(() => read(some)));
      // The next scan goes on with what is left.
      if (!('value' in job) || job.value.state !== 'succeeded') break;
      for (const path of some) this.#missing.delete(path);
    }
    this.#isFilling = false;
  }

  async #hashesOf(files: readonly FileEntry[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const hashes = new Map<string, string>();
    for (let at = 0; at < files.length; at += FILES_PER_READ) {
      const paths = files.slice(at, at + FILES_PER_READ).map(({ path }): NotePath => path);
      const { succeeded, failed } = await this.#vault.readSamples(paths, signal);
      for (const { id } of failed) this.#unreadable.add(id);
      for (const { id, result } of succeeded) {
        await letOthersRun(signal);
        hashes.set(id, sampledHash(result));
      }
    }
    return hashes;
  }
}
