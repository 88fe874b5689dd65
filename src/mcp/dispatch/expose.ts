// Splits the tool catalog into the tools that are available and those whose requirements are not configured.
import { quoted, VaultgraphError } from '../../base/errors.ts';
import type { CapabilityName } from '../../contracts/capability.ts';
import type { AnyTool } from '../../contracts/tool.ts';

/** A tool that is not available, and the config key that turns it on. */
export interface AbsentTool {
  readonly name: string;
  readonly lacks: CapabilityName | 'read-write';
  readonly configKey: string;
  /** Tools to use instead, if they are listed. */
  readonly instead?: readonly string[];
}

export interface Exposed {
  /** By name, in the catalog's order. */
  readonly tools: ReadonlyMap<string, AnyTool>;
  readonly absent: ReadonlyMap<string, AbsentTool>;
}

/** What a protocol error says about a name that is not listed. */
export interface Refusal {
  readonly message: string;
  readonly data: {
    readonly available: readonly string[];
    readonly code?: 'CAPABILITY_NOT_CONFIGURED' | 'READ_ONLY';
    readonly config_key?: string;
  };
}

/** The capabilities that are configured; only the names matter. */
type Configured = Readonly<Partial<Record<CapabilityName, unknown>>>;

/**
 * Splits the catalog by what is configured. Only a vault opened read-write has a writer.
 * @param vaultKey the section of the vault in the config
 */
export function expose(tools: readonly AnyTool[], capabilities: Configured, vaultKey = 'vault'): Exposed {
  const listed = new Map<string, AnyTool>();
  const absent = new Map<string, AbsentTool>();
  for (const tool of tools) {
    const lacks = missingFor(tool, capabilities);
    if (lacks === undefined) listed.set(tool.name, tool);
    else absent.set(tool.name, absentTool(tool, lacks, vaultKey));
  }
  return Object.freeze({ tools: listed, absent });
}

function absentTool({ name, instead }: AnyTool, lacks: AbsentTool['lacks'], vaultKey: string): AbsentTool {
  const configKey = configKeyOf(lacks, vaultKey);
  return Object.freeze({ name, lacks, configKey, ...(instead === undefined ? {} : { instead }) });
}

/** Why a name that is not listed cannot be called. */
export function refuseUnlisted({ tools, absent }: Exposed, name: string): Refusal {
  const available = [...tools.keys()];
  const absence = absent.get(name);
  if (absence === undefined) return { message: `no tool ${quoted(name)}`, data: { available } };
  const { code, message } = absenceError(absence, available);
  const shown = `${message} (${absence.configKey})`;
  return { message: shown, data: { available, code, config_key: absence.configKey } };
}

/** The failure of a call to a tool that the catalog knows and this run lacks. */
export function absenceError(
  { name, lacks, configKey, instead = [] }: AbsentTool,
  available: readonly string[],
): VaultgraphError<'CAPABILITY_NOT_CONFIGURED'> | VaultgraphError<'READ_ONLY'> {
  if (lacks === 'read-write') return new VaultgraphError('READ_ONLY', { tool: name, config_key: configKey });
  const alternatives = instead.filter((other) => available.includes(other));
  return new VaultgraphError('CAPABILITY_NOT_CONFIGURED', {
    tool: name,
    capability: lacks,
    config_key: configKey,
    alternatives,
  });
}

function missingFor(tool: AnyTool, capabilities: Configured): AbsentTool['lacks'] | undefined {
  const missing = tool.needs.find((need) => capabilities[need] === undefined);
  return missing === 'writer' ? 'read-write' : missing;
}

/** The indexer is made of the vault and the store, so it has no key of its own; a feed is kept by some stores. */
function configKeyOf(lacks: AbsentTool['lacks'], vaultKey: string): string {
  if (lacks === 'vault') return `${vaultKey}.path`;
  if (lacks === 'read-write') return `${vaultKey}.access`;
  return lacks === 'indexer' || lacks === 'feed' ? 'providers.store' : `providers.${lacks}`;
}
