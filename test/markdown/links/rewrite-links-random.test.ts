// Tests random moves in random vaults: every link still leads to the same file, and nothing else changes.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { fileKindOf, type NotePath } from '../../../src/base/note.ts';
import { nameKeyOf, splitLink } from '../../../src/markdown/links/fold.ts';
import { createMovedFiles, type TargetedLink } from '../../../src/markdown/links/link-changes.ts';
import { folderOf, relativePath } from '../../../src/markdown/links/path-spelling.ts';
import { rewriteLinks, targetedLinks } from '../../../src/markdown/links/rewrite-links.ts';
import { decodeText } from '../../../src/markdown/parse/lines.ts';
import { runs } from '../../runner/effort.ts';
import { publicVault, readVault } from './vault-folder.ts';

const FOLDERS = ['', 'a', 'b', 'a/b', 'b/a', 'Long folder', 'a/é'] as const;
const NAMES = [
  'Note.md',
  'note.md',
  'Other.md',
  'N (1).md',
  '2.1 Ti des.md',
  'Écru.md',
  "it's.md",
  'pic.png',
  'z.canvas',
] as const;

type Files = readonly NotePath[];
type Texts = ReadonlyMap<NotePath, string>;

const anyPath = fc
  .tuple(fc.constantFrom(...FOLDERS), fc.constantFrom(...NAMES))
  .map(([folder, name]) => (folder === '' ? name : `${folder}/${name}`) as NotePath);

/** One link to `target` as it may be written in `source`, in the form that `form` chooses. */
function linkTo(source: NotePath, target: NotePath, form: number): string {
  const short = fileKindOf(target) === 'note' && form % 2 === 0 ? target.slice(0, -3) : target;
  const relative = relativePath(folderOf(source), short);
  const name = short.slice(short.lastIndexOf('/') + 1);
  const encoded = (path: string): string => path.replace(/[ ()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  const forms = [
    `[[${name}]]`,
    `[[${short}|shown]]`,
    `![[${name}#Part|100]]`,
    `[[${short.split('/').slice(-2).join('/')}#^id]]`,
    `[[/${short}]]`,
    `[[${relative.startsWith('../') ? relative : `./${relative}`}]]`,
    `[t](${encoded(relative)}#Part)`,
    `![t](<${relative}> "title")`,
    `[t](${encodeURI(name).replace(/[()]/g, escape)})`,
    `[t](${encoded(short)})`,
    `| a |\n|---|\n| [[${name}\\|x]] |`,
  ];
  return forms[form % forms.length] ?? '';
}

const JUNK = [
  '',
  'Plain text.',
  '[[Nowhere]] [x](gone.md)',
  '`[[Note]]`',
  '```\n[[Note]]\n```',
  '%% [[Note]] %%',
  '[[#Part]] [x](#Part)',
  '> quoted [[Note]]',
];

function textOf(path: NotePath, files: Files, seeds: readonly number[]): string {
  const target = (seed: number): NotePath => files[seed % files.length] ?? path;
  const lines = seeds.map((seed) => `${JUNK[seed % JUNK.length]}\n\n${linkTo(path, target(seed), seed >> 4)}`);
  if (fileKindOf(path) === 'canvas') {
    const cards = seeds.map((seed) => ({ type: 'file', file: target(seed) }));
    return JSON.stringify({ nodes: [...cards, { type: 'text', text: lines.join('\n\n') }] }, null, '\t');
  }
  const [first = 0] = seeds;
  const property = linkTo(path, target(first), first >> 4).replace(/[\s\S]*\n/, '');
  const front =
    first % 3 === 0 ? `---\nup: ${JSON.stringify(property)}\nalso: '${property.replaceAll("'", "''")}'\n---\n` : '';
  const reference = `[see][ref]\n\n[ref]: <${relativePath(folderOf(path), target(first + 1))}>`;
  return `${front}${lines.join('\n\n')}\n\n${reference}\n`;
}

const anyVault = fc
  .uniqueArray(anyPath, { minLength: 2, maxLength: 9 })
  .chain((files) =>
    fc.tuple(fc.constant(files), fc.array(fc.array(fc.nat(10_000), { maxLength: 5 }), { minLength: 9, maxLength: 9 })),
  )
  .map(([files, seeds]) => {
    const texts = new Map(
      files.flatMap((path, index): [NotePath, string][] =>
        fileKindOf(path) === 'attachment' ? [] : [[path, textOf(path, files, seeds[index] ?? [])]],
      ),
    );
    return { files, texts };
  });

const candidates = (files: Files) => {
  const byName = Map.groupBy(files, nameKeyOf);
  return (nameKey: string): Files => byName.get(nameKey) ?? [];
};

/** The moves that are possible: onto no other file, and no file twice. */
function movesAmong(files: Files, wanted: readonly (readonly [number, NotePath])[]): Map<NotePath, NotePath> {
  const moved = new Map<NotePath, NotePath>();
  for (const [index, to] of wanted) {
    const from = files[index % files.length];
    if (from === undefined || moved.has(from) || files.includes(to) || [...moved.values()].includes(to)) continue;
    if (fileKindOf(from) === fileKindOf(to)) moved.set(from, to);
  }
  return moved;
}

interface Moved {
  readonly files: Files;
  readonly texts: Texts;
  readonly refused: number;
}

function move({ files, texts }: { files: Files; texts: Texts }, moved: ReadonlyMap<NotePath, NotePath>): Moved {
  const after = files.map((path) => moved.get(path) ?? path);
  const movedFiles = createMovedFiles(moved, candidates(after));
  const before = candidates(files);
  let refused = 0;
  const rewritten = [...texts].map(([path, text]): [NotePath, string] => {
    const result = rewriteLinks(path, text, targetedLinks(path, text, before), movedFiles);
    refused += result.refused.length;
    return [moved.get(path) ?? path, result.text];
  });
  return { files: after, texts: new Map(rewritten), refused };
}

/** The text with a sign for each link, and for the path of its one definition. */
function frameOf(text: string, links: readonly TargetedLink[]): string {
  let frame = text;
  for (const { offset, end, kind } of links.toReversed())
    frame = `${frame.slice(0, offset)}<${kind}>${frame.slice(end)}`;
  return frame.replace(/\[ref\]: <.*>/, '[ref]: <>');
}

suite('after any move', () => {
  const anyMove = fc.tuple(anyVault, fc.array(fc.tuple(fc.nat(20), anyPath), { minLength: 1, maxLength: 4 }));

  test('every link that resolved leads to the same file, and broken links are unchanged', () => {
    fc.assert(
      fc.property(anyMove, ([vault, wanted]) => {
        const moved = movesAmong(vault.files, wanted);
        const now = move(vault, moved);
        assert.equal(now.refused, 0);
        for (const [path, text] of vault.texts) {
          const before = targetedLinks(path, text, candidates(vault.files));
          const newPath = moved.get(path) ?? path;
          const after = targetedLinks(newPath, now.texts.get(newPath) ?? '', candidates(now.files));
          assert.equal(after.length, before.length);
          for (const [index, link] of before.entries()) {
            if (link.target === null) assert.equal(after[index]?.link, link.link);
            else assert.equal(after[index]?.target, moved.get(link.target) ?? link.target, `${path}: ${link.link}`);
            assert.equal(
              splitLink(after[index]?.link ?? '').subpath,
              link.kind === 'canvas' ? '' : splitLink(link.link).subpath,
            );
          }
        }
      }),
      { numRuns: runs(600) },
    );
  });

  test('only links change, and files without an affected link do not change', () => {
    fc.assert(
      fc.property(anyMove, ([vault, wanted]) => {
        const moved = movesAmong(vault.files, wanted);
        const now = move(vault, moved);
        for (const [path, text] of vault.texts) {
          const newPath = moved.get(path) ?? path;
          const newText = now.texts.get(newPath) ?? '';
          const before = targetedLinks(path, text, candidates(vault.files));
          const after = targetedLinks(newPath, newText, candidates(now.files));
          assert.equal(frameOf(newText, after), frameOf(text, before));
          for (const [index, { display }] of before.entries())
            if (['shown', 't', 'x', '100', 'see'].includes(display)) assert.equal(after[index]?.display, display);
        }
        if (moved.size === 0) assert.deepEqual(now.texts, vault.texts);
      }),
      { numRuns: runs(400) },
    );
  });

  test('and the move back all links lead where they led at first', () => {
    fc.assert(
      fc.property(anyMove, ([vault, wanted]) => {
        const moved = movesAmong(vault.files, wanted);
        const there = move(vault, moved);
        const back = move(there, new Map([...moved].map(([from, to]) => [to, from])));
        assert.equal(back.refused, 0);
        for (const [path, text] of vault.texts) {
          const links = (of: string) => targetedLinks(path, of, candidates(vault.files));
          const now = links(back.texts.get(path) ?? '');
          for (const [index, { target }] of links(text).entries())
            if (target !== null) assert.equal(now[index]?.target, target);
        }
      }),
      { numRuns: runs(400) },
    );
  });

  test('and the move back every byte is restored, if names are unique and show their style', () => {
    const SAFE = [0, 2, 4, 6, 7];
    const names = fc.constantFrom('One.md', 'Two 2.md', 'Thrée.md', 'pic (1).png');
    const files = fc
      .uniqueArray(fc.tuple(fc.constantFrom(...FOLDERS), names), { minLength: 2, selector: ([, name]) => name })
      .map((all) => all.map(([folder, name]) => (folder === '' ? name : `${folder}/${name}`) as NotePath));
    const vault = fc.tuple(
      files,
      fc.array(fc.tuple(fc.nat(9), fc.nat(4)), { minLength: 1, maxLength: 6 }),
      fc.nat(9),
      fc.constantFrom(...FOLDERS),
    );
    fc.assert(
      fc.property(vault, ([paths, links, which, folder]) => {
        const write = (path: NotePath): string =>
          links
            .map(([target, form]) => linkTo(path, paths[target % paths.length] ?? path, (SAFE[form] ?? 0) + 11))
            .join('\n');
        const texts = new Map(paths.filter((path) => fileKindOf(path) === 'note').map((path) => [path, write(path)]));
        const from = paths[which % paths.length] as NotePath;
        const to = [folder, from.slice(from.lastIndexOf('/') + 1)].filter((part) => part !== '').join('/') as NotePath;
        if (to === from) return;
        const there = move({ files: paths, texts }, new Map([[from, to]]));
        assert.deepEqual(move(there, new Map([[to, from]])).texts, texts);
      }),
      { numRuns: runs(600) },
    );
  });
});

test('every file of the public vaults moves with all its links', async (t) => {
  for (const name of ['kepano', 'foam-docs', 'tasks-demo']) {
    const { folder, skip } = publicVault(name);
    await t.test(name, { skip }, () => movesOneByOne(folder));
  }
});

/** Moves each file into a folder of its own and back, with those files' links that have one of its names. */
function movesOneByOne(folder: string): void {
  const vault = readVault(folder);
  const files = [...vault.keys()];
  const before = candidates(files);
  const texts = new Map<NotePath, string>();
  for (const [path, bytes] of vault) {
    const { text, encoding } = decodeText(bytes);
    if (['note', 'canvas'].includes(fileKindOf(path)) && encoding === 'utf-8') texts.set(path, text);
  }
  const links = new Map([...texts].map(([path, text]) => [path, targetedLinks(path, text, before)]));
  for (const from of files) {
    const to = `New folder/${from.slice(from.lastIndexOf('/') + 1)}` as NotePath;
    const after = (key: string): Files => {
      const stay = before(key).filter((path) => path !== from);
      return nameKeyOf(to) === key ? [...stay, to] : stay;
    };
    const moved = createMovedFiles(new Map([[from, to]]), after);
    for (const [path, text] of texts) {
      const own = links.get(path) ?? [];
      const isTouched =
        path === from ||
        own.some(
          ({ link }) =>
            moved.nameKeys.has(nameKeyOf(`${splitLink(link).path}.md`)) ||
            moved.nameKeys.has(nameKeyOf(splitLink(link).path)),
        );
      if (!isTouched) continue;
      const result = rewriteLinks(path, text, own, moved);
      assert.deepEqual(result.refused, [], path);
      const now = targetedLinks(path === from ? to : path, result.text, after);
      assert.deepEqual(
        now.map(({ target }) => target),
        own.map(({ target }) => (target === from ? to : target)),
        `${from}: ${path}`,
      );
    }
  }
}
