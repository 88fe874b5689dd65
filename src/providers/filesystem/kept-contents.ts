// Keeps the contents of files that were read last, each until the file has changed.
import { SizedMap } from '../../base/async/sized-map.ts';
import type { FileContent } from '../../contracts/vault.ts';

/** Some thousand notes. */
const MAX_BYTES = 4 * 1024 * 1024;
/** A larger file would push out too many others. */
const MAX_KEPT_FILE_BYTES = 256 * 1024;

export class KeptContents {
  readonly #byPath = new SizedMap<string, FileContent>(MAX_BYTES);

  at(paths: readonly string[]): ReadonlyMap<string, FileContent> {
    return new Map(paths.flatMap((path) => this.#byPath.get(path) ?? []).map((content) => [content.path, content]));
  }

  /** What is without a stamp is not kept. */
  use(content: FileContent): void {
    const { path, bytes, stamp } = content;
    this.#byPath.delete(path);
    if (stamp === undefined || bytes.length > MAX_KEPT_FILE_BYTES) return;
    this.#byPath.set(path, content, bytes.length);
  }

  clear(): void {
    this.#byPath.clear();
  }
}
