// What `status` tells of the open providers, and what `startup.verify` demands of them.
import { VaultgraphError } from '../base/errors.ts';
import type { ServerReport } from '../contracts/tool.ts';
import type { LoadedProvider } from './probed-provider.ts';

type Present = ServerReport['capabilities']['present'];

/** Every provider is probed, side by side, each under the limit of a probe. @throws the signal's reason */
export function presentCapabilities(providers: readonly LoadedProvider[], signal: AbortSignal): Promise<Present> {
  return Promise.all(providers.map((provider) => presentRow(provider, signal)));
}

async function presentRow(provider: LoadedProvider, signal: AbortSignal): Promise<Present[number]> {
  const { type, model, endpoint, section } = provider;
  const { ok, detail, levels } = await provider.probe(signal);
  const notes = provider.notes();
  return {
    ...{ capability: nameOf(section), type, ok, detail, checked_at: new Date().toISOString() },
    ...(levels === undefined ? {} : { levels }),
    ...(model === undefined ? {} : { model }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

/** `embedding`, and `embedding.fallback` for what stands in for it; what writes shares the section of the vault. */
export const nameOf = ({ provider, path }: LoadedProvider['section']): string =>
  provider.capability === 'writer' ? 'writer' : path.join('.').replace(/^providers\./, '');

/** A start that demands answers may wait so long for them. */
const VERIFY_LIMIT_MS = 10_000;

/** @throws CONFIG_INVALID with the key and the code of every provider that does not pass its probe */
export async function verifyProviders(providers: readonly LoadedProvider[], signal: AbortSignal): Promise<void> {
  const probes = await Promise.all(providers.map(({ probe }) => probe(signal, VERIFY_LIMIT_MS)));
  const faults = providers.flatMap(({ section }, at) => {
    const { ok, detail, failure } = probes[at] ?? { ok: true, detail: '' };
    const key = section.path.join('.');
    const said = failure === undefined ? detail : `[${failure.code}] ${failure.message}`;
    return ok
      ? []
      : [{ ...section.place, key, what: `startup.verify: ${key}: ${said} (vaultgraph doctor tells what to do)` }];
  });
  if (faults.length > 0) throw new VaultgraphError('CONFIG_INVALID', { faults });
}
