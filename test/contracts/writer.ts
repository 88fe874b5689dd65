// Registers the contract tests of writers; the test of a provider runs them against its own files.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contentHash } from '../../src/base/content-hash.ts';
import type { ErrorCode, VaultgraphError } from '../../src/base/errors.ts';
import type { NotePath } from '../../src/base/note.ts';
import type { Change, FileOperation, Writer } from '../../src/contracts/writer.ts';

export interface WriterUnderTest {
  readonly writer: Writer;
  put(path: string, content: string | Uint8Array): void;
  remove(path: string): void;
  /** Undefined where no file is. */
  read(path: string): Uint8Array | undefined;
  /** Every file, with those in the trash, in the order of their paths. */
  list(): readonly string[];
  /** Makes the whole vault go away, as a drive that is unplugged. */
  vanish(): void;
  close(): Promise<void>;
}

const NOTES: Readonly<Record<string, string>> = {
  'Harbour.md': '# Harbour\n\nSee [[Lighthouse]].\n',
  'Places/Lighthouse.md': 'The lamp turns.\r\nTwice.',
  'Places/灯塔.md': '灯光。\n',
  'Board.canvas': '{}',
  'img/lamp.svg': '<svg/>',
  'Empty.md': '',
};

const FORBIDDEN = [
  '',
  '..',
  '../outside.md',
  'Places/../../outside.md',
  './Harbour.md',
  '/etc/hostname.md',
  'C:/Windows/win.md',
  'C:\\Windows\\win.md',
  'Places\\..\\..\\outside.md',
  'Places//Lighthouse.md',
  'Places/',
  'Harbour.md\0.md',
  '.obsidian/app.md',
  '.trash/Gone.md',
  'Places/.hidden.md',
  'node_modules/read me.md',
  'Places/half written.md.tmp',
];

const { signal } = new AbortController();
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const path = (given: string): NotePath => given as NotePath;
const hash = (text: string): string => contentHash(bytes(text));
const hashOf = (note: string): string => hash(NOTES[note] ?? '');

const create = (note: string, text: string) => ({ kind: 'create', path: path(note), bytes: bytes(text) }) as const;
const replace = (note: string, text: string, before = hashOf(note)) =>
  ({ kind: 'replace', path: path(note), before, bytes: bytes(text) }) as const;
const move = (note: string, to: string) => ({ kind: 'move', path: path(note), to: path(to) }) as const;
const trash = (note: string, before = hashOf(note)) => ({ kind: 'trash', path: path(note), before }) as const;

/** @param open a fresh, empty vault per law */
export function writerLaws(name: string, open: () => Promise<WriterUnderTest>): void {
  const law = (title: string, check: (under: WriterUnderTest) => Promise<void>): void => {
    it(title, async () => {
      const under = await open();
      try {
        for (const [note, content] of Object.entries(NOTES)) under.put(note, content);
        await check(under);
      } finally {
        await under.close();
      }
    });
  };
  const apply = ({ writer }: WriterUnderTest, ...operations: FileOperation[]) =>
    writer.apply({ operations, tool: 'a_tool', client: 'a client' }, signal);
  const text = (under: WriterUnderTest, note: string): string | undefined => {
    const content = under.read(note);
    return content === undefined ? undefined : Buffer.from(content).toString();
  };
  const contents = (under: WriterUnderTest): Record<string, string | undefined> =>
    Object.fromEntries(under.list().map((note) => [note, text(under, note)]));
  const undo = async (under: WriterUnderTest, id?: string): Promise<Change> => {
    const { change, operations, emptied } = await under.writer.inverse(id, signal);
    return under.writer.apply({ operations, emptied, undoes: change.id, tool: 'undo', client: '' }, signal);
  };
  /** That it is refused, and that no byte of the vault is another than before. */
  async function refused(under: WriterUnderTest, code: ErrorCode, work: () => Promise<unknown>): Promise<object> {
    const before = contents(under);
    const [outcome] = await Promise.allSettled([work()]);
    assert.equal(outcome.status, 'rejected', `not refused with ${code}`);
    const error = outcome.status === 'rejected' ? (outcome.reason as VaultgraphError) : undefined;
    assert.equal(error?.code, code);
    assert.deepEqual(contents(under), before);
    return error?.details ?? {};
  }

  describe(`${name} meets the contract of a writer`, () => {
    law('creates a note with exactly the given bytes, and its missing folders', async (under) => {
      const odd = new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0x0d, 0x0a, 0xff, 0x00]);
      const change = await apply(under, { kind: 'create', path: path('New/deep/Odd.md'), bytes: odd });
      assert.deepEqual(new Uint8Array(under.read('New/deep/Odd.md') ?? []), odd);
      const { id, time, machine, ...reported } = change;
      assert.match(id, /^chg_/);
      assert.match(String(machine), /^\S+/);
      assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000);
      const file = { kind: 'create', path: 'New/deep/Odd.md', before: null, after: contentHash(odd) };
      assert.deepEqual(reported, { tool: 'a_tool', client: 'a client', files: [file], state: 'done', kept: [] });
    });

    law('V6 refuses to create over anything, in any case or normal form', async (under) => {
      under.put('Caf\u00e9.md', 'x');
      for (const taken of [
        'Harbour.md',
        'HARBOUR.md',
        'harbour.MD',
        'places/灯塔.md',
        'Caf\u00e9.md',
        'CAF\u00c9.md',
      ]) {
        const code = taken.startsWith('places/') ? 'PATH_NOT_ALLOWED' : 'NOTE_EXISTS';
        await refused(under, code, () => apply(under, create(taken, 'mine')));
      }
      await refused(under, 'PATH_NOT_ALLOWED', () => apply(under, create('Harbour.md/In a note.md', 'mine')));
      await refused(under, 'NOTE_EXISTS', () => apply(under, create('One.md', '1'), create('ONE.md', '2')));
    });

    law('replaces the expected content, and refuses other content with both hashes', async (under) => {
      const change = await apply(under, replace('Harbour.md', 'Calm.\r\n'));
      assert.equal(text(under, 'Harbour.md'), 'Calm.\r\n');
      assert.deepEqual(change.files, [
        { kind: 'replace', path: 'Harbour.md', before: hashOf('Harbour.md'), after: hash('Calm.\r\n') },
      ]);
      const details = await refused(under, 'WRITE_CONFLICT', () => apply(under, replace('Harbour.md', 'Storm.')));
      assert.deepEqual(details, {
        path: 'Harbour.md',
        if_match: hashOf('Harbour.md'),
        current_etag: hash('Calm.\r\n'),
      });
    });

    law('reports a deleted note as changed', async (under) => {
      for (const operation of [replace('Gone.md', 'x'), trash('Gone.md'), { ...move('Gone.md', 'b.md'), before: 'x' }])
        assert.ok(!('current_etag' in (await refused(under, 'WRITE_CONFLICT', () => apply(under, operation)))));
      await refused(under, 'FILE_UNREADABLE', () => apply(under, move('Gone.md', 'There.md')));
    });

    law('moves notes and attachments unchanged, or with new bytes', async (under) => {
      const edited = { ...move('Places/灯塔.md', '灯塔.md'), before: hashOf('Places/灯塔.md'), bytes: bytes('另一个') };
      const { files } = await apply(
        under,
        move('Harbour.md', 'Sea/Harbour.md'),
        move('img/lamp.svg', 'lamp.svg'),
        edited,
      );
      assert.deepEqual(contents(under), {
        'Board.canvas': NOTES['Board.canvas'],
        'Empty.md': '',
        'Places/Lighthouse.md': NOTES['Places/Lighthouse.md'],
        'Sea/Harbour.md': NOTES['Harbour.md'],
        'lamp.svg': NOTES['img/lamp.svg'],
        '灯塔.md': '另一个',
      });
      assert.deepEqual(
        files.map(({ kind, path: from, to, before, after }) => [kind, from, to, before, after]),
        [
          ['move', 'Harbour.md', 'Sea/Harbour.md', hashOf('Harbour.md'), hashOf('Harbour.md')],
          ['move', 'img/lamp.svg', 'lamp.svg', hashOf('img/lamp.svg'), hashOf('img/lamp.svg')],
          ['move', 'Places/灯塔.md', '灯塔.md', hashOf('Places/灯塔.md'), hash('另一个')],
        ],
      );
    });

    law('V6 refuses to move over anything, and to another kind of file', async (under) => {
      for (const to of ['Empty.md', 'EMPTY.md', 'Harbour.md'])
        await refused(under, 'NOTE_EXISTS', () => apply(under, move('Harbour.md', to)));
      for (const to of ['Harbour.txt', 'Harbour', 'Harbour.canvas'])
        await refused(under, 'PATH_NOT_ALLOWED', () => apply(under, move('Harbour.md', to)));
    });

    law('V10 renames a note by its case alone', async (under) => {
      await apply(under, move('Harbour.md', 'HARBOUR.md'));
      assert.ok(under.list().includes('HARBOUR.md'));
      assert.ok(!under.list().includes('Harbour.md'));
      await undo(under);
      assert.deepEqual(contents(under), Object.fromEntries(Object.entries(NOTES).toSorted(byPath)));
    });

    law('moves a note to the trash under a free name, and restores it', async (under) => {
      under.put('.trash/Harbour.md', 'older');
      const [file] = (await apply(under, trash('Harbour.md'))).files;
      assert.deepEqual(file, {
        ...{ kind: 'trash', path: 'Harbour.md', to: '.trash/Harbour 1.md' },
        ...{ before: hashOf('Harbour.md'), after: null },
      });
      assert.equal(text(under, 'Harbour.md'), undefined);
      assert.equal(text(under, '.trash/Harbour 1.md'), NOTES['Harbour.md']);
      await undo(under);
      assert.equal(text(under, 'Harbour.md'), NOTES['Harbour.md']);
      assert.deepEqual(
        under.list().filter((note) => note.startsWith('.trash/')),
        ['.trash/Harbour.md'],
      );
    });

    law('moves several notes of one name to the trash, also if their free names would collide', async (under) => {
      under.put('.trash/a.md', 'old');
      for (const note of ['a.md', 'a 1.md', 'b/a.md']) under.put(note, note);
      await apply(under, ...['a.md', 'a 1.md', 'b/a.md'].map((note) => trash(note, hash(note))));
      const trashed = under.list().filter((note) => note.startsWith('.trash/'));
      assert.equal(trashed.length, 4);
      assert.deepEqual(new Set(trashed.map((note) => text(under, note))), new Set(['old', 'a.md', 'a 1.md', 'b/a.md']));
    });

    law('restores a note that was changed in the trash, and keeps the changed copy', async (under) => {
      await apply(under, trash('Harbour.md'));
      under.put('.trash/Harbour.md', 'theirs');
      await undo(under);
      assert.deepEqual([text(under, 'Harbour.md'), text(under, '.trash/Harbour.md')], [NOTES['Harbour.md'], 'theirs']);
    });

    law('restores a note that was removed from the trash', async (under) => {
      await apply(under, trash('Places/Lighthouse.md'));
      under.remove('.trash/Places/Lighthouse.md');
      await undo(under);
      assert.equal(text(under, 'Places/Lighthouse.md'), NOTES['Places/Lighthouse.md']);
    });

    law('V14 applies a request completely or not at all', async (under) => {
      const good = [create('New.md', 'new'), replace('Harbour.md', 'Calm.'), move('Empty.md', 'Full.md')];
      for (const [code, bad] of [
        ['NOTE_EXISTS', create('Places/Lighthouse.md', 'x')],
        ['WRITE_CONFLICT', replace('Places/Lighthouse.md', 'x', hash('other'))],
        ['PATH_NOT_ALLOWED', create('../x.md', 'x')],
        ['FILE_UNREADABLE', move('Gone.md', 'There.md')],
      ] as const)
        await refused(under, code, () => apply(under, ...good, bad));
      assert.deepEqual(await under.writer.changes(10, signal), []);
      await refused(under, 'INTERNAL', () => apply(under, replace('Harbour.md', '1'), replace('Harbour.md', '2')));
    });

    law('V9 refuses every path outside the vault as the target or the source of a change', async (under) => {
      for (const given of FORBIDDEN) {
        await refused(under, 'PATH_NOT_ALLOWED', () => apply(under, create(given, 'x')));
        await refused(under, 'PATH_NOT_ALLOWED', () => apply(under, replace(given, 'x')));
        await refused(under, 'PATH_NOT_ALLOWED', () => apply(under, move('Harbour.md', given)));
        await refused(under, 'PATH_NOT_ALLOWED', () => apply(under, move(given, 'x.md')));
        await refused(under, 'PATH_NOT_ALLOWED', () => apply(under, trash(given)));
        const emptied = { operations: [create('x.md', 'x')], emptied: [given], tool: 't', client: '' };
        if (given !== '.trash/Gone.md' && !given.includes('\\'))
          await refused(under, 'PATH_NOT_ALLOWED', () => under.writer.apply(emptied, signal));
      }
    });

    law('writes notes, canvases and bases only', async (under) => {
      for (const given of ['a.txt', 'a', 'a.html', 'img/lamp.svg', 'a.md.exe'])
        await refused(under, 'PATH_NOT_ALLOWED', () => apply(under, create(given, 'x')));
      await refused(under, 'PATH_NOT_ALLOWED', () => apply(under, replace('img/lamp.svg', 'x')));
      await apply(under, create('a.canvas', '{}'), create('a.base', ''), replace('Board.canvas', '{"nodes":[]}'));
      assert.equal(text(under, 'Board.canvas'), '{"nodes":[]}');
    });

    law('refuses a new name that some system or a link cannot represent, and says why', async (under) => {
      const names = ['a:b.md', 'what?.md', 'a|b.md', 'con.md', 'LPT1.x.md', 'a#b.md', 'a[b].md', 'a^b.md', ' a.md'];
      for (const given of [
        ...names,
        'a./b.md',
        'a /b.md',
        'tab\t.md',
        `${'x'.repeat(260)}.md`,
        'e\u0301.md',
        'a\\b.md',
      ]) {
        const details = await refused(under, 'PATH_NOT_ALLOWED', () => apply(under, create(given, 'x')));
        assert.notEqual((details as { rule: string }).rule, '');
        await refused(under, 'PATH_NOT_ALLOWED', () => apply(under, move('Harbour.md', given)));
      }
    });

    law('undoes each kind of change exactly, by default the last one', async (under) => {
      const before = contents(under);
      const kinds: FileOperation[][] = [
        [create('New/Note.md', 'new')],
        [replace('Harbour.md', '')],
        [replace('Empty.md', 'full')],
        [move('Places/Lighthouse.md', 'Lighthouse.md')],
        [{ ...move('Harbour.md', 'Port.md'), before: hashOf('Harbour.md'), bytes: bytes('Port.') }],
        [trash('Places/灯塔.md')],
        [create('a.md', 'a'), replace('Board.canvas', '[]'), move('img/lamp.svg', 'x/l.svg'), trash('Empty.md')],
      ];
      for (const operations of kinds) {
        const { id } = await apply(under, ...operations);
        const undone = await undo(under);
        assert.equal(undone.undoes, id);
        assert.deepEqual(contents(under), before);
        const [newest, older] = await under.writer.changes(2, signal);
        assert.deepEqual([newest?.id, newest?.undoes, older?.id, older?.undoneBy], [undone.id, id, id, undone.id]);
      }
    });

    law('undoes an undo, and undoes that again', async (under) => {
      for (const operation of [replace('Harbour.md', 'Calm.'), trash('Empty.md'), create('New.md', 'new')]) {
        const before = contents(under);
        const first = await apply(under, operation);
        const after = contents(under);
        const second = await undo(under, first.id);
        assert.deepEqual(contents(under), before);
        const third = await undo(under, second.id);
        assert.deepEqual(contents(under), after);
        await undo(under, third.id);
        assert.deepEqual(contents(under), before);
      }
    });

    law('repeated undos revert the remaining changes, latest first', async (under) => {
      const before = contents(under);
      for (const step of ['1', '2', '3'])
        await apply(under, replace('Harbour.md', step, hash(text(under, 'Harbour.md') ?? '')));
      for (const left of ['2', '1']) {
        await undo(under);
        assert.equal(text(under, 'Harbour.md'), left);
      }
      await undo(under);
      assert.deepEqual(contents(under), before);
      await refused(under, 'CHANGE_NOT_FOUND', () => under.writer.inverse(undefined, signal));
    });

    law('V16 refuses to undo twice, and to undo an unknown change', async (under) => {
      const { id } = await apply(under, replace('Harbour.md', 'Calm.'));
      const { operations } = await under.writer.inverse(id, signal);
      await undo(under, id);
      const details = await refused(under, 'CHANGE_NOT_FOUND', () => under.writer.inverse(id, signal));
      assert.equal((details as { id: string }).id, id);
      const again = { operations, undoes: id, tool: 'undo', client: '' };
      await refused(under, 'CHANGE_NOT_FOUND', () => under.writer.apply(again, signal));
      for (const unknown of ['', 'chg_000000000_000000', '../chg', 'lock'])
        await refused(under, 'CHANGE_NOT_FOUND', () => under.writer.inverse(unknown, signal));
    });

    law('V16 refuses to undo a change of a note that was edited since', async (under) => {
      const changes = [
        await apply(under, replace('Harbour.md', 'Calm.')),
        await apply(under, create('New.md', 'new')),
        await apply(under, move('Empty.md', 'Full.md')),
      ];
      for (const note of ['Harbour.md', 'New.md', 'Full.md']) under.put(note, 'edited since');
      for (const { id } of changes) await refused(under, 'WRITE_CONFLICT', () => undo(under, id));
      await apply(under, trash('Board.canvas'));
      under.put('Board.canvas', 'made since');
      await refused(under, 'NOTE_EXISTS', () => undo(under));
    });

    law('a dry run checks like a write, and writes nothing', async (under) => {
      const before = contents(under);
      const check = (...operations: FileOperation[]): Promise<void> =>
        under.writer.check({ operations, tool: 't', client: '' }, signal);
      await check(create('New/Note.md', 'x'), replace('Harbour.md', 'Calm.'), trash('Empty.md'));
      assert.deepEqual(contents(under), before);
      assert.deepEqual(await under.writer.changes(10, signal), []);
      await refused(under, 'NOTE_EXISTS', () => check(create('Harbour.md', 'x')));
      await refused(under, 'WRITE_CONFLICT', () => check(replace('Harbour.md', 'x', hash('y'))));
      await refused(under, 'PATH_NOT_ALLOWED', () => check(create('../x.md', 'x')));
    });

    law('lists changes with who made them, the newest first', async (under) => {
      for (const step of ['a', 'b', 'c']) {
        const operations = [create(`${step}.md`, step)];
        await under.writer.apply({ operations, tool: `tool_${step}`, client: `client ${step}` }, signal);
      }
      const changes = await under.writer.changes(2, signal);
      assert.deepEqual(
        changes.map(({ tool, client, state, files }) => [tool, client, state, files.map((file) => file.path)]),
        [
          ['tool_c', 'client c', 'done', ['c.md']],
          ['tool_b', 'client b', 'done', ['b.md']],
        ],
      );
    });

    law('recovers nothing if nothing was interrupted', async ({ writer }) => {
      assert.deepEqual(await writer.recover(signal), []);
    });

    law('applies concurrent changes one after the other', async (under) => {
      const requested = Array.from({ length: 12 }, (_, n) => apply(under, replace('Harbour.md', `by ${n}`)));
      const outcomes = await Promise.allSettled(requested);
      const won = outcomes.flatMap((outcome, n) => (outcome.status === 'fulfilled' ? [n] : []));
      assert.equal(won.length, 1);
      assert.equal(text(under, 'Harbour.md'), `by ${won[0]}`);
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'WRITE_CONFLICT');
    });

    law('M5 an abort ends a change with its reason, without a write, and the next call works', async (under) => {
      const reason = new Error('enough');
      const before = contents(under);
      const request = { operations: [create('New.md', 'x')], tool: 't', client: '' };
      const { writer } = under;
      const aborted = AbortSignal.abort(reason);
      for (const work of [writer.apply(request, aborted), writer.check(request, aborted), writer.changes(1, aborted)])
        await assert.rejects(work, reason);
      assert.deepEqual(contents(under), before);
      await apply(under, create('New.md', 'x'));
    });

    law('M5 an abort during a change leaves all or nothing, and the result says which', async (under) => {
      for (let round = 0; round < 20; round += 1) {
        const call = new AbortController();
        const operations = [
          create(`a${round}.md`, 'a'),
          create(`b${round}.md`, 'b'),
          replace('Harbour.md', `${round}`, contentHash(under.read('Harbour.md') ?? bytes(''))),
        ];
        const before = contents(under);
        let hasBegun = false;
        const onBegun = (): void => {
          hasBegun = true;
        };
        const requested = under.writer.apply({ operations, tool: 't', client: '' }, call.signal, onBegun);
        let saidAtAbort: boolean | undefined;
        setTimeout(() => {
          call.abort(new Error('enough'));
          saidAtAbort = hasBegun;
        }, round);
        const [outcome] = await Promise.allSettled([requested]);
        assert.equal(saidAtAbort ?? true, outcome.status === 'fulfilled');
        assert.equal(hasBegun, outcome.status === 'fulfilled');
        if (outcome.status === 'rejected') assert.deepEqual(contents(under), before);
        else assert.deepEqual([text(under, `a${round}.md`), text(under, `b${round}.md`)], ['a', 'b']);
        assert.equal(text(under, 'Harbour.md') === `${round}`, outcome.status === 'fulfilled');
      }
    });

    law('V1 reports an unavailable vault', async (under) => {
      await apply(under, create('New.md', 'x'));
      const { id } = (await under.writer.changes(1, signal))[0] as Change;
      under.vanish();
      const request = { operations: [replace('Harbour.md', 'x')], tool: 't', client: '' };
      for (const work of [under.writer.apply(request, signal), under.writer.check(request, signal)])
        await assert.rejects(work, { code: 'VAULT_UNAVAILABLE' });
      assert.equal((await under.writer.changes(1, signal))[0]?.id, id);
    });
  });
}

const byPath = ([one]: [string, string], [other]: [string, string]): number => (one < other ? -1 : 1);
