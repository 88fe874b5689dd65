// One change of each kind on a small vault, for tests that interrupt each of them at each step.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import type { WriteRequest } from '../../../../src/contracts/writer.ts';
import type { VaultFolder } from '../vault-folder.ts';
import { bytes, note, openWorkbench, type Workbench } from './workbench.ts';

export interface Kind {
  readonly title: string;
  /** May first change the vault and the log. */
  readonly request: (bench: Workbench) => WriteRequest;
}

const DECOMPOSED = 'Cafe\u0301.md';
const COMPOSED = DECOMPOSED.normalize('NFC');
/** The spelling of a path on disk. */
export const onDisk = (path: string): string => (path === COMPOSED ? DECOMPOSED : path);

const FILES: Readonly<Record<string, string>> = {
  'Note.md': 'The first note.\r\nIts second line.',
  'Hub.md': 'See [[One]], [[Two]] and [[Note]].\n',
  'Empty.md': '',
  [DECOMPOSED]: 'Spelled apart.\n',
  'Project/One.md': 'One.\n',
  'Project/Two.md': 'Two.\n',
  'Project/Deep/Three.md': 'Three, see [[Two]].\n',
  'Project/Board.canvas': '{"nodes":[]}',
  'Project/lamp.png': '\u0000\u0001png',
  '.trash/Note.md': 'An older note of that name.\n',
  '.obsidian/app.json': '{}',
};

export function fill(folder: VaultFolder): void {
  for (const [path, text] of Object.entries(FILES)) folder.put(path, text);
  chmodSync(join(folder.root, 'Note.md'), 0o640);
}

/** Runs `work` with a vault and a log of its own, and removes them. */
export function inBench<T>(work: (bench: Workbench) => T): T {
  const bench = newBench();
  try {
    return work(bench);
  } finally {
    bench.folder.delete();
  }
}

function newBench(): Workbench {
  const bench = openWorkbench();
  fill(bench.folder);
  return bench;
}

const by = { tool: 'a_test', client: 'a client' };

export const KINDS: readonly Kind[] = [
  {
    title: 'create',
    request: () => ({ ...by, operations: [{ kind: 'create', path: note('New.md'), bytes: bytes('new') }] }),
  },
  {
    title: 'create in new folders',
    request: () => ({ ...by, operations: [{ kind: 'create', path: note('a/b/New.md'), bytes: bytes('new') }] }),
  },
  {
    title: 'create an empty note',
    request: () => ({ ...by, operations: [{ kind: 'create', path: note('Nothing.md'), bytes: bytes('') }] }),
  },
  {
    title: 'replace',
    request: ({ hash }) => ({
      ...by,
      operations: [{ kind: 'replace', path: note('Note.md'), before: hash('Note.md'), bytes: bytes('other') }],
    }),
  },
  {
    title: 'replace a file with another spelling on disk',
    request: ({ hash }) => ({
      ...by,
      operations: [{ kind: 'replace', path: note(COMPOSED), before: hash(DECOMPOSED), bytes: bytes('other') }],
    }),
  },
  {
    title: 'move',
    request: () => ({ ...by, operations: [{ kind: 'move', path: note('Note.md'), to: note('To/Here.md') }] }),
  },
  {
    title: 'move an empty note',
    request: () => ({ ...by, operations: [{ kind: 'move', path: note('Empty.md'), to: note('Project/Empty.md') }] }),
  },
  {
    title: 'move and edit',
    request: ({ hash }) => {
      const path = note('Note.md');
      const move = { kind: 'move', path, to: note('Moved.md'), before: hash(path), bytes: bytes('edited') } as const;
      return { ...by, operations: [move] };
    },
  },
  {
    title: 'respell',
    request: () => ({ ...by, operations: [{ kind: 'move', path: note('Note.md'), to: note('NOTE.md') }] }),
  },
  {
    title: 'trash, beside one of the same name',
    request: ({ hash }) => ({
      ...by,
      operations: [{ kind: 'trash', path: note('Note.md'), before: hash('Note.md') }],
    }),
  },
  {
    title: 'trash the last of a folder',
    request: ({ hash }) => {
      const path = note('Project/Deep/Three.md');
      return { ...by, operations: [{ kind: 'trash', path, before: hash(path) }], emptied: ['Project/Deep'] };
    },
  },
  {
    title: 'remove',
    request: ({ hash }) => ({
      ...by,
      operations: [{ kind: 'remove', path: note('Project/One.md'), before: hash('Project/One.md') }],
    }),
  },
  { title: 'restore', request: (bench) => undoOf(bench, trashed(bench)) },
  {
    title: 'restore although the trashed file was edited',
    request: (bench) => {
      const id = trashed(bench);
      bench.folder.put('.trash/Project/Two.md', 'changed in the trash');
      return undoOf(bench, id);
    },
  },
  {
    title: 'move a folder of five, rewrite two, and leave no empty folder',
    request: ({ hash }) => {
      const moves = ['One.md', 'Two.md', 'Board.canvas', 'lamp.png'].map((name) => {
        const path = note(`Project/${name}`);
        return { kind: 'move', path, to: note(`Archive/Project/${name}`), before: hash(path) } as const;
      });
      const three = note('Project/Deep/Three.md');
      const to = note('Archive/Project/Deep/Three.md');
      const edited = { kind: 'move', path: three, to, before: hash(three), bytes: bytes('Three, see [[x]].') } as const;
      const hub = {
        kind: 'replace',
        path: note('Hub.md'),
        before: hash('Hub.md'),
        bytes: bytes('See [[y]].'),
      } as const;
      return { ...by, operations: [...moves, edited, hub], emptied: ['Project/Deep', 'Project'] };
    },
  },
];

function trashed(bench: Workbench): string {
  const path = note('Project/Two.md');
  return bench.apply({ ...by, operations: [{ kind: 'trash', path, before: bench.hash(path) }] }).id;
}

export function undoOf({ inverse }: Workbench, id: string): WriteRequest {
  const { operations, emptied } = inverse(id);
  return { ...by, operations, emptied, undoes: id };
}
