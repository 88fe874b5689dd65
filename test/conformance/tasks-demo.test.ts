// Compares every field of every note in the export of the public vault tasks-demo with Obsidian's own cache.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { parseNote } from '../../src/markdown/parse/parse-note.ts';
import { assertEach } from '../assert-each.ts';
import { publicVault } from '../markdown/links/vault-folder.ts';
import { type ExportedLink, type ExportedNote, exportOnce } from './exported-vault.ts';

const { folder, skip } = publicVault('tasks-demo');
const TRUTH = `${folder}.truth`;

interface Place {
  readonly start: { readonly line: number; readonly col: number; readonly offset: number };
  readonly end: { readonly offset: number };
}
interface CachedLink {
  readonly link: string;
  readonly displayText?: string;
  readonly key?: string;
  readonly position: Place;
}
interface Cached {
  readonly filePath: string;
  readonly fileContents: string;
  readonly getAllTags: readonly string[];
  readonly parseFrontMatterTags: readonly string[] | null;
  readonly resolveLinkToPath: Readonly<Record<string, string | null>>;
  readonly cachedMetadata: {
    readonly links?: readonly CachedLink[];
    readonly embeds?: readonly CachedLink[];
    readonly frontmatterLinks?: readonly Omit<CachedLink, 'position'>[];
    readonly tags?: readonly { readonly tag: string; readonly position: Place }[];
    readonly headings?: readonly { readonly heading: string; readonly level: number; readonly position: Place }[];
    readonly listItems?: readonly { readonly task?: string; readonly position: Place }[];
    readonly blocks?: Readonly<Record<string, { readonly id: string; readonly position: Place }>>;
    readonly frontmatter?: Readonly<Record<string, unknown>>;
  };
}
type EdgeCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

const readJson = <T>(name: string): T => JSON.parse(readFileSync(join(TRUTH, name), 'utf8'));
const names = existsSync(TRUTH) ? readdirSync(TRUTH).filter((name) => /^(?!.*resolvedLinks).*\.json$/i.test(name)) : [];

interface Position {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

const placeOf = ({ line, column, offset }: Position) => ({ line, column, offset });
const cachedPlace = ({ start }: Place) => ({ line: start.line + 1, column: start.col + 1, offset: start.offset });

function linksOf(note: ExportedNote, ...kinds: ExportedLink['kind'][]) {
  const links = note.links.filter(({ kind }) => kinds.includes(kind));
  return links.map((link) => ({ link: link.link, display: link.display, ...placeOf(link), end: link.end }));
}

function cachedLinks(links: readonly CachedLink[] = []) {
  return links.map(({ link, displayText = '', position }) => {
    return { link, display: displayText, ...cachedPlace(position), end: position.end.offset };
  });
}

/** The cache has aliases only as the raw property; since 1.9 a text with a comma is not split. */
function cachedAliases(raw: unknown): unknown {
  if (Array.isArray(raw)) return raw.filter((alias) => typeof alias === 'string' && alias !== '').map(String);
  return typeof raw === 'string' && raw !== '' && !raw.includes(',') ? [raw] : [];
}

suite('tasks-demo equals Obsidian', { skip }, () => {
  let vault: Map<string, ExportedNote>;
  before(async () => {
    vault = await exportOnce(folder);
  });
  const noteAt = (path: string): ExportedNote => {
    const note = vault.get(path);
    assert.ok(note, `${path} is in the vault`);
    return note;
  };

  test('the cache has 89 notes', () => assert.equal(names.length, 89));

  test('every task: its line and its mark', () => {
    let tasks = 0;
    for (const name of names) {
      const { fileContents, cachedMetadata } = readJson<Cached>(name);
      const cached = (cachedMetadata.listItems ?? []).filter(({ task }) => task !== undefined);
      const expected = cached.map(({ task, position }) => ({ line: position.start.line + 1, mark: task }));
      const found = parseNote(fileContents).tasks;
      assertEach(found, ({ line, mark }) => ({ line, mark }), expected, name);
      tasks += found.length;
    }
    assert.equal(tasks, 221);
  });

  for (const name of names) {
    test(name, () => {
      const truth = readJson<Cached>(name);
      const cached = truth.cachedMetadata;
      const note = noteAt(truth.filePath);
      assert.deepEqual(linksOf(note, 'wikilink', 'markdown'), cachedLinks(cached.links));
      assert.deepEqual(linksOf(note, 'embed'), cachedLinks(cached.embeds));
      assert.deepEqual(
        note.links.filter(({ kind }) => kind === 'property').map(({ key, link, display }) => ({ key, link, display })),
        (cached.frontmatterLinks ?? []).map(({ key, link, displayText }) => ({ key, link, display: displayText })),
      );
      assert.deepEqual(
        note.headings.map((heading) => ({ text: heading.text, level: heading.level, ...placeOf(heading) })),
        (cached.headings ?? []).map(({ heading, level, position }) => {
          return { text: heading, level, ...cachedPlace(position) };
        }),
      );
      assert.deepEqual(
        note.tag_places.filter(({ from }) => from === 'body').map((tag) => ({ tag: tag.tag, ...placeOf(tag) })),
        (cached.tags ?? []).map(({ tag, position }) => ({ tag, ...cachedPlace(position) })),
      );
      assert.deepEqual(note.tags, truth.getAllTags);
      assert.deepEqual(
        note.tag_places.filter(({ from }) => from === 'properties').map(({ tag }) => tag),
        truth.parseFrontMatterTags ?? [],
      );
      assert.deepEqual(
        note.blocks.map(({ id, line }) => ({ id, line })),
        Object.values(cached.blocks ?? {}).map(({ id, position }) => ({ id, line: position.start.line + 1 })),
      );
      assert.deepEqual(note.properties, cached.frontmatter ?? {});
      assert.deepEqual(note.aliases, cachedAliases(cached.frontmatter?.aliases));
    });

    test(`${name}: the targets of links`, () => {
      const { filePath, resolveLinkToPath } = readJson<Cached>(name);
      const links = noteAt(filePath).links.filter(({ kind }) => kind !== 'embed');
      const found = links.map((link) => [link.link, link.path]);
      assert.deepEqual(Object.fromEntries(found), resolveLinkToPath);
    });
  }

  test('every edge, resolved or not, with its count', () => {
    const resolved: Record<string, Record<string, number>> = {};
    const unresolved: Record<string, Record<string, number>> = {};
    for (const [source, note] of vault) {
      for (const { link, subpath, path } of note.links) {
        const edges = path === null ? unresolved : resolved;
        const name = path ?? link.slice(0, link.length - subpath.length).trim();
        edges[source] = { ...edges[source], [name]: (edges[source]?.[name] ?? 0) + 1 };
      }
    }
    assert.deepEqual(edgesOnly(comparable(resolved)), edgesOnly(readJson<EdgeCounts>('resolvedLinks.json')));
    assert.deepEqual(edgesOnly(comparable(unresolved)), edgesOnly(readJson<EdgeCounts>('unresolvedLinks.json')));
  });

  /** Both maps are older than the vault: notes missing from them are skipped, and so is the one that has gained a link since. */
  function comparable(edges: EdgeCounts): EdgeCounts {
    const known = readJson<EdgeCounts>('resolvedLinks.json');
    const younger = 'How To/Find tasks in notes with particular tag.md';
    return Object.fromEntries(Object.entries(edges).filter(([source]) => source in known && source !== younger));
  }

  function edgesOnly(edges: EdgeCounts): EdgeCounts {
    return Object.fromEntries(Object.entries(edges).filter(([, counts]) => Object.keys(counts).length > 0));
  }
});
