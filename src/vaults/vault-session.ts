// What one session of a client sees: the tools, prompts and resources of a list of vaults.
import type { Log } from '../base/log.ts';
import { URIS_OF_SEVERAL } from '../base/note-uri.ts';
import { TOOL_NAMES } from '../core/exposed-tools.ts';
import { methodCatalog, promptCatalog } from '../features/catalog.ts';
import type { Config } from '../lifecycle/config/config.ts';
import type { CallJournal } from '../mcp/dispatch/call-journal.ts';
import { type Answering, createAnswering, type Dispatch } from '../mcp/dispatch/dispatch.ts';
import { type Exposed, expose } from '../mcp/dispatch/expose.ts';
import type { PathMask } from '../mcp/render/safe-text.ts';
import type { VaultMember } from '../mcp/vaults/member.ts';
import { signsOfVaults } from '../mcp/vaults/note-signs.ts';
import { promptsOfVaults } from '../mcp/vaults/offered-prompts.ts';
import { offeredTools } from '../mcp/vaults/offered-tools.ts';
import { createVaultRuns } from '../mcp/vaults/run-in-vaults.ts';
import { createMethodRuns } from '../mcp/vaults/run-methods.ts';
import type { ServerFeatures } from '../mcp/wire/method.ts';
import { createServerFeatures } from '../mcp/wire/server-features.ts';

export interface SessionParts {
  /** The vaults that the session sees, in the order in which equal ranks are listed. */
  readonly members: readonly VaultMember[];
  /** The settings of the server. */
  readonly settings: Pick<Config, 'limits' | 'mcp'>;
  readonly journal: CallJournal;
  readonly mask: PathMask;
  readonly log: Log;
  readonly otherHealth?: NonNullable<Answering['otherHealth']>;
}

export interface VaultSession {
  readonly exposed: Exposed;
  /** Calls a listed tool. */
  readonly call: Dispatch;
  /** The MCP methods for a client. */
  readonly offer: ServerFeatures;
}

/** Opens nothing. */
export function createVaultSession({ members, settings, ...parts }: SessionParts): VaultSession {
  const { limits, mcp } = settings;
  const exposed = offeredTools(members, TOOL_NAMES);
  const argumentLimits = { batch: limits.batch, text: limits.text };
  const runs = { members, argumentLimits, callLimitMs: limits.call, log: parts.log };
  const { run, vaultOf } = createVaultRuns(runs);
  const aboutFailure: Answering['aboutFailure'] = (error) => {
    const vault = vaultOf(error);
    return vault === undefined ? {} : { vault };
  };
  const call = createAnswering({ ...parts, exposed, aboutFailure }, run);
  const methods = { ...parts, exposed: expose(methodCatalog, { vault: true, store: true }) };
  const offer = createServerFeatures({
    ...{ exposed, dispatch: call, callLimitMs: limits.call, argumentLimits, mask: parts.mask, log: parts.log },
    prompts: promptsOfVaults(members, promptCatalog),
    ask: createAnswering(methods, createMethodRuns(runs)),
    noteSigns: signsOfVaults(members),
    uris: URIS_OF_SEVERAL,
    structuredContent: mcp.structured_content,
    outputSchemas: mcp.output_schemas,
    alwaysLoad: mcp.always_load,
  });
  return Object.freeze({ exposed, call, offer });
}
