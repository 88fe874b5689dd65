// What tests of views share: random calls, and the parts of their answers that two servers have in common.
import type { Random } from '../bench/random.ts';
import { argumentsFor, type Words } from './random-arguments.ts';
import type { RawReply } from './raw-server.ts';
import { NOTE_PATHS, TWINS } from './views-vault.ts';

export const WORDS: Words = [
  'tide',
  ...NOTE_PATHS,
  ...TWINS,
  ...NOTE_PATHS.map((path) => path.replace(/^.*\/|\.md$/g, '')),
  ...[
    'Twin',
    'twin',
    'Work',
    'Work/',
    'Work/Diary',
    'work/diary/',
    'Home/',
    'Home/Plans/',
    'Archive (old)/',
    'Nowhere/',
  ],
  ...[
    'Work/Diary/New.md',
    'work/diary/Twin.md',
    'Home/New.md',
    'Work/New.md',
    'New',
    'home/plans/x.md',
    'Index#Berths',
  ],
  ...['Work/Diary/Index 2.md#Berths', 'Harbour:1-3', 'Alias of 10', 'Alias of 23', 'Ubrefahrt', 'Harbor 2', 'Anker 3'],
  ...[
    'lamp.svg',
    'Work/lamp.svg',
    'Home/secret.png',
    'Home/Board.canvas',
    'Work/All.base',
    'Table',
    '@today',
    '@2026-11-20',
  ],
  ...[
    'log',
    '#log',
    'place',
    'place/home',
    '#place/work',
    'place/archiveold',
    'rank',
    'aliases',
    'spring tide',
    'quay',
    'ferry',
  ],
  ...[
    'mend',
    'net',
    'harbor',
    'nobody',
    'canvas',
    '"spring tide"',
    '*',
    '',
    ' ',
    '..',
    '../Notes/Index.md',
    '.obsidian',
    '\0',
  ],
  ...[
    'name',
    'asc',
    'desc',
    'any',
    'all',
    'unresolved',
    'orphans',
    'dead_ends',
    'mentions',
    'duplicates',
    'stale',
    'pagerank',
  ],
  ...['in', 'out', 'both', 'full', 'content', '2024-02-10', 'today', 'last week', '$plan', '$change', '$etag'],
];

const MASKS: readonly (readonly [pattern: RegExp, shown: string])[] = [
  [/(?:plan|job|e)_[0-9A-Za-z]{8,}|chg_[0-9a-z]{9}_[0-9a-f]{6}/g, '<id>'],
  // When the watcher reported the files that a tool wrote; what it reports of hidden files is another test.
  [/Warning \[INDEX_PENDING\][^\\]*\\n/g, ''],
  [/\{"code":"INDEX_PENDING"[^}]*\},?/g, ''],
  [/,?"warnings":\[\]/g, ''],
  [/(?:\\n)?index: (?:as_of|indexed)[^"\\]*|,"meta":\{"index":\{[^}]*\}\}/g, ''],
  [/revision"?:? ?\d+/g, '<revision>'],
  // How many jobs the first scan took.
  [/(?:[`"]|\\")<id>(?:[`"]|\\")(?:, ?(?:[`"]|\\")<id>(?:[`"]|\\"))*/g, '<ids>'],
  // A file that changed within a step of the clock is read once more.
  [/(changed|done|indexed)("?[=:])\d+(?=[^{}\\]*failed)/g, '$1$2<read>'],
  [/20(?:2[6-9]|[3-9]\d)-\d\d-\d\dT[\d:.]+Z/g, '<now>'],
  // Each server has a feed of changes of its own.
  [/\b[0-9a-f]{10}-[0-9a-z]{1,9}\b/g, '<position>'],
  // The cursor of list_changes has the time that `since` means.
  [/\b([0-9a-z]+)-[0-9a-z]{8}-([0-9a-z]+-[0-9a-z]+\.)[\w-]{12}/g, '$1-<time>-$2<mark>'],
  [/("[a-z_]*_ms\\?"|[a-z_]*_ms=|after|Retry: possible after):?[ ]?[\d.]+/g, '$1<ms>'],
  [/\b\d+ ms\b/g, '<ms>'],
  [/vaultgraph-test-\w+/g, '<folder>'],
];

export function masked(reply: RawReply): string {
  const { id: _id, ...rest } = reply;
  const data = rest.result?.structuredContent?.data;
  // How long calls took, and how the threads shared the work.
  if (data?.timings !== undefined) {
    for (const key of ['timings', 'counters', 'jobs', 'started_at', 'state_folder']) delete data[key];
    delete data.index.watching;
    delete data.index.running;
    delete data.index.pending;
    delete rest.result.content;
  }
  return MASKS.reduce((text, [pattern, shown]) => text.replace(pattern, shown), JSON.stringify(rest));
}

/** Both texts from a little before the place where they begin to differ. */
export function firstDifference(one: string, other: string): [string, string] {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return [one.slice(Math.max(0, at - 200), at + 200), other.slice(Math.max(0, at - 200), at + 200)];
}

export type Message = Readonly<{ method: string; params?: object }>;

export function randomMessage(
  random: Random,
  tools: readonly { name: string; inputSchema: object }[],
  often: number,
): Message {
  const kind = random.below(12);
  if (kind === 0) return { method: 'resources/list' };
  if (kind === 1) return { method: 'resources/read', params: { uri: `note:///${encodeURI(random.pick(WORDS))}` } };
  if (kind === 2) {
    const ref = { type: 'ref/prompt', name: random.chance(0.5) ? 'explain_topic' : 'connect_note' };
    const argument = { name: ref.name === 'explain_topic' ? 'topic' : 'note', value: random.pick(WORDS).slice(0, 5) };
    return { method: 'completion/complete', params: { ref, argument } };
  }
  const { name, inputSchema } = tools[random.below(tools.length)] ?? { name: '', inputSchema: {} };
  const given = argumentsFor(random, WORDS, inputSchema, often) as object;
  // The copy has other times of creation.
  if (['random', 'created'].includes(Object(given).sort)) Object.assign(given, { sort: 'title' });
  if (name === 'reindex') Object.assign(Object(given), { wait_ms: 5_000 });
  return { method: 'tools/call', params: { name, arguments: given } };
}
