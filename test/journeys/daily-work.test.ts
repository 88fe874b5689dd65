// Does a day's work over stdio: each task in at most three calls, with its result on disk, and undone byte for byte.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { assertEach } from '../assert-each.ts';
import { pdfOf } from '../pdf/pdf-files.ts';
import { type Answer, configFile, openSession, type Session, temporaryFolder } from './session.ts';

const MAX_CALLS = 3;
/** Of the arguments and the answers of one task. */
const MAX_TOKENS = 1_500;

const NOW = new Date();
const dayOf = (date: Date): string => date.toLocaleDateString('sv');
const TODAY = dayOf(NOW);
const LAST_MONTH = dayOf(new Date(NOW.getFullYear(), NOW.getMonth() - 1, 12));
const FERRY = 'The ferry leaves the old harbour at nine and comes back with the evening tide when the lamp is lit.\n';

const FILES: Readonly<Record<string, string | Uint8Array>> = {
  '.obsidian/daily-notes.json': '{"folder": "Daily", "format": "YYYY-MM-DD", "template": "Templates/Daily"}',
  '.obsidian/templates.json': '{"folder": "Templates"}',
  'Templates/Daily.md': '# {{date}}\n\n## Log\n',
  'Templates/Meeting.md': '# {{title}}\n\n## Decisions\n',
  'Boats/Skiff.md':
    '---\ntags: [gear/boat]\n# kept\nlength: 4\n---\n- [ ] mend the net 📅 2020-02-02\n- [ ] paint #gear\n',
  'Boats/Punt.md': '---\r\ntags:\r\n  - gear/boat\r\n---\r\nFlat. #gear/boat/wood\r\n- [x] tar it 📅 2020-02-02\r\n',
  'Boats/Boats.base':
    'views:\n  - type: table\n    name: Fleet\n    filters: file.hasTag("gear/boat")\n    order: [file.name, length]\n',
  [`Meetings/${LAST_MONTH} Pump.md`]: '# Pump\n\nWe decided to buy the hand pump, because the motor pump rusts.\n',
  'Meetings/2020-01-01 Pump.md': '# Pump\n\nWe decided to rent a pump.\n',
  'Clippings/Valves.md': 'See [[Seals]] and ![drawing](../Files/pump.png).\n',
  'Clippings/Seals.md': 'Seals of [the valves](Valves.md).\n',
  'Clippings/Hoses.md': 'Hoses.\n',
  'Projects/Pump/Plan.md': 'Read [[Clippings/Valves|the valves]] and [hoses](../../Clippings/Hoses.md).\n',
  'Ferry.md': `---\naliases: [Boat line]\n---\n${FERRY}`,
  'Copy/Ferry times.md': `${FERRY}Later: winter times. ^winter\n`,
  'Trips.md': 'Take [[Ferry times#^winter|the ferry]].\n',
  'People/Ada Finch.md': '---\naliases: [Ada]\n---\n',
  'People/Bram Oak.md': '---\naliases: [Bram]\n---\n',
  'Files/pump.png': 'png',
  'Files/Pump manual.pdf': pdfOf([
    'Contents of the manual',
    'Priming',
    'The seal of the pump lasts two thousand hours.',
  ]),
  'Files/unused.png': 'png',
};

const textIn = (path: string): string => String(FILES[path]);

type Call = readonly [tool: string, given: (before: readonly Answer[]) => Record<string, unknown>];

interface Task {
  readonly name: string;
  readonly calls: readonly Call[];
  check(answers: readonly Answer[], text: (path: string) => string | undefined): void;
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads the answer as its client does, without types.
function dataOf(answer: Answer | undefined): any {
  return answer?.structured.data;
}

/** A write that is shown first and then carried out. */
function planned(tool: string, given: (before: readonly Answer[]) => Record<string, unknown>): readonly Call[] {
  return [
    [tool, (before) => ({ ...given(before), dry_run: true })],
    [tool, (before) => ({ plan_id: dataOf(before.at(-1)).plan_id })],
  ];
}

function move(note: string): Call {
  return ['move_note', () => ({ note, to: 'Projects/Pump/', confirm: true })];
}

const TASKS: readonly Task[] = [
  {
    name: "append to today's note where there is none",
    calls: [['edit_note', () => ({ note: '@today', create: true, edits: [{ op: 'append', text: 'Bought rope.' }] })]],
    check: ([created], text) => {
      const { path } = dataOf(created);
      const [, day] = /^Daily\/(\d{4}-\d{2}-\d{2})\.md$/.exec(path) ?? [];
      assert.equal(text(path), `# ${day}\n\n## Log\n\nBought rope.\n`);
    },
  },
  {
    name: 'tick a task',
    calls: [
      ['list_tasks', () => ({ folder: 'Boats' })],
      [
        'edit_note',
        ([found]) => {
          const [{ path, line, text }] = dataOf(found).tasks;
          return { note: path, edits: [{ op: 'set_task', target: text, line, status: 'done' }] };
        },
      ],
    ],
    check: (_, text) => {
      const ticked = textIn('Boats/Skiff.md').replace('[ ] mend', '[x] mend');
      assert.equal(text('Boats/Skiff.md'), ticked);
    },
  },
  {
    name: 'find what was decided about a topic last month and cite it',
    calls: [['search_text', () => ({ query: 'pump decided', since: 'last month', until: 'last month' })]],
    check: ([found]) => {
      assert.match(
        found?.text ?? '',
        new RegExp(`Meetings/${LAST_MONTH} Pump\\.md:1-3 [\\s\\S]*decided to buy the hand pump`),
      );
      assert.doesNotMatch(found?.text ?? '', /rent a pump/);
    },
  },
  {
    name: 'file three clippings into a project folder with links intact',
    calls: [move('Valves'), move('Seals'), move('Hoses')],
    check: (_, text) => {
      assert.equal(text('Projects/Pump/Valves.md'), 'See [[Seals]] and ![drawing](../../Files/pump.png).\n');
      assert.equal(text('Projects/Pump/Seals.md'), FILES['Clippings/Seals.md']);
      assert.equal(text('Projects/Pump/Plan.md'), 'Read [[Projects/Pump/Valves|the valves]] and [hoses](Hoses.md).\n');
      assert.equal(text('Clippings/Hoses.md'), undefined);
    },
  },
  {
    name: 'rename a tag with its children',
    calls: planned('rename_tag', () => ({ from: 'gear', to: 'kit' })),
    check: ([plan], text) => {
      assert.match(plan?.text ?? '', /Boats\/Boats\.base/, 'the plan names what stays');
      assert.equal(text('Boats/Skiff.md'), textIn('Boats/Skiff.md').replaceAll('gear', 'kit'));
      assert.equal(text('Boats/Punt.md'), textIn('Boats/Punt.md').replaceAll('gear', 'kit'));
    },
  },
  {
    name: 'merge two duplicate notes',
    calls: [
      ['find_gaps', () => ({ kind: 'duplicates' })],
      ...planned('merge_notes', () => ({ notes: ['Copy/Ferry times.md'], into: 'Ferry.md' })),
    ],
    check: ([gaps], text) => {
      assert.match(gaps?.text ?? '', /Copy\/Ferry times\.md/);
      const merged = text('Ferry.md') ?? '';
      assert.ok(merged.includes(`## Ferry times\n`) && merged.includes('winter times. ^winter\n'), merged);
      assert.equal(text('Trips.md'), 'Take [[Ferry#^winter|the ferry]].\n');
      assert.equal(text('Copy/Ferry times.md'), undefined);
    },
  },
  {
    name: 'set a property on all notes of a tag',
    calls: planned('set_properties', () => ({ filter: { tags: ['gear/boat'] }, set: { season: 'winter' } })),
    check: (_, text) => {
      const added = textIn('Boats/Skiff.md').replace('length: 4\n', 'length: 4\nseason: winter\n');
      assert.equal(text('Boats/Skiff.md'), added);
      const withCrLf = textIn('Boats/Punt.md').replace('boat\r\n---', 'boat\r\nseason: winter\r\n---');
      assert.equal(text('Boats/Punt.md'), withCrLf);
    },
  },
  {
    name: 'list overdue tasks',
    calls: [['list_tasks', () => ({ due_before: 'today' })]],
    check: ([found]) => {
      const { tasks } = dataOf(found);
      assertEach(tasks, ({ path, line }: { path: string; line: number }) => `${path}:${line}`, ['Boats/Skiff.md:6']);
    },
  },
  {
    name: 'start a meeting note from a template with attendees linked',
    calls: [
      ['resolve_names', () => ({ names: ['Ada', 'Bram'] })],
      [
        'create_note',
        ([found]) => {
          const rows: { result: { path: string } }[] = dataOf(found).succeeded;
          const attendees = rows.map(({ result }) => `[[${result.path.replace(/^.*\/|\.md$/g, '')}]]`);
          return { path: `Meetings/${TODAY} Pump.md`, template: 'Meeting', properties: { attendees } };
        },
      ],
      ['get_neighbors', () => ({ note: `Meetings/${TODAY} Pump.md` })],
    ],
    check: (answers, text) => {
      assert.match(
        text(`Meetings/${TODAY} Pump.md`) ?? '',
        /Ada Finch[\s\S]*Bram Oak[\s\S]*# .* Pump\n\n## Decisions\n$/,
      );
      assert.match(answers[2]?.text ?? '', /People\/Ada Finch\.md[\s\S]*People\/Bram Oak\.md/);
    },
  },
  {
    name: 'find unused images',
    calls: [['find_gaps', () => ({ kind: 'unused_attachments' })]],
    check: ([found]) => {
      assert.match(found?.text ?? '', /Files\/unused\.png/);
      assert.doesNotMatch(found?.text ?? '', /pump\.png/);
    },
  },
  {
    name: 'answer a question from a PDF',
    calls: [
      ['search_text', () => ({ query: 'how many hours does the seal of the pump last' })],
      ['read_notes', ([found]) => ({ notes: [dataOf(found).hits[0].ref] })],
    ],
    check: ([found, read]) => {
      assert.match(found?.text ?? '', /Files\/Pump manual\.pdf:.* · page=3 · ref=/);
      const [{ result }] = dataOf(read).succeeded;
      assert.deepEqual([result.ref, result.page, result.total_pages], ['Files/Pump manual.pdf#page=3', 3, 3]);
      assert.equal(result.content, 'The seal of the pump lasts two thousand hours.');
    },
  },
  {
    name: "show a base's view",
    calls: [['query_base', () => ({ base: 'Boats', view: 'Fleet' })]],
    check: ([found]) => assert.match(found?.text ?? '', /\| Boats\/Skiff\.md \| Skiff \| 4 \|/),
  },
];

test("a day's work, each task in at most three calls", async (context) => {
  const vault = temporaryFolder(context);
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(vault, path)), { recursive: true });
    writeFileSync(join(vault, path), text);
  }
  const config = configFile(
    context,
    `vault: { path: ${JSON.stringify(vault)}, access: read-write }\nindex: { attachments: [pdf] }\n`,
  );
  const session = await openSession(context, { config });
  await session.indexed();
  const before = contentOf(vault);
  for (const { name, calls, check } of TASKS) {
    const { answers, tokens } = await carryOut(calls, session);
    context.diagnostic(`${name}: ${calls.length} calls, ${tokens} tokens`);
    assert.ok(calls.length <= MAX_CALLS && tokens <= MAX_TOKENS, `${name}: ${calls.length} calls, ${tokens} tokens`);
    check(answers, (path) => (existsSync(join(vault, path)) ? readFileSync(join(vault, path), 'utf8') : undefined));
    await undo(answers, session);
    assert.deepEqual(contentOf(vault), before, name);
  }
});

async function carryOut(calls: readonly Call[], session: Session) {
  const answers: Answer[] = [];
  let tokens = 0;
  for (const [tool, given] of calls) {
    const args = given(answers);
    const answer = await session.call(tool, args);
    assert.ok(!answer.isError, `${tool}: ${answer.text}`);
    tokens += countTokens(JSON.stringify(args)) + countTokens(answer.text);
    answers.push(answer);
  }
  return { answers, tokens };
}

async function undo(answers: readonly Answer[], session: Session): Promise<void> {
  for (const { structured } of answers.toReversed()) {
    const { change_id } = structured.data;
    if (change_id === undefined) continue;
    const { isError, text } = await session.call('undo_change', { change_id });
    assert.ok(!isError, text);
  }
}

/** The bytes of every file, and every folder. */
function contentOf(vault: string): Readonly<Record<string, string>> {
  const paths = readdirSync(vault, { recursive: true, encoding: 'utf8' }).sort();
  const entries = paths.map((path) => {
    const file = join(vault, path);
    return [path, statSync(file).isDirectory() ? 'folder' : readFileSync(file, 'latin1')] as const;
  });
  return Object.fromEntries(entries);
}
