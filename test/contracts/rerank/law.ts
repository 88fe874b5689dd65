// Provides what the contract tests of rerank providers share: scores and sample texts.
import type { RerankProvider } from '../../../src/contracts/rerank.ts';
import { type LawOn, type ModelUnderTest, never, newCall } from '../model-law.ts';

export { createLaw, failureOf, never, newCall } from '../model-law.ts';

export interface RerankUnderTest extends ModelUnderTest<RerankProvider> {
  /** What the model gives each document from now on; absent where its weights decide. */
  scores?(scoreOf: (query: string, document: string) => number): void;
}

export type Law = LawOn<RerankUnderTest>;

export const QUERY = 'when does the tide turn';
export const DOCUMENTS = Object.freeze(['Beans along the wall.', 'The tide does turn at noon.', 'A quiet harbour.']);

export const rerank = (
  { rerank: ask }: RerankProvider,
  documents: readonly string[] = DOCUMENTS,
  query = QUERY,
): Promise<readonly number[]> => ask(query, documents, newCall(), never);
