// What every text must be before it is sent to a server of models. Sends nothing.
import { VaultgraphError } from '../../base/errors.ts';
import type { EmbeddingInput } from '../../contracts/embedding.ts';

/** Embedded like any other text, an empty one would be near to everything. @throws INTERNAL */
export function checkTexts(inputs: readonly EmbeddingInput[]): void {
  if (inputs.some(({ text }) => text.trim() === ''))
    throw new VaultgraphError('INTERNAL', { kind: 'an empty text to embed' });
}
