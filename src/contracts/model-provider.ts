// What every provider that serves a model is, whatever it makes of texts.
import type { ProviderCall } from './provider-call.ts';

export interface ModelProvider<Identity> {
  /** As in the YAML. */
  readonly type: string;
  readonly model: string;
  /** Where texts go, without credentials; null where they stay in this process. */
  readonly endpoint: string | null;
  /** What its answers are made by, asked anew each time. No text of a note is sent. @throws PROVIDER_*, EGRESS_BLOCKED */
  identify(call: ProviderCall, signal: AbortSignal): Promise<Identity>;
  /** Whether the model is in memory; undefined where the server does not tell. @throws PROVIDER_* */
  loaded(signal: AbortSignal): Promise<boolean | undefined>;
  /** Has the model loaded, without any text. @throws PROVIDER_* */
  warmUp(signal: AbortSignal): Promise<void>;
}
