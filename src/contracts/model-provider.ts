// What every provider of a model has in common.
import type { ProviderCall } from './provider-call.ts';

export interface ModelProvider<Identity> {
  /** As in the config. */
  readonly type: string;
  readonly model: string;
  /** URL that texts are sent to, without credentials; null if they stay in this process. */
  readonly endpoint: string | null;
  /** Asks which model answers now. Sends no text of a note. @throws PROVIDER_*, EGRESS_BLOCKED */
  identify(call: ProviderCall, signal: AbortSignal): Promise<Identity>;
  /** Whether the model is in memory; undefined if the server does not report it. @throws PROVIDER_* */
  loaded(signal: AbortSignal): Promise<boolean | undefined>;
  /** Loads the model into memory, without any text. @throws PROVIDER_* */
  warmUp(signal: AbortSignal): Promise<void>;
}
