// Which tools a config exposes, and which capabilities would add more.

import type { Config } from '../config/config.ts';
import { isSwitchedOn } from '../config/server-settings.ts';
import type { CapabilityName } from '../contracts/capability.ts';
import { isMultilingual } from '../contracts/embedding.ts';
import type { ProvidedCapability } from '../contracts/provider.ts';
import type { ServerReport } from '../contracts/tool.ts';
import { type Exposed, expose } from '../mcp/dispatch/expose.ts';
import { providerCatalog } from '../providers/catalog.ts';
import { toolCatalog, toolCatalogFor } from '../tools/catalog.ts';
import type { Opened } from './open-capabilities.ts';

export const TOOL_NAMES = toolCatalog.map(({ name }) => name);

/** Words that users have for what each tool does, by its name. */
export const TOOL_WORDS: ReadonlyMap<string, string> = new Map(
  toolCatalog.map(({ name, words = '' }) => [name, words]),
);

export function exposeTools(config: Config, { capabilities, embedding }: Opened): Exposed {
  return exposeFor(config, capabilities, embedding !== undefined && isMultilingual(embedding.model));
}

/** The tools that a vault with this config will have; opens nothing. */
export function toolsOf(config: Config): Exposed {
  return exposeFor(config, configuredIn(config), false);
}

/** The optional capabilities that `tools` lack; opens nothing. */
export const absentFrom = (config: Config, tools: Exposed): ServerReport['capabilities']['absent'] =>
  absentCapabilities(configuredIn(config), tools);

function configuredIn({ sections }: Config): Configured {
  const names = sections.map(({ provider }) => [provider.capability, true]);
  const keepsFeed = sections.some(({ provider }) => provider.keepsFeed);
  return { ...Object.fromEntries(names), indexer: true, ...(keepsFeed && { feed: true }) };
}

/** @param multilingual whether the embedding model is one for many languages; no schema depends on it */
function exposeFor(config: Config, configured: Configured, multilingual: boolean): Exposed {
  const { search, index, tools, vaultTools, vaultKey, checks } = config;
  const isOn = isSwitchedOn(tools, vaultTools);
  const { tools: offered } = expose(toolCatalog, configured);
  const catalog = toolCatalogFor({
    textOnly: search.on_embedding_failure === 'text_only',
    mismatched: index.allow_mismatched_query,
    embedding: configured.embedding !== undefined,
    rerank: configured.rerank !== undefined,
    llm: configured.llm !== undefined,
    multilingual,
    checks,
    offers: (name) => isOn({ name }) && offered.has(name),
  });
  return expose(catalog.filter(isOn), configured, vaultKey);
}

const OPTIONAL: readonly ProvidedCapability[] = ['embedding', 'llm', 'rerank'];

type Configured = Parameters<typeof expose>[1];

/** The optional capabilities that are not configured, and the tools that they would add. */
export function absentCapabilities(
  capabilities: Configured,
  { absent }: Exposed,
): ServerReport['capabilities']['absent'] {
  const lacking = (name: CapabilityName): string[] =>
    [...absent.values()].filter((tool) => tool.lacks === name).map((tool) => tool.name);
  return OPTIONAL.filter((name) => capabilities[name] === undefined).map((name) => ({
    capability: name,
    config_key: `providers.${name}`,
    tools: lacking(name),
    types: providerCatalog.filter((provider) => provider.capability === name).map((provider) => provider.type),
  }));
}
