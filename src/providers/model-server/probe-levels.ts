// Probes a model provider in three levels: it is reachable, it has the model, it answers correctly.
import { VaultgraphError } from '../../base/errors.ts';
import { type EmbeddingInput, type EmbeddingProvider, SAMPLE_SENTENCES } from '../../contracts/embedding.ts';
import { dotProduct } from '../../contracts/fingerprint.ts';
import type { Probe, ProbeLevel } from '../../contracts/provider.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';
import { beginAttempt, type ModelServer } from './attempt.ts';
import { badResponse } from './failures.ts';

/** Each step except `isLoaded` resolves to one line of text for the user, and throws its failure. */
export interface ProbeSteps {
  reach(): Promise<string>;
  findModel(): Promise<string>;
  /** Undefined where the server does not say; then `answer` is called anyway. */
  isLoaded(): Promise<boolean | undefined>;
  /** Absent where an answer would take longer than a probe may. */
  answer?(): Promise<string>;
}

/** @throws errors that are not the provider's, such as the signal's reason */
export async function probeLevels(steps: ProbeSteps): Promise<Probe> {
  const levels: ProbeLevel[] = [];
  for (const [level, ask] of [
    ['reachable', steps.reach],
    ['model', steps.findModel],
    ['answers', () => answerIfLoaded(steps)],
  ] as const) {
    const line = await lineOrFailure(ask);
    if (typeof line !== 'string') {
      const { message: detail } = line;
      return { ok: false, detail, levels: [...levels, { level, ok: false, detail }], failure: line };
    }
    levels.push({ level, ok: SKIPPED.includes(line) ? 'unknown' : true, detail: line });
  }
  return { ok: true, detail: levels.map(({ detail }) => detail).join(', '), levels };
}

async function lineOrFailure(ask: () => Promise<string>): Promise<string | VaultgraphError> {
  try {
    return await ask();
  } catch (thrown) {
    if (!(thrown instanceof VaultgraphError)) throw thrown;
    return thrown;
  }
}

const NOT_LOADED = 'not tested, because the model is not loaded';
const NOT_ASKED = 'not tested, because an answer takes too long';
const SKIPPED: readonly string[] = [NOT_LOADED, NOT_ASKED];

async function answerIfLoaded(steps: ProbeSteps): Promise<string> {
  if ((await steps.isLoaded()) === false) return NOT_LOADED;
  return steps.answer === undefined ? NOT_ASKED : steps.answer();
}

/** Vectors of different sentences are much less similar than this, those of one sentence much more. */
const SAME_VECTOR = 0.999;
const [ONE_SENTENCE = '', OTHER_SENTENCE = ''] = SAMPLE_SENTENCES;

/** One sentence twice and another one once, none from a note. */
const PROBE_INPUTS: readonly EmbeddingInput[] = Object.freeze([
  { id: 'one', text: ONE_SENTENCE },
  { id: 'again', text: ONE_SENTENCE },
  { id: 'other', text: OTHER_SENTENCE },
]);

/**
 * Embeds fixed sentences and checks that equal sentences get equal vectors and different ones different vectors.
 * @throws PROVIDER_*, PROVIDER_BAD_RESPONSE
 */
export async function checkSampleVectors(
  { embed }: EmbeddingProvider,
  server: ModelServer,
  call: ProviderCall,
  signal: AbortSignal,
): Promise<string> {
  const attempt = beginAttempt(server, signal);
  const { succeeded, failed } = await embed(PROBE_INPUTS, 'document', call, signal);
  const [unusable] = failed;
  if (unusable !== undefined) throw unusable.error;
  const [one, again, other] = succeeded.map(({ result }) => result);
  if (one === undefined || !(dotProduct(one, again) >= SAME_VECTOR))
    throw badResponse('equal vectors for equal sentences', 'different ones', attempt);
  if (!(dotProduct(one, other) < SAME_VECTOR))
    throw badResponse('different vectors for different sentences', 'equal ones', attempt);
  return `embeds into ${one.length} dimensions`;
}
