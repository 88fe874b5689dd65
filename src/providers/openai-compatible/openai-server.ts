// What every server of OpenAI's wire is, whatever its models are asked for: its name in the config and its first signs of life.
import { beginAttempt, type ModelServer } from '../model-server/attempt.ts';
import type { Steps } from '../model-server/probe-levels.ts';
import { listModels } from './ask-openai.ts';
import { mayBeSameModel } from './model-name.ts';

export const TYPE = 'openai-compatible';

/** The first two levels of a probe; one request answers both. */
export function listedSteps(server: ModelServer, signal: AbortSignal): Pick<Steps, 'reach' | 'findModel'> {
  let listed: readonly string[] | undefined;
  return {
    reach: async () => {
      listed = await listModels(beginAttempt(server, signal));
      return `a server answers at ${server.endpoint}`;
    },
    findModel: async () => onModel(server.model, listed),
  };
}

/** A list is no proof: some servers take any name, some know more names than they list. What counts is the answer behind it. */
function onModel(model: string, listed: readonly string[] | undefined): string {
  if (listed === undefined) return 'it has no list of models';
  if (listed.some((name) => mayBeSameModel(name, model))) return `${model} is listed`;
  return `${model} is not among the ${listed.length} models listed`;
}
