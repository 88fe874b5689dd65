// The few lines a client shows its model before any call: what there is, what is off, and what turns it on.
import type { ServerReport } from '../../contracts/tool.ts';

type AbsentCapability = ServerReport['capabilities']['absent'][number];

export interface InstructionFacts {
  readonly vaultName: string;
  readonly access: 'read-only' | 'read-write';
  /** In the order of the list. */
  readonly toolNames: readonly string[];
  readonly absent: readonly AbsentCapability[];
  /** Those the user can pick; a model cannot call them. */
  readonly promptNames?: readonly string[];
}

/** Clients that defer tools show only names and these lines, so they stay under 400 tokens. */
export function instructionsFor({ vaultName, access, toolNames, absent, promptNames = [] }: InstructionFacts): string {
  return [
    `vaultgraph answers from the notes of the vault ${JSON.stringify(vaultName.slice(0, 60))} and from the links between them. Vault access: ${access}.`,
    'A note is named by its path, bare name, alias, title or day (@today, @2026-11-20); add #Heading, #^block or :from-to lines for a part.',
    'The index follows the vault by itself; any tool that answers from it takes require_fresh: true, which compares it with the vault first or fails with INDEX_STALE.',
    ...groupLines(toolNames),
    'Each note is a resource too, note:///Folder/Note.md (percent-encoded), and can be subscribed to.',
    ...(promptNames.length === 0 ? [] : [`Prompts the user can pick: ${promptNames.join(', ')}`]),
    ...absent.map(absentLine),
  ].join('\n');
}

/** The verb a tool's name begins with tells what it is for; what has none of these stands under `Other`. */
const GROUPS: readonly (readonly [label: string, names: RegExp])[] = [
  ['Find', /^(search|find_related|find_similar|resolve|list|check|get_context|ask)/],
  ['Read', /^(read|summarize|suggest|extract)/],
  ['Graph', /^(get|find)_/],
  ['Write', /^(create|edit|set|move|delete|undo)_/],
];

function groupLines(toolNames: readonly string[]): string[] {
  const groupOf = (name: string): string => GROUPS.find(([, names]) => names.test(name))?.[0] ?? 'Other';
  const labels = [...GROUPS.map(([label]) => label), 'Other'];
  return labels.flatMap((label) => {
    const names = toolNames.filter((name) => groupOf(name) === label);
    return names.length === 0 ? [] : [`${label}: ${names.join(', ')}`];
  });
}

function absentLine({ capability, config_key, tools, types }: AbsentCapability): string {
  const off = tools.length === 0 ? `Off: ${capability}` : `Off: ${tools.join(', ')} (${capability})`;
  if (types.length === 0) return `${off}; key ${config_key}, this version has no provider for it.`;
  return `${off}; the user turns it on with ${config_key} (type ${types.join(' or ')}) and a restart.`;
}
