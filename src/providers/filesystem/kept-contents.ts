// Keeps the contents of files that were read last, each until the file has changed.
import type { FileContent } from '../../contracts/vault.ts';

/** Some thousand notes. */
const MAX_BYTES = 4 * 1024 * 1024;
/** A larger file would push out too many others. */
const MAX_KEPT_FILE_BYTES = 256 * 1024;

export class KeptContents {
  /** The one that was used last is the last. */
  readonly #byPath = new Map<string, FileContent>();
  #bytes = 0;

  at(paths: readonly string[]): ReadonlyMap<string, FileContent> {
    return new Map(paths.flatMap((path) => this.#byPath.get(path) ?? []).map((content) => [content.path, content]));
  }

  /** What is without a stamp is not kept. */
  use(content: FileContent): void {
    const { path, bytes, stamp } = content;
    this.#delete(path);
    if (stamp === undefined || bytes.length > MAX_KEPT_FILE_BYTES) return;
    this.#byPath.set(path, content);
    this.#bytes += bytes.length;
    for (const oldest of this.#byPath.keys()) {
      if (this.#bytes <= MAX_BYTES) return;
      this.#delete(oldest);
    }
  }

  clear(): void {
    this.#byPath.clear();
    this.#bytes = 0;
  }

  #delete(path: string): void {
    this.#bytes -= this.#byPath.get(path)?.bytes.length ?? 0;
    this.#byPath.delete(path);
  }
}
