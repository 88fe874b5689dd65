// The errors of a model in a local folder. They name the model by its folder's name, never by its path.
import { type ProviderDetails, VaultgraphError } from '../../base/errors.ts';

/** The `type` in the config. */
export const TYPE = 'model2vec';

/** The errors of one attempt, with the time since it began. */
export interface ModelFailures {
  /** The folder does not exist. */
  missing(cause: unknown): VaultgraphError;
  /** The folder contains no usable model. */
  unsuitable(reason: string, cause?: unknown): VaultgraphError;
  /** The disk failed. @param code the errno, such as EACCES */
  unavailable(code: string, cause: unknown): VaultgraphError;
  /** The model has no token of a text, or its tokens say nothing. */
  unknownText(received: string): VaultgraphError;
  /** A text has no usable vector. */
  badVector(expected: string, received: string, cause?: unknown): VaultgraphError;
}

export function failuresOf(model: string): ModelFailures {
  const beganMs = performance.now();
  const detailsOf = (level: ProviderDetails['level'] = 'call'): ProviderDetails => {
    const elapsed_ms = Math.round(performance.now() - beganMs);
    return { capability: 'embedding', provider: TYPE, model, attempts: 1, elapsed_ms, level };
  };
  return Object.freeze<ModelFailures>({
    missing: (cause) => {
      const details = { ...detailsOf(), installed: [], auto_pull: 'never' as const };
      return new VaultgraphError('PROVIDER_MODEL_MISSING', details, { cause });
    },
    unsuitable: (reason, cause) => {
      const details = { ...detailsOf(), reason, capabilities: [] };
      return new VaultgraphError('PROVIDER_MODEL_UNSUITABLE', details, { cause });
    },
    unavailable: (code, cause) =>
      new VaultgraphError('PROVIDER_UNAVAILABLE', { ...detailsOf(), cause_code: code }, { cause }),
    unknownText: (received) => {
      const details = { ...detailsOf('item'), expected: 'a word that the model knows', received };
      return new VaultgraphError('PROVIDER_BAD_RESPONSE', { ...details, unknown_text: true });
    },
    badVector: (expected, received, cause) =>
      new VaultgraphError('PROVIDER_BAD_RESPONSE', { ...detailsOf('item'), expected, received }, { cause }),
  });
}
