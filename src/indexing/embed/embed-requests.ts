// Fills requests with the chunks of the notes that a generation lacks, page after page.
import { outcomeOf, unwrap } from '../../base/outcome.ts';
import { type ChunkToEmbed, fittingRequest, type RequestLimits } from './embed-chunks.ts';
import { type PageOfNotes, type PageParts, readPage } from './notes-to-embed.ts';

export class EmbedRequests {
  readonly #chunksOf: (page: PageOfNotes) => readonly ChunkToEmbed[];
  readonly #pages: AsyncGenerator<PageOfNotes>;
  #waiting: ChunkToEmbed[] = [];
  #isRead = false;

  /** @param chunksOf the chunks of a page that need to be embedded, in order */
  constructor(parts: PageParts, signal: AbortSignal, chunksOf: (page: PageOfNotes) => readonly ChunkToEmbed[]) {
    this.#chunksOf = chunksOf;
    this.#pages = pagesOf(parts, signal);
  }

  /**
   * The next request, as full as the limits allow; an empty one after each page; undefined once all notes were read and no chunk
   * waits. @throws errors of the vault and the store
   */
  async next(limits: RequestLimits): Promise<readonly ChunkToEmbed[] | undefined> {
    const { count, isFull } = fittingRequest(this.#waiting, limits);
    if (isFull || (this.#isRead && count > 0)) return this.#waiting.splice(0, count);
    if (this.#isRead) return undefined;
    const { value, done } = await this.#pages.next();
    if (done === true) this.#isRead = true;
    else this.#waiting.push(...this.#chunksOf(value));
    return [];
  }

  /** Puts chunks before those that wait. */
  goBefore(chunks: readonly ChunkToEmbed[]): void {
    this.#waiting.unshift(...chunks);
  }

  get isEmpty(): boolean {
    return this.#isRead && this.#waiting.length === 0;
  }

  /** Stops reading pages. */
  async close(): Promise<void> {
    await this.#pages.return(undefined);
  }
}

/** Reads the next page while this one is processed. */
async function* pagesOf(parts: PageParts, signal: AbortSignal): AsyncGenerator<PageOfNotes, undefined> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  let ahead = outcomeOf(readPage('', parts, either));
  try {
    for (;;) {
      const page = unwrap(await ahead);
      const last = page.listed.at(-1);
      if (last === undefined) return;
      ahead = outcomeOf(readPage(last.path, parts, either));
      yield page;
    }
  } finally {
    over.abort();
    await ahead;
  }
}
