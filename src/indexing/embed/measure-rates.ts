// Measures how many tokens a model makes of the characters of each script, once for each generation.
import { errorOf } from '../../base/outcome.ts';
import type { EmbeddingProvider } from '../../contracts/embedding.ts';
import { sizeOf } from '../../markdown/chunk/text-size.ts';
import { rateOf, SCRIPT_SAMPLES, SCRIPTS, type TokenRates, USUAL_RATES } from '../../markdown/chunk/token-rates.ts';
import type { JobRecord } from '../jobs/job-record.ts';
import { askProvider } from './ask-provider.ts';
import { concernsOneText } from './embed-chunks.ts';

/** One token for any tokenizer; what a server counts beyond it, it adds to each text. */
const ONE_TOKEN = 'a';

/**
 * The scripts of which the model makes more tokens than the chunker reckons with. A lower count changes nothing, so that a server
 * that counts wrong never makes chunks longer. @throws errors of the provider as a whole
 */
export async function measureRates(job: JobRecord, provider: EmbeddingProvider): Promise<TokenRates> {
  if (!provider.reportsTokens) return USUAL_RATES;
  const least = await tokensOf(ONE_TOKEN, job, provider);
  if (least === undefined) return USUAL_RATES;
  const rates: { -readonly [S in keyof TokenRates]: TokenRates[S] } = {};
  for (const script of SCRIPTS) {
    const sample = SCRIPT_SAMPLES[script];
    const tokens = await tokensOf(sample, job, provider);
    const rate = tokens === undefined ? undefined : rateOf(script, tokens, Math.max(0, least - 1));
    const usual = sizeOf(sample.charAt(sample.length / 2)).tokens;
    if (rate !== undefined && rate > usual) rates[script] = rate;
  }
  return rates;
}

/** Undefined if the server does not say, or refuses the text. */
function tokensOf(text: string, job: JobRecord, provider: EmbeddingProvider): Promise<number | undefined> {
  return askProvider(job, async (call, signal) => {
    const error = await errorOf(provider.embed([{ id: 'sample', text, title: '' }], 'document', call, signal));
    if (error !== undefined && !concernsOneText(error)) throw error;
    return call.trace.tokens;
  });
}
