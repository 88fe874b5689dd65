// What is open on an Ollama server, whatever its model is asked for: nothing to close, and a model to fetch where that is allowed.
import type { Opened } from '../../contracts/provider.ts';
import { beginAttempt, type ModelServer } from '../model-server/attempt.ts';
import { pullModel } from './pull-model.ts';

export function openedOn<T>(server: ModelServer, capability: T, probe: Opened<T>['probe']): Opened<T> {
  const pull = (onProgress: (share: number) => void, signal: AbortSignal): Promise<void> =>
    pullModel(beginAttempt(server, signal), onProgress);
  return Object.freeze({
    ...{ capability, probe },
    close: async () => undefined,
    ...(server.autoPull === 'once' ? { pull } : {}),
  });
}
