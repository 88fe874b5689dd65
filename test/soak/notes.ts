// Changes notes like an editor, a file manager or git, and tracks which notes must still exist at the end.
import {
  appendFileSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../bench/random.ts';

export interface Notes {
  /** Vault-relative paths at the last scan; never empty. */
  paths(): readonly [string, ...string[]];
  lookAgain(): void;
  /** The text of a new note, with a mark that stays in the note when it moves. */
  marked(words: string): { readonly text: string; readonly mark: string };
  /** From now on a note with this mark must exist. */
  expect(mark: string): void;
  /** From now on a note with this mark may be missing. */
  giveUp(mark: string): void;
  /** Changes the vault as another program would. @returns the name of the change */
  meddle(): string;
  /** Marks of notes that must exist and are nowhere in the vault, however often it is searched. */
  lost(): Promise<readonly string[]>;
}

const MARK = /\bsoak-mark-\d+\b/g;
const BURST = 40;
/** A search that lists the folders while a client moves a note may find it in neither place. */
const MAX_LOOKS = 20;
const LOOK_EVERY_MS = 100;
/** Other programs create notes here and the tools elsewhere, so that no rename of a program overwrites a tool's note. */
const OURS = 'outside';

export function createNotes(vault: string, random: Random): Notes {
  const expected = new Set<string>();
  let marks = 0;
  let paths: readonly string[] = [];
  let serial = 0;

  const at = (path: string): string => join(vault, path);
  const lookAgain = (): void => {
    paths = globSync('**/*.md', { cwd: vault }).filter((path) => isFile(at(path)));
  };
  const marked: Notes['marked'] = (words) => {
    marks += 1;
    const mark = `soak-mark-${marks}`;
    return { mark, text: `${words}\n\n${mark}\n` };
  };
  const write = (path: string, before = ''): void => {
    const { text, mark } = marked(words());
    writeFileSync(at(path), before + text);
    expected.add(mark);
  };
  const fresh = (folder = `${OURS}/${random.below(5)}`): string => {
    serial += 1;
    mkdirSync(at(folder), { recursive: true });
    return `${folder}/Note ${serial}.md`;
  };
  const somePath = (): string => random.pick(paths as [string, ...string[]]);
  const ours = (): string | undefined => {
    const mine = paths.filter((path) => path.startsWith(`${OURS}/`));
    return mine[random.below(mine.length)];
  };
  const words = (): string =>
    `About #topic${random.below(20)} see [[${basename(somePath(), '.md')}]], word${random.below(500)}.`;

  const save = (path: string, text: string): void => {
    const style = random.below(3);
    if (style === 0) writeFileSync(at(path), text);
    if (style === 1) {
      const temporary = join(dirname(at(path)), `.${basename(path)}.${serial}.tmp`);
      writeFileSync(temporary, text);
      renameSync(temporary, at(path));
    }
    if (style === 2) {
      renameSync(at(path), `${at(path)}~`);
      writeFileSync(at(path), text);
      rmSync(`${at(path)}~`);
    }
  };
  const giveUpIn = (text: string): void => {
    for (const mark of text.match(MARK) ?? []) expected.delete(mark);
  };

  const deeds: Readonly<Record<string, () => void>> = {
    create: () => write(fresh()),
    edit: () => {
      const path = somePath();
      save(path, `${readFileSync(at(path), 'utf8')}${words()}\n`);
    },
    editAgain: () => {
      const path = somePath();
      save(path, `${readFileSync(at(path), 'utf8')}${words()}\n`);
    },
    append: () => appendFileSync(at(somePath()), `- ${words()}\n`),
    rename: () => {
      const path = ours();
      if (path !== undefined) renameSync(at(path), at(fresh()));
    },
    renameCase: () => {
      const path = ours();
      if (path !== undefined)
        renameSync(at(path), at(path.replace(/ote (\d+)/i, random.chance(0.5) ? 'OTE $1' : 'ote $1')));
    },
    moveFolder: () => {
      serial += 1;
      const from = `${OURS}/${random.below(5)}`;
      if (isFolder(at(from))) renameSync(at(from), at(`${OURS}/moved ${serial}`));
    },
    remove: () => {
      const path = ours();
      if (path === undefined) return;
      giveUpIn(readFileSync(at(path), 'utf8'));
      rmSync(at(path));
    },
    folderInstead: () => {
      const path = ours();
      if (path === undefined) return;
      giveUpIn(readFileSync(at(path), 'utf8'));
      rmSync(at(path));
      mkdirSync(at(path));
      write(`${path}/inner.md`);
    },
    burst: () => {
      const folder = `${OURS}/burst ${serial}`;
      for (let n = 0; n < BURST; n += 1) write(fresh(folder));
    },
    touch: () => {
      const now = new Date();
      utimesSync(at(somePath()), now, now);
    },
    brokenYaml: () => write(fresh(), '---\na: b: c\n---\n'),
  };

  return {
    paths: () => paths as [string, ...string[]],
    lookAgain,
    marked,
    expect: (mark) => expected.add(mark),
    giveUp: (mark) => expected.delete(mark),
    meddle: () => {
      lookAgain();
      const name = random.pick(Object.keys(deeds) as [string, ...string[]]);
      unlessGone(deeds[name] ?? lookAgain);
      return name;
    },
    lost: async () => {
      let missing = [...expected];
      for (let look = 1; look <= MAX_LOOKS && missing.length > 0; look += 1) {
        if (look > 1) await sleep(LOOK_EVERY_MS);
        const present = marksIn(vault);
        missing = missing.filter((mark) => !present.has(mark));
      }
      return missing;
    },
  };
}

function marksIn(vault: string): Set<string> {
  const marks = new Set<string>();
  for (const file of globSync(['**/*.md', '.trash/**/*.md'], { cwd: vault }))
    unlessGone(() => {
      for (const mark of readFileSync(join(vault, file), 'utf8').match(MARK) ?? []) marks.add(mark);
    });
  return marks;
}

/** A tool may just have moved the file. */
function unlessGone(deed: () => void): void {
  try {
    deed();
  } catch (thrown) {
    if (
      !(
        thrown instanceof Error &&
        'code' in thrown &&
        ['ENOENT', 'ENOTDIR', 'EEXIST', 'EISDIR'].includes(String(thrown.code))
      )
    )
      throw thrown;
  }
}

const isFile = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
const isFolder = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
