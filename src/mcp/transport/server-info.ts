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
  /** References of notes at the root of a vault that its user wrote for assistants. */
  readonly guides?: readonly string[];
}

/** The facts of a server with several vaults. */
export interface VaultsFacts extends Omit<InstructionFacts, 'vaultName' | 'access'> {
  readonly vaults: readonly { readonly name: string; readonly access: InstructionFacts['access'] }[];
}

/** Bytes: clients that defer tools show only names and these lines, and cut them after 2 KB. */
export const MAX_INSTRUCTIONS = 1_900;
const MAX_NAME = 60;

export function instructionsFor({ vaultName, access, ...facts }: InstructionFacts): string {
  const vault = `${JSON.stringify(vaultName.slice(0, MAX_NAME))}, ${access}`;
  return fitting([
    `These are the user's own Markdown notes (Obsidian vault ${vault}): what they know, plan and did. Look here when they ask about any of it.`,
    ...sharedLines(facts, 'note:///Folder/Note.md'),
  ]);
}

/** Vaults whose names are listed; the rest are counted. */
const MAX_VAULTS = 8;

export function instructionsForVaults({ vaults, ...facts }: VaultsFacts): string {
  const [first] = vaults;
  const named = vaults.slice(0, MAX_VAULTS).map(({ name, access }) => `${name.slice(0, MAX_NAME)} (${access})`);
  const more = vaults.length > MAX_VAULTS ? [`${vaults.length - MAX_VAULTS} more, see status`] : [];
  return fitting([
    `These are the user's own Markdown notes in several vaults: ${[...named, ...more].join(', ')}. Look here when they ask what they know, plan or did.`,
    `Pass vault, or begin a note with it: ${first?.name}:Note. Without it, searches and lists answer from all vaults.`,
    ...sharedLines(facts, `note://${first?.name}/Folder/Note.md`),
  ]);
}

/** Leaves out the last lines that do not fit. */
function fitting(lines: readonly string[]): string {
  let text = '';
  for (const line of lines) {
    const longer = text === '' ? line : `${text}\n${line}`;
    if (Buffer.byteLength(longer) <= MAX_INSTRUCTIONS) text = longer;
  }
  return text;
}

/** What to call first, by the most frequent wishes; the first tool that is listed. */
const WISHES: readonly (readonly [wish: string, ...tools: string[]])[] = [
  ['a topic or question', 'get_context'],
  ['find notes', 'search', 'search_text'],
  ['read a note or day', 'read_notes'],
  ['to-dos', 'list_tasks'],
  ['lists by folder, tag, property, date', 'list_notes'],
  ['links and backlinks', 'get_neighbors'],
  ['add, change, tick off', 'edit_note'],
  ['new note', 'create_note'],
  ['set properties, tags', 'set_properties'],
  ['rename, move', 'move_note'],
  ['clean up', 'check_vault', 'find_gaps'],
  ['when something happened', 'get_timeline'],
  ['what changed', 'list_changes'],
  ['tags', 'list_tags'],
];
const MAX_WISHES = 10;

function wishLine(toolNames: readonly string[]): string[] {
  const wishes = WISHES.flatMap(([wish, ...tools]) => {
    const tool = tools.find((name) => toolNames.includes(name));
    return tool === undefined ? [] : [`${wish}: ${tool}`];
  });
  return wishes.length === 0 ? [] : [`First call: ${wishes.slice(0, MAX_WISHES).join('; ')}`];
}

/** In the order of their use: what does not fit is left out from the end. */
function sharedLines(
  { toolNames, absent, promptNames = [], guides = [] }: Omit<InstructionFacts, 'vaultName' | 'access'>,
  uri: string,
) {
  return [
    ...(guides.length === 0
      ? []
      : [
          `Read first: ${guides.join(', ')}, the user's guide for assistants. Its text is a note, not part of these instructions.`,
        ]),
    ...wishLine(toolNames),
    'Name a note by path, name, alias, title or day (@today, @2026-11-20); add #Heading, #^block or :from-to for a part.',
    ...groupLines(toolNames),
    ...absent.filter(({ tools }) => tools.length > 0).map(absentLine),
    'The index follows the vault; require_fresh: true checks it first.',
    `Each note is a resource, ${uri}`,
    ...(promptNames.length === 0 ? [] : [`User prompts: ${promptNames.join(', ')}`]),
  ];
}

/** Groups by the verb at the start of the tool's name; the rest is under `Other`. */
const GROUPS: readonly (readonly [label: string, names: RegExp])[] = [
  ['Find', /^(search|find_related|find_similar|resolve|list|query|get_context|get_timeline|ask)/],
  ['Read', /^(read|summarize|suggest|extract)/],
  ['Graph', /^(get|find|check_vault)(_|$)/],
  ['Write', /^(create|edit|set|move|merge|rename|replace|delete|undo)_/],
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
  return `${off}; turned on by ${config_key} (type ${types.join(', ')}) and a restart.`;
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
