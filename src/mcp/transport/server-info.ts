// Builds the server instructions: available tools, disabled features, and the config keys that enable them.
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

/** Of a server with several vaults. */
export interface VaultsFacts extends Omit<InstructionFacts, 'vaultName' | 'access'> {
  readonly vaults: readonly { readonly name: string; readonly access: InstructionFacts['access'] }[];
}

/** Clients that defer tools show only names and these lines, so they stay under 400 tokens. */
export function instructionsFor({ vaultName, access, ...facts }: InstructionFacts): string {
  return [
    `vaultgraph answers from the notes of the vault ${JSON.stringify(vaultName.slice(0, 60))} and from the links between them. Vault access: ${access}.`,
    ...sharedLines(facts, 'note:///Folder/Note.md'),
  ].join('\n');
}

export function instructionsForVaults({ vaults, ...facts }: VaultsFacts): string {
  const [first] = vaults;
  const names = vaults.map(({ name, access }) => `${name} (${access})`).join(', ');
  return [
    `vaultgraph answers from the notes of several vaults and from the links between them: ${names}.`,
    `Pass vault, or begin a note with its vault: ${first?.name}:Note. Without it, searches and lists answer from all vaults, merged by rank; hits name their vault.`,
    ...sharedLines(facts, `note://${first?.name}/Folder/Note.md`),
  ].join('\n');
}

function sharedLines(
  { toolNames, absent, promptNames = [] }: Omit<InstructionFacts, 'vaultName' | 'access'>,
  uri: string,
) {
  return [
    'A note is named by its path, bare name, alias, title or day (@today, @2026-11-20); add #Heading, #^block or :from-to lines for a part.',
    'The index follows the vault by itself; pass require_fresh: true to check the vault first (fails with INDEX_STALE if that takes too long).',
    ...groupLines(toolNames),
    `Each note is a resource too, ${uri} (percent-encoded), and can be subscribed to.`,
    ...(promptNames.length === 0 ? [] : [`Prompts the user can pick: ${promptNames.join(', ')}`]),
    ...absent.filter(({ tools }) => tools.length > 0).map(absentLine),
  ];
}

/** Groups by the verb at the start of the tool's name; the rest is under `Other`. */
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
  const off = `Off: ${tools.join(', ')} (${capability})`;
  if (types.length === 0) return `${off}; key ${config_key}, this version has no provider for it.`;
  return `${off}; the user turns it on with ${config_key} (type ${types.join(' or ')}) and a restart.`;
}

const SVG = [
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">',
  '<rect width="64" height="64" rx="14" fill="#1f2348"/>',
  '<path d="M19 21L32 40M46 17L32 40M32 40L50 48M19 21L46 17" stroke="#8b93d6" stroke-width="3"/>',
  '<g fill="#c9ceff"><circle cx="19" cy="21" r="6.5"/><circle cx="46" cy="17" r="5"/>',
  '<circle cx="50" cy="48" r="5"/></g><circle cx="32" cy="40" r="8.5" fill="#ffc457"/></svg>',
].join('');

/** The same in 64 by 64 pixels, for clients that cannot show SVG. */
const PNG_BASE64 = [
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAMAAACdt4HsAAAAb1BMVEUAAAAoKFAoKFAoKFAoKFAoKFBQUHigoMjIyP+MjLR4eKDIyPA8PGRQUI',
  'xQZIx4eLRkeKCMjNxkZKCMjMi0yPCgoNw8UHhkZIy0tPB4jMg8PFB4ZFCMeFCgoLTctGT/yFDctHi0oKC0oIxQUFDIoFC0FzuoAAAAJXRSTlMA',
  'M2aZzP//////////////////////////////////////////AKesNQAAAc9JREFUeNq9l9lygzAMRcNisxkbQUPZUtIm//+NHXZsKNhopvctiX',
  'QiCWFLt9sky3GJplzHuqmytb1Hhi25W4buPWIVhU0uyUb6zwSLXNaQhXsd4KISmJJwMQAXVYGhCg4O4OAy6HIwMKae73tU+dIAEPi9gjMADUO6',
  '+//+KHoICKPOJgq3AG8CeEeAYLKSA2UxF/6sA0C4WA0xMMoTAb20ANFiFfFUZLDSh0YK1F/pvvhmIuX5p0YRwzWg6FxFwikbfy3OH6MEyGImWX',
  'K4F2eNJKWgWgJAvNMefxdRMRQAgpwCNo9xVg4A7BywNFKh2JUAKdEAjK3sF4o5B8iIFmB4mWIlYAYAVBfQKwEoNSp4cB5kAMkS1F8VPAB0Vc9X',
  'NE4MAV0SGanqpqmrVM5H90gr4fHV9no+lmAMAOy7nfVDLgDqdqXaHPBqJb2MAW8Z8DYFVK2iyhBQq4DaENCogOa/AegUNkUMKO4xPgEyvnfF6z',
  'bSo79h0u0Vr93KtASA+/bMPxgwaqWCudi7H48mlNdYh/f0IrCdG/p4xBkOlOWzMUBjSjEDUKMi6k1qpoOm2kguftRFD9vocR+/cKBXHvzShV77',
  '8IsnfvXFL9+I9f8XnPFxlFMqOc8AAAAASUVORK5CYII=',
].join('');

interface Icon {
  readonly src: string;
  readonly mimeType: string;
  readonly sizes: string[];
}

/** Inlined in the handshake, so that clients need no request to show them. */
export const ICONS: Icon[] = [
  {
    src: `data:image/svg+xml;base64,${Buffer.from(SVG).toString('base64')}`,
    mimeType: 'image/svg+xml',
    sizes: ['any'],
  },
  { src: `data:image/png;base64,${PNG_BASE64}`, mimeType: 'image/png', sizes: ['64x64'] },
];
