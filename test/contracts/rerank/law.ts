// Provides what the contract tests of rerank providers share: opening, scores and sample texts.
import { it, type TestContext } from 'node:test';
import type { RerankProvider } from '../../../src/contracts/rerank.ts';
import { never, newCall } from '../embedding/law.ts';

export { assertAborted, never, newCall } from '../embedding/law.ts';
export { failureOf } from '../llm/law.ts';

export interface RerankUnderTest {
  readonly provider: RerankProvider;
  /** What the model gives each document from now on; absent where its weights decide. */
  scores?(scoreOf: (query: string, document: string) => number): void;
  /** From now on no request is answered; absent where nothing can be made to hang. */
  hang?(): void | Promise<void>;
  /** From now on every request fails; absent where nothing can be made to fail. */
  fail?(): void | Promise<void>;
  /** Ends both. */
  heal?(): void | Promise<void>;
  close(): Promise<void>;
}

export type Law = (title: string, check: (under: RerankUnderTest, context: TestContext) => Promise<void>) => void;

export function createLaw(open: () => Promise<RerankUnderTest>): Law {
  return (title, check) => {
    it(title, async (context) => {
      const under = await open();
      try {
        await check(under, context);
      } finally {
        await under.close();
      }
    });
  };
}

export const QUERY = 'when does the tide turn';
export const DOCUMENTS = Object.freeze(['Beans along the wall.', 'The tide does turn at noon.', 'A quiet harbour.']);

export const rerank = (
  { rerank: ask }: RerankProvider,
  documents: readonly string[] = DOCUMENTS,
  query = QUERY,
): Promise<readonly number[]> => ask(query, documents, newCall(), never);
