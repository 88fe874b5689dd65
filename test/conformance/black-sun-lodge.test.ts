// Compares the export of the public vault black-sun-lodge with a plugin's dump of Obsidian's cache. The dump is older
// than two lines of the vault; those two notes are excluded, all others must be equal.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { publicVault } from '../markdown/links/vault-folder.ts';
import { type ExportedLink, type ExportedNote, exportOnce } from './exported-vault.ts';

const { folder, skip } = publicVault('black-sun-lodge');
const YOUNGER_LINKS = ['Roadmap.md'];
const YOUNGER_HEADINGS = ['Songs/Are You Shivering?.md'];

interface Dumped {
  readonly relativePath: string;
  readonly tags?: readonly string[];
  readonly headings?: readonly { readonly heading: string; readonly level: number }[];
  readonly links?: readonly DumpedLink[];
}
interface DumpedLink {
  readonly link: string;
  readonly relativePath?: string;
  readonly displayText?: string;
}

/** The dump writes only the part of a link after its last `/`, and omits a display text equal to it. */
function dumpedLink({ link, display, path }: ExportedLink): DumpedLink {
  const cut = link.slice(link.lastIndexOf('/') + 1);
  return {
    link: cut,
    ...(path !== null && { relativePath: path }),
    displayText: display,
  };
}

suite('black-sun-lodge equals Obsidian', { skip }, () => {
  let vault: Map<string, ExportedNote>;
  let dump: readonly Dumped[];
  before(async () => {
    vault = await exportOnce(folder);
    const all: readonly Dumped[] = JSON.parse(readFileSync(join(`${folder}.truth`, 'metadata.json'), 'utf8'));
    dump = all.filter(({ relativePath }) => vault.has(relativePath));
  });
  const noteOf = ({ relativePath }: Dumped) => vault.get(relativePath) as ExportedNote;
  const different = (equal: (note: ExportedNote, dumped: Dumped) => boolean) =>
    dump.filter((dumped) => !equal(noteOf(dumped), dumped)).map(({ relativePath }) => relativePath);

  test('773 notes are compared', () => assert.equal(dump.length, 773));

  test('headings: level, text, order', () => {
    const found = different((note, { headings = [] }) => {
      const ours = note.headings.map(({ text, level }) => ({ heading: text, level }));
      return JSON.stringify(ours) === JSON.stringify(headings.map(({ heading, level }) => ({ heading, level })));
    });
    assert.deepEqual(found, YOUNGER_HEADINGS);
  });

  test('tags of body and front matter together, as sets, ignoring case', () => {
    const found = different((note, { tags = [] }) => {
      const ours = new Set(note.tags.map((tag) => tag.slice(1).toLowerCase()));
      return ours.size === tags.length && tags.every((tag) => ours.has(tag));
    });
    assert.deepEqual(found, []);
  });

  test('links in order, then embeds that resolve, with their targets and display texts', () => {
    const found = different((note, { links = [] }) => {
      const ours = note.links.flatMap((link) => {
        const isListed = link.path === null ? link.kind !== 'embed' : link.path.endsWith('.md');
        return isListed ? [{ ...dumpedLink(link), kind: link.kind }] : [];
      });
      const written = ours.filter(({ kind }) => kind === 'wikilink' || kind === 'markdown');
      const embedded = ours.filter(({ kind }) => kind === 'embed');
      const listed = [...written, ...embedded].map(({ kind, ...link }) => link);
      return JSON.stringify(listed.map(comparable)) === JSON.stringify(links.map(comparable));
    });
    assert.deepEqual(found, YOUNGER_LINKS);
  });

  /** If the shortened link starts with `#`, the dump treats it as a link to the note itself. */
  function comparable({ link, relativePath, displayText = link }: DumpedLink) {
    return link.startsWith('#') ? [link, displayText] : [link, relativePath, displayText];
  }
});
