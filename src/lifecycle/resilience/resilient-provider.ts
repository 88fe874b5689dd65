// The one place where the layers of a model's provider are put together: they keep its time and its temper.
import type { ModelProvider } from '../../contracts/model-provider.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';
import { createAlarm } from './alarm.ts';
import { SYSTEM_CLOCK } from './clock.ts';
import { type Ask, createFailover } from './failover.ts';
import { type GuardedEndpoint, guardedEndpoint, type ModelLimits } from './guarded-endpoint.ts';
import { type ProviderName, providerName } from './layer.ts';
import type { ResilientParts } from './resilient-parts.ts';
import { createKnownModel, type Differences, refusalOf } from './same-model.ts';
import { createSender, type Send } from './sender.ts';

/** What is told of a provider behind its layers, and what ends with it. */
export interface Resilient<P> {
  readonly provider: P;
  /** What the opt-ins do now. */
  notes(): readonly string[];
  /** Has the model loaded behind everything else. */
  warmUp(): void;
  close(): void;
}

/** What all models' providers have in common behind their layers. */
export interface Layered<P, Identity> extends Omit<Resilient<P>, 'provider'> {
  readonly send: Send<P>;
  readonly shared: Pick<ModelProvider<Identity>, 'type' | 'model' | 'endpoint' | 'identify' | 'loaded' | 'warmUp'>;
}

export function layeredProvider<Identity, P extends ModelProvider<Identity>>(
  capability: ProviderName['capability'],
  parts: ResilientParts<P, ModelLimits, Identity>,
  differences: Differences<Identity>,
): Layered<P, Identity> {
  const { endpoints, limits, hooks } = parts;
  const alarm = createAlarm(parts.clock ?? SYSTEM_CLOCK);
  const answered = (): void => {
    alarm.ring();
    hooks.onAnswered();
  };
  const guard = (endpoint: P) =>
    guardedEndpoint(providerName(capability, endpoint), endpoint, limits, { ...hooks, onLoaded: answered });
  const [first, ...others] = endpoints;
  const guarded: [GuardedEndpoint<P>, ...GuardedEndpoint<P>[]] = [guard(first), ...others.map(guard)];
  const known = createKnownModel(hooks.storedIdentity);
  const failover = createFailover(guarded, (at, ...rest) => refusalOf(at, known, differences, ...rest), hooks.log);
  const { send, notes } = createSender(guarded[0].name, parts, failover, alarm, answered);
  const identify: Ask<P, Identity> = async (provider, call, signal) => {
    const identity = await provider.identify(call, signal);
    if (provider === first) known.learn(identity);
    return identity;
  };
  const { type, model, endpoint } = first;
  const { loaded, load, warmUp } = guarded[0];
  return Object.freeze({
    shared: {
      ...{ type, model, endpoint, loaded, warmUp: load },
      identify: (call: ProviderCall, signal: AbortSignal) =>
        send({ limit: limits.identify, proves: false }, identify, call, signal),
    },
    send,
    notes: () => [...notes(), ...failover.notes()],
    warmUp: warmUp.begin,
    close: () => {
      for (const each of guarded) each.warmUp.close();
    },
  });
}
