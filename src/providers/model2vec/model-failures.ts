// The errors of a model in a local folder. They name the model by its folder's name, never by its path.
import { type ProviderDetails, VaultgraphError } from '../../base/errors.ts';

/** The `type` in the config. */
export const TYPE = 'model2vec';

/** The errors of one attempt, with the time since it began. */
export interface ModelFailures {
  /** The folder does not exist. */
  missing(cause: unknown): VaultgraphError;
  /** The folder contains no usable model. @param advice what to do, if not to name another model */
  unsuitable(reason: string, cause?: unknown, advice?: string): VaultgraphError;
  /** The disk failed. @param code the errno, such as EACCES */
  unavailable(code: string, cause: unknown): VaultgraphError;
  /** The model has no token of a text, or its tokens say nothing. */
  unknownText(received: string): VaultgraphError;
  /** A text has more tokens than the model reads. */
  tooLong(tokens: number, limit: number): VaultgraphError;
  /** A text has no usable vector or score. */
  badAnswer(expected: string, received: string, cause?: unknown): VaultgraphError;
}

export function failuresOf(
  model: string,
  provider: string = TYPE,
  capability: ProviderDetails['capability'] = 'embedding',
): ModelFailures {
  const beganMs = performance.now();
  const detailsOf = (level: ProviderDetails['level'] = 'call'): ProviderDetails => {
    const elapsed_ms = Math.round(performance.now() - beganMs);
    return { capability, provider, model, attempts: 1, elapsed_ms, level };
  };
  return Object.freeze<ModelFailures>({
    missing: (cause) => {
      const details = { ...detailsOf(), installed: [], auto_pull: 'never' as const };
      return new VaultgraphError('PROVIDER_MODEL_MISSING', details, { cause });
    },
    unsuitable: (reason, cause, advice) => {
      const details = { ...detailsOf(), reason, capabilities: [], ...(advice !== undefined && { advice }) };
      return new VaultgraphError('PROVIDER_MODEL_UNSUITABLE', details, { cause });
    },
    unavailable: (code, cause) =>
      new VaultgraphError('PROVIDER_UNAVAILABLE', { ...detailsOf(), cause_code: code }, { cause }),
    unknownText: (received) => {
      const details = { ...detailsOf('item'), expected: 'a word that the model knows', received };
      return new VaultgraphError('PROVIDER_BAD_RESPONSE', { ...details, unknown_text: true });
    },
    tooLong: (tokens, limit) => new VaultgraphError('PROVIDER_INPUT_TOO_LONG', { ...detailsOf('item'), tokens, limit }),
    badAnswer: (expected, received, cause) =>
      new VaultgraphError('PROVIDER_BAD_RESPONSE', { ...detailsOf('item'), expected, received }, { cause }),
  });
}
