// A fake embedding model that knows other languages: what it has a translation of gets the vector of that.
import type { EmbeddingInput, EmbeddingProvider } from '../../src/contracts/embedding.ts';
import { ENGLISH, TRANSLATIONS } from '../../src/indexing/embed/measure-fit.ts';

/** @param known texts by what they are read as, beside the sentences by which languages are measured */
export function translatingModel(provider: EmbeddingProvider, known: Readonly<Record<string, string>>) {
  const sentences = TRANSLATIONS.flatMap((of) => of.map((text, at) => [text, ENGLISH[at] ?? ''] as const));
  const translations = new Map([...sentences, ...Object.entries(known)]);
  const translated = ({ text, ...input }: EmbeddingInput) => ({ ...input, text: translations.get(text) ?? text });
  const embed: EmbeddingProvider['embed'] = (inputs, ...call) => provider.embed(inputs.map(translated), ...call);
  return Object.freeze({ ...provider, embed });
}
