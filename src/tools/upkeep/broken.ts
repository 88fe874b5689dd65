// Rules: links to notes, headings and blocks that do not exist.
import { fileKindOf, type NotePath, withoutNoteExtension } from '../../base/note.ts';
import type { ComputeFromIndex } from '../../contracts/session.ts';
import type { LinkedPart, ResolvedLink } from '../../contracts/store.ts';
import { nameDate } from '../../markdown/dates/note-date.ts';
import { type KnownParts, missingParts, withNearest } from '../notes/missing-parts.ts';
import { type Suggestion, suggestNotes } from '../notes/name-index.ts';
import { type Call, type CheckQuery, type CheckRule, type Finding, fixedBy } from './check-rule.ts';
import { knownFiles } from './note-profiles.ts';

interface DeadLink extends Finding {
  readonly name: string;
  readonly count: number;
  /** Among all groups of links. */
  readonly at: number;
}

const GROUPS_AT_ONCE = 1_000;

/** Those with the most links first. */
export const brokenLinks: CheckRule<DeadLink> = {
  find: async ({ granted, call, filter, today }) => {
    const links: DeadLink[] = [];
    for (let offset = 0, total = 1; offset < total; offset += GROUPS_AT_ONCE) {
      const page = { limit: GROUPS_AT_ONCE, offset };
      const groups = await granted.store.unresolved(filter, 0, page, call.signal);
      total = groups.total;
      for (const [row, { name, count }] of groups.groups.entries()) {
        if (!isLeftover(name) && !isAhead(name, today)) links.push({ names: [name], name, count, at: offset + row });
      }
    }
    return links;
  },
  show: async (findings, query) => {
    const { granted, call, filter } = query;
    const meant = await suggestNotes(
      findings.map(({ name }) => name),
      granted.store,
      call,
    );
    const shown: object[] = [];
    const firstLinks = new Map<string, ResolvedLink | undefined>();
    for (const { name, count, at } of findings) {
      const suggestion = meant.get(name);
      if (!firstLinks.has(name)) {
        // Most of the others are next to it.
        const page = { limit: findings.length, offset: at };
        const { groups } = await granted.store.unresolved(filter, 1, page, call.signal);
        for (const group of groups) firstLinks.set(group.name, group.links[0]);
      }
      const first = firstLinks.get(name);
      shown.push({
        name,
        links: count,
        ...placeOf(first),
        ...(suggestion && { suggestion: suggestion.suggestion }),
        ...fixedBy(query, ...callsFor(name, suggestion, first)),
      });
    }
    return shown;
  },
};

/** What a template has not filled in, which is another finding. */
const isLeftover = (name: string): boolean => /\{\{|<%|\$\{/.test(name);

/** A note about a day to come is not missing yet. */
function isAhead(name: string, today: string): boolean {
  const date = nameDate(`${name}.md`)?.date;
  return date !== undefined && date.slice(0, today.length) >= today;
}

/** An address, or what no note can be named, such as `[[|alias]]` means. */
const NOT_A_PATH = /[<>:"|?*\\#^[\]\p{Cc}]|\/\/|(?:^|\/)[. ]|[. ](?:\/|\.md$)/u;

function callsFor(name: string, suggestion: Suggestion | undefined, first: ResolvedLink | undefined): Call[] {
  const isOfNote = fileKindOf(name) === 'note' || !/\.[a-z\d]{1,5}$/i.test(name);
  const path = `${withoutNoteExtension(name).replace(/^(?:\.{0,2}\/)+|\/+$/g, '')}.md`;
  return [
    ...(suggestion === undefined ? [] : [['replace_in_notes', { broken_links: [name] }] as const]),
    ...(isOfNote && !NOT_A_PATH.test(path) ? [['create_note', { path, content: '', dry_run: true }] as const] : []),
    ...(first === undefined ? [] : [['find_gaps', { kind: 'unresolved', note: first.source }] as const]),
  ];
}

const placeOf = (link: ResolvedLink | undefined) => (link === undefined ? {} : { path: link.source, line: link.line });

interface DeadPart extends Finding {
  readonly part: LinkedPart;
}

const keepParts: ComputeFromIndex<KnownParts['checked']> = async (_store, _signal, previous) => previous ?? new Map();

/** Those with the most links first. */
export const brokenParts: CheckRule<DeadPart> = {
  find: async (query) => {
    const { granted, call, filter } = query;
    const linked = await granted.store.linkedParts(filter, call.signal);
    const { profiles } = await knownFiles(query);
    const checked = await call.storeCache.get(keepParts, granted.store, call.signal);
    const hashOf = (path: NotePath) => profiles.get(path)?.hash;
    const missing = await missingParts(linked, granted.store, call.signal, { hashOf, checked });
    return missing
      .filter(({ subpath }) => !isLeftover(subpath))
      .map((part) => ({ names: [nameOf(part), `${part.target}${part.subpath}`], part }));
  },
  show: async (findings, query) => {
    const { granted, call } = query;
    const parts = await withNearest(
      findings.map(({ part }) => part),
      granted.store,
      call.signal,
    );
    return Promise.all(parts.map((part) => shownPart(part, query)));
  },
};

const nameOf = ({ target, subpath }: LinkedPart): string => `${withoutNoteExtension(target)}${subpath}`;

async function shownPart(part: Awaited<ReturnType<typeof withNearest>>[number], query: CheckQuery) {
  const { granted, call, filter } = query;
  const { target, subpath, count, nearest } = part;
  const [first] = await granted.store.linksToPart({ target, subpath }, filter, { limit: 1, offset: 0 }, call.signal);
  return {
    name: nameOf(part),
    links: count,
    ...placeOf(first),
    ...(nearest.length > 0 && { nearest }),
    ...fixedBy(
      query,
      ...(nearest.length > 0 ? [['replace_in_notes', { broken_links: [nameOf(part)] }] as const] : []),
      ...(first === undefined ? [] : [['find_gaps', { kind: 'unresolved', note: first.source }] as const]),
    ),
  };
}
