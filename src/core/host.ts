// What the dispatcher and the MCP methods need of an open vault.
import { homedir } from 'node:os';
import type { Log } from '../base/log.ts';
import type { Store } from '../contracts/store.ts';
import { methodCatalog, promptCatalog } from '../features/catalog.ts';
import { createNoteSigns } from '../features/resources/note-signs.ts';
import { createWriteSession } from '../features/write/write-session.ts';
import type { Config } from '../lifecycle/config/config.ts';
import { createOtherHealth } from '../lifecycle/provider-health.ts';
import type { CallJournal } from '../mcp/dispatch/call-journal.ts';
import { createDispatch, type Dispatch, type Host } from '../mcp/dispatch/dispatch.ts';
import { type Exposed, expose } from '../mcp/dispatch/expose.ts';
import { createPathMask } from '../mcp/render/safe-text.ts';
import type { ServerFeatures } from '../mcp/wire/method.ts';
import { offeredPrompts } from '../mcp/wire/prompt-methods.ts';
import { createServerFeatures } from '../mcp/wire/server-features.ts';
import { foreignText } from '../providers/filesystem/writing/foreign-changes.ts';
import type { Opened } from './open-capabilities.ts';
import type { Report } from './server-report.ts';

interface HostParts {
  readonly config: Config;
  readonly log: Log;
  readonly journal: CallJournal;
  readonly opened: Opened;
  readonly exposed: Exposed;
  readonly report: Report;
}

/** Everything that the dispatcher needs. */
export function createHost({ config, log, journal, opened, exposed, report }: HostParts): Host {
  const { loaded, capabilities, vault, compute, storeCache, recovery, foreign } = opened;
  const { call: callLimitMs, batch, text, image: imageLimit } = config.limits;
  return {
    ...{ exposed, capabilities, compute, storeCache, callLimitMs, imageLimit, report, journal, log },
    argumentLimits: { batch, text },
    writes: createWriteSession(vault.access, loaded.writeLock),
    spansMachines: loaded.writeLock !== undefined,
    isReady: flagFor(loaded.ready),
    damage: () => loaded.damage(),
    unfinished: async () => (await recovery.unfinished()).length,
    foreignChange: () => foreignText(foreign.find()),
    freshness: config.search.freshness,
    firstWaitMs: config.index.first_wait,
    ...(config.vault.consent === 'ask' && { consentMs: config.consent.timeout }),
    ...(config.errors.include_health ? { otherHealth: createOtherHealth(loaded.providers) } : {}),
    mask: createPathMask([
      { folder: config.vaultRoot, shown: '<vault>' },
      { folder: config.dataFolder, shown: '<data>' },
      { folder: homedir(), shown: '~' },
    ]),
  };
}

export const methodHost = (host: Host): Host => ({ ...host, exposed: expose(methodCatalog, host.capabilities) });

/** The MCP methods: tools, prompts, resources and completions. */
export function createFeatures(host: Host, dispatch: Dispatch, store: Store, { mcp }: Config): ServerFeatures {
  const { exposed, callLimitMs, argumentLimits, mask, log } = host;
  return createServerFeatures({
    ...{ exposed, dispatch, callLimitMs, argumentLimits, mask, log },
    prompts: offeredPrompts(promptCatalog, new Set(exposed.tools.keys())),
    ask: createDispatch(methodHost(host)),
    noteSigns: createNoteSigns(store),
    structuredContent: mcp.structured_content,
    outputSchemas: mcp.output_schemas,
    alwaysLoad: mcp.always_load,
  });
}

/** Whether `ready` has resolved, or is absent. */
function flagFor(ready: Promise<void> | undefined): () => boolean {
  let isReady = ready === undefined;
  ready?.then(
    () => {
      isReady = true;
    },
    () => undefined,
  );
  return () => isReady;
}
