// Asks a server of models step by step whether it would serve a call: reached, model there, answers right.
import { VaultgraphError } from '../../base/errors.ts';
import { type EmbeddingInput, type EmbeddingProvider, SAMPLE_SENTENCES } from '../../contracts/embedding.ts';
import { dotProduct } from '../../contracts/fingerprint.ts';
import type { Probe, ProbeLevel } from '../../contracts/provider.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';
import { beginAttempt, type ModelServer } from './attempt.ts';
import { badResponse } from './found-failures.ts';

/** Each but `isLoaded` resolves to one line for a person and throws what went wrong. */
export interface Steps {
  reach(): Promise<string>;
  findModel(): Promise<string>;
  /** Undefined where the server does not tell: then it is asked for an answer all the same. */
  isLoaded(): Promise<boolean | undefined>;
  /** Absent where an answer takes longer than a look may. */
  answer?(): Promise<string>;
}

/** @throws what is no failure of the provider, such as the signal's reason */
export async function probeLevels(steps: Steps): Promise<Probe> {
  const levels: ProbeLevel[] = [];
  for (const [level, ask] of [
    ['reachable', steps.reach],
    ['model', steps.findModel],
    ['answers', () => answerIfLoaded(steps)],
  ] as const) {
    const found = await lineOrFailure(ask);
    if (typeof found !== 'string') {
      const { message: detail } = found;
      return { ok: false, detail, levels: [...levels, { level, ok: false, detail }], failure: found };
    }
    levels.push({ level, ok: UNASKED.includes(found) ? 'unknown' : true, detail: found });
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

const NOT_LOADED = 'the model is not in memory, and asking it would load it';
const NOT_ASKED = 'asking the model takes longer than a look';
const UNASKED: readonly string[] = [NOT_LOADED, NOT_ASKED];

async function answerIfLoaded(steps: Steps): Promise<string> {
  if ((await steps.isLoaded()) === false) return NOT_LOADED;
  return steps.answer === undefined ? NOT_ASKED : steps.answer();
}

/** Embedded by a good model, two sentences differ by far more, and one sentence by far less. */
const SAME_VECTOR = 0.999;
const [ONE_SENTENCE = '', OTHER_SENTENCE = ''] = SAMPLE_SENTENCES;

/** One sentence twice and another once, none of them from a note. */
const PROBE_INPUTS: readonly EmbeddingInput[] = Object.freeze([
  { id: 'one', text: ONE_SENTENCE },
  { id: 'again', text: ONE_SENTENCE },
  { id: 'other', text: OTHER_SENTENCE },
]);

/**
 * One line on the vectors of fixed sentences: one for each, the same for the same sentence, another for another.
 * @throws PROVIDER_*, PROVIDER_BAD_RESPONSE where they are not so
 */
export async function answerToProbe(
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
    throw badResponse('the same vector for the same sentence', 'two', attempt);
  if (!(dotProduct(one, other) < SAME_VECTOR))
    throw badResponse('another vector for another sentence', 'the same', attempt);
  return `embeds into ${one.length} dimensions`;
}
