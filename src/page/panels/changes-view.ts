// Shows what is new in the vault, day by day: what `list_changes` knows, newest first.
import { button, element, part } from '../elements.ts';
import type { Reading } from '../reading.ts';
import { type Changes, faultOf, type NoteChange, type PageFault } from '../source/graph-source.ts';
import { type Sheet, setUpSheet } from './sheet.ts';

const PERIODS = { '7d': 'Last 7 days', '30d': 'Last 30 days', '1980-01-02': 'All that is known' };
/** The feed of changes follows the index within this time. */
const SOON_MS = 2_000;
/** These say what the head of the list says, and what the next look answers. */
const SAID = ['TRUNCATED', 'STALE_UNKNOWN'];

interface Look {
  readonly page: Reading;
  since: string;
  /** Answers that are shown, one after the other. */
  pages: number;
  /** Counts requests, so that a late answer to an earlier one is dropped. */
  requested: number;
  /** What is shown, as text. */
  shown: string;
}

export function setUpChanges(page: Reading): Sheet {
  const look: Look = { page, since: '7d', pages: 1, requested: 0, shown: '' };
  const sheet = setUpSheet(page, 'changes', (place, close) => {
    if (place.childElementCount === 0) begin(look, place, close);
    void load(look);
  });
  part('until-changes').addEventListener('click', sheet.turn);
  return sheet;
}

function begin(look: Look, place: HTMLElement, close: () => void): void {
  const options = Object.entries(PERIODS).map(([value, name]) => element('option', { value }, name));
  const period = element('select', { 'aria-label': 'Period' }, ...options);
  period.value = look.since;
  period.addEventListener('change', () => {
    Object.assign(look, { since: period.value, pages: 1 });
    void load(look);
  });
  Object.assign(look, { pages: 1, shown: '' });
  const back = button({ class: 'plain-button' }, close, 'Back to the graph');
  place.replaceChildren(
    element('div', { class: 'head' }, element('h2', {}, 'What is new'), back),
    element('div', { class: 'head' }, period, element('p', { class: 'quiet', id: 'changes-known' }, 'Looking…')),
    element('div', { id: 'changes-days' }),
  );
}

async function load(look: Look): Promise<void> {
  look.requested += 1;
  const { requested } = look;
  const [outcome] = await Promise.allSettled([answersOf(look)]);
  if (requested !== look.requested || !look.page.view.get().changes) return;
  if (outcome.status === 'rejected') return showFault(faultOf(outcome.reason), look);
  // With a newer graph, other notes can be opened.
  const text = JSON.stringify([look.page.model()?.picture.revision, outcome.value]);
  if (text !== look.shown) show(look, outcome.value);
  look.shown = text;
  if (outcome.value.warnings.some(({ code }) => code === 'STALE_UNKNOWN'))
    setTimeout(() => requested === look.requested && void load(look), SOON_MS);
}

/** The pages that are shown, as one answer. */
async function answersOf({ page, since, pages }: Look): Promise<Changes> {
  const { folder, tag } = page.view.get();
  let whole = await page.source.changes({ since, folder, tag });
  for (let at = 1; at < pages && whole.next_cursor !== undefined; at++) {
    const next = await page.source.changes({ since, folder, tag, cursor: whole.next_cursor });
    whole = { ...next, changes: [...whole.changes, ...next.changes] };
  }
  return whole;
}

function showFault({ message, hint, code }: PageFault, look: Look): void {
  look.shown = '';
  part('changes-known').replaceChildren();
  const again = button({ class: 'plain-button' }, () => void load(look), 'Try again');
  const words = [element('h3', {}, message), element('p', {}, hint), again];
  fill(element('div', { role: 'alert', class: 'nothing' }, ...words, element('p', { class: 'fault-code' }, code)));
}

/** A reader of the keyboard whose button is replaced stays in the sheet. */
function fill(...children: readonly Node[]): void {
  const days = part('changes-days');
  const hadFocus = days.contains(document.activeElement);
  days.replaceChildren(...children);
  if (hadFocus) part('changes').focus();
}

function show(look: Look, answer: Changes): void {
  part('changes-known').replaceChildren(knownText(look, answer));
  part('spoken').textContent = counted(answer.total, 'file changed', 'files changed');
  const warnings = answer.warnings.filter(({ code }) => !SAID.includes(code));
  const days = Object.entries(Object.groupBy(answer.changes, ({ noticed }) => dayOf(noticed)));
  const more = button({ class: 'plain-button' }, () => void addPage(look), 'More');
  fill(
    ...warnings.map(({ message }) => element('p', { class: 'quiet' }, message)),
    ...(answer.total === 0 ? [nothing(look, answer)] : []),
    ...days.flatMap(([day, changes = []]) => [element('h3', {}, day), listOf(changes, look)]),
    ...(answer.next_cursor === undefined ? [] : [more]),
  );
}

async function addPage(look: Look): Promise<void> {
  const before = part('changes-days').querySelectorAll('.change').length;
  look.pages += 1;
  await load(look);
  part('changes-days').querySelectorAll<HTMLElement>('.change')[before]?.focus();
}

function knownText({ page }: Look, { total, known_since: knownSince }: Changes): string {
  const { folder, tag } = page.view.get();
  const within = [folder === undefined ? '' : ` in ${folder}`, tag === undefined ? '' : ` with ${tag}`].join('');
  const since = knownSince === null ? 'no change is known yet' : `changes are known since ${momentOf(knownSince)}`;
  return `${counted(total, 'file', 'files')} changed${within}; ${since}`;
}

function nothing({ since }: Look, { known_since: knownSince }: Changes): Node {
  const period = since === '7d' ? ' in the last 7 days' : since === '30d' ? ' in the last 30 days' : '';
  const why =
    knownSince === null
      ? 'Changes are recorded once the vault has been read to its end.'
      : 'What is created, edited, renamed or deleted from now on, by you or by an assistant, appears here by itself.';
  return element('div', { class: 'nothing' }, element('h3', {}, `Nothing has changed${period}`), element('p', {}, why));
}

function listOf(changes: readonly NoteChange[], look: Look): Node {
  return element('ol', { class: 'changes' }, ...changes.map((change) => changeRow(change, look)));
}

function changeRow(change: NoteChange, look: Look): Node {
  const { path, title, noticed, sections = [], more_sections: more = 0 } = change;
  const isThere = look.page.model()?.nodes.has(path) === true;
  const name = isThere
    ? button({ class: 'note-link' }, () => look.page.choose(path), title)
    : element('span', {}, title);
  const rows = sections.map(({ heading, added, removed }) =>
    element('li', {}, `${heading} `, countsOf(added, removed)),
  );
  if (more > 0) rows.push(element('li', {}, `${more} more ${more === 1 ? 'section' : 'sections'}`));
  return element(
    'li',
    { class: `change ${change.change}`, tabindex: '-1' },
    element('time', { datetime: noticed, class: 'quiet' }, TIME.format(new Date(noticed))),
    element(
      'div',
      {},
      element('p', {}, name, ' ', element('span', { class: 'quiet where' }, placeOf(change))),
      element('p', { class: 'quiet' }, ...whatOf(change)),
      ...(rows.length === 0 ? [] : [element('ul', { class: 'sections quiet' }, ...rows)]),
      ...linkersOf(change, look),
    ),
  );
}

/** What the title leaves open of the path. */
const placeOf = ({ path, title }: NoteChange): string =>
  [title, `${title}.md`].includes(nameOf(path)) ? folderOf(path).slice(0, -1) : path;

const WORDS = {
  created: 'Created',
  edited: 'Edited',
  moved: 'Moved',
  deleted: 'Deleted',
  restored: 'Restored',
  created_and_deleted: 'Created and deleted',
};

function whatOf({ change, path, from, kind, added = 0, removed = 0, changes, by = [], more_by: more = 0 }: NoteChange) {
  const isRenamed = change === 'moved' && folderOf(path) === folderOf(from ?? path);
  const makers = by.map((one) => (typeof one === 'string' ? one : one.tool));
  const facts: (string | Node)[] = [
    `${isRenamed ? 'Renamed' : WORDS[change]}${from === undefined ? '' : ` from ${isRenamed ? nameOf(from) : from}`}`,
    ...(kind === undefined ? [] : [kind]),
    ...(added + removed === 0 ? [] : [countsOf(added, removed)]),
    ...(changes === undefined ? [] : [`${changes} times`]),
    ...(makers.length === 0 ? [] : [`by ${[...makers, ...(more > 0 ? [`${more} more`] : [])].join(', ')}`]),
  ];
  return facts.flatMap((fact, at) => (at === 0 ? [fact] : [' · ', fact]));
}

/** Lines, for the eye and for a screen reader. */
const countsOf = (added: number, removed: number): Node =>
  element('span', { class: 'counts' }, `+${added} −${removed}`, element('span', { class: 'spoken' }, ' lines'));

function linkersOf({ linked_from: linked, links_from_notes: count = 0 }: NoteChange, look: Look): Node[] {
  if (!Array.isArray(linked) || linked.length === 0) return [];
  const links = (linked as string[]).flatMap((path, at) => {
    const name = nameOf(path).replace(/\.md$/, '');
    const isThere = look.page.model()?.nodes.has(path) === true;
    const shown = isThere ? button({ class: 'note-link' }, () => look.page.choose(path), name) : name;
    return at === 0 ? [shown] : [', ', shown];
  });
  const more = count > linked.length ? `, and ${count - linked.length} more` : '';
  return [element('p', { class: 'quiet' }, 'Linked from ', ...links, more)];
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

const TIME = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const DAY = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const DATE = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const DAY_MS = 24 * 60 * 60_000;

function dayOf(iso: string): string {
  const day = DAY.format(new Date(iso));
  if (day === DAY.format(Date.now())) return `Today, ${day}`;
  return day === DAY.format(Date.now() - DAY_MS) ? `Yesterday, ${day}` : day;
}

const momentOf = (iso: string): string => `${DATE.format(new Date(iso))}, ${TIME.format(new Date(iso))}`;
