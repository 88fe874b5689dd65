// check_vault over a vault with seeded faults of each rule, over a clean one, and the calls that it names.
import assert from 'node:assert/strict';
import { renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { StoreCache } from '../../../src/contracts/session.ts';
import { CHECK_DEFAULTS } from '../../../src/contracts/settings/check-settings.ts';
import { localDay } from '../../../src/markdown/dates/note-date.ts';
import { toolCatalogFor } from '../../../src/tools/catalog.ts';
import { createCheckVault } from '../../../src/tools/upkeep/check_vault.ts';
import { type ToolsUnderTest, withTools } from '../tools-under-test.ts';

const checkVault = createCheckVault({});
const daysAgo = (days: number): string => localDay(new Date(Date.now() - days * 86_400_000));
const LONG = 'The keeper of the light writes down the height of the tide every morning and every evening, in ink. ';

/** Linked both ways, so that nothing but the seeded faults is found. */
const hub = (...names: string[]): string => names.map((name) => `- [[${name}]]`).join('\n');

const FAULTS = {
  'Home.md': hub(
    'Harbour',
    'Light',
    'Tagged',
    'Page',
    'Twice/One',
    'Twin A',
    'Twin B',
    'Weekly',
    'Tasks',
    'Copy',
    'Original',
  ),
  'Inbox/Thought.md': 'An idea.',
  'Light.md': 'See [[Harbour#Berts]] and [[Harbuor]]. #unprocessed',
  'Harbour.md': '---\nstatus: open\n---\n## Berths\n[[Light]] #sailing #sailing #machine-learning #café #phylosophy',
  'Tagged.md': '---\nstatus: Open\nratng: 3\n---\n#Sailing #books #machine_learning #cafe #philosophy [[Home]]',
  'Copy.md': `${LONG.repeat(3)} [[Home]]`,
  'Original.md': `${LONG.repeat(3)} [[Home]]`,
  'Lonely.md': 'No links here.',
  'Page.md': '---\nsources: ["[[Report]]"]\nrating: 5\n---\nA page, #book. [[Home]]',
  'Report.md': 'What is new. [[Page]]',
  'Twice/One.md': '---\ntitle: The first voyage\n---\n# On ropes and knots\n[[Home]]',
  'Twin A.md': '---\ntitle: Storm of the year\nrating: 4\n---\n[[Home]] one',
  'Twin B.md': '---\ntitle: storm of the Year\nrating: 2\n---\n[[Home]] two',
  'Weekly.md': '# Week\nWritten on {{date:YYYY-MM-DD}} by <% tp.user.name() %> [[Home]]\n\nFor \x24{author}.',
  'Tasks.md': `- [ ] Paint the boat 📅 ${daysAgo(90)}\n- [ ] Call Ada 📅 ${daysAgo(5)}\n- [x] Done 📅 ${daysAgo(90)}\n[[Home]]`,
};

const CLEAN = {
  'README.md': 'The notes of a lighthouse keeper, without links.',
  'Home.md': `# home 🏠\n${hub('Harbour', 'Light', 'Book list', 'Page', 'Templater', 'Log/2026-11-20')}`,
  'Harbour.md':
    '---\ntitle: The Harbour\nstatus: open\nyear: 2024\ntype: place\n---\n# the harbour ⚓\n[[Light#The lamp|lamp]] #sailing #harbour/north #y2024',
  'Light.md':
    '---\nstatus: done\nyear: 2025\ntype: place\n---\n# Light\n\n## The lamp\n[[Harbour]] #sailing #news #new #y2025 #cat #car',
  'Book list.md': '# Book list\n[[Home]] #boat #coat #business',
  'Page.md': '---\nsource: "[[Sources/Report]]"\n---\nA page. [[2099-01-01]] [[Home]]',
  'Sources/Report.md': 'A report. [[Page]]',
  'Log/2026-11-20.md': `- [x] Rest 📅 ${daysAgo(90)} #todo\n- [ ] Sail 📅 ${daysAgo(-3)}\n`,
  'Log/2026-11-21.md': 'Calm.',
  'Templater.md':
    'Write `{{date}}` and\n```\n<% tp.date.now() %> \x24{name}\n```\nAn account of $\x24{x}$ and {{c1::cloze}} and {{< figure >}}. [[Home]]',
  'Templates/Daily.md': '# {{title}}\n[[{{date}}]] <% tp.file.cursor() %> #tempalte',
  'Meeting template.md': '{{date}} [[Home]]',
};

async function inTime({ folder, run }: ToolsUnderTest): Promise<void> {
  const at = (path: string, days: number) => {
    const when = new Date(Date.now() - days * 86_400_000);
    utimesSync(join(folder.root, path), when, when);
  };
  at('Page.md', 20);
  at('Report.md', 2);
  await run();
}

interface Row {
  readonly count: number;
  readonly accepted?: number;
  // biome-ignore lint/suspicious/noExplicitAny: each rule has rows of its own.
  readonly worst?: readonly any[];
}

const byRule = ({ succeeded }: { succeeded: readonly { id: string; result: Row }[] }): Record<string, Row> =>
  Object.fromEntries(succeeded.map(({ id, result }) => [id, result]));

test('finds the seeded faults of each rule, and nothing else', () =>
  withTools(FAULTS, async (tools) => {
    await inTime(tools);
    const answer = await tools.ask(checkVault);
    assert.deepEqual(answer.failed, []);
    const rules = byRule(answer);
    const worst = (rule: string) => rules[rule]?.worst ?? [];
    const shown = {
      unprocessed: worst('unprocessed')
        .map(({ path }) => path)
        .sort(),
      orphans: worst('orphans').map(({ path }) => path),
      broken_links: worst('broken_links').map(({ name, suggestion }) => [name, suggestion]),
      broken_parts: worst('broken_parts').map(({ name, nearest }) => [name, nearest]),
      outdated: worst('outdated').map(({ path, source, days }) => [path, source, days]),
      duplicates: worst('duplicates').map(({ notes }) => notes),
      similar_tags: worst('similar_tags')
        .map(({ tag, like, differs_in }) => [tag, like, differs_in].join(' '))
        .sort(),
      similar_properties: worst('similar_properties').map(({ property, value, like }) => [property, value, like]),
      two_titles: worst('two_titles').map(({ path, notes, title }) => [notes ?? path, title]),
      half_templates: worst('half_templates').map(({ path, line, placeholders }) => [path, line, placeholders]),
      overdue_tasks: worst('overdue_tasks').map(({ path, line, days }) => [path, line, days]),
    };
    assert.deepEqual(shown, {
      unprocessed: ['Inbox/Thought.md', 'Light.md'],
      orphans: ['Lonely.md'],
      broken_links: [['Harbuor', 'Harbour.md']],
      broken_parts: [['Harbour#Berts', ['#Berths']]],
      outdated: [['Page.md', 'Report.md', 18]],
      duplicates: [['Copy.md', 'Original.md']],
      similar_tags: [
        '#Sailing #sailing case',
        '#books #book plural',
        '#café #cafe accents',
        '#machine-learning #machine_learning separator',
        '#phylosophy #philosophy typo',
      ].sort(),
      similar_properties: [
        ['status', 'Open', 'open'],
        ['ratng', undefined, 'rating'],
      ],
      two_titles: [
        [['Twin A.md', 'Twin B.md'], 'Storm of the year'],
        ['Twice/One.md', 'The first voyage'],
      ],
      half_templates: [['Weekly.md', 2, 3]],
      overdue_tasks: [['Tasks.md', 1, 90]],
    });
  }));

test('after every change, what is kept gives the same as a new server', () =>
  withTools(FAULTS, async (tools) => {
    await inTime(tools);
    const { folder, run, ask } = tools;
    const changes: (() => void)[] = [
      () => folder.put('Page.md', '---\nrating: 5\n---\nA page, #book. [[Home]] [[sources/Paper.pdf]]'),
      () => folder.put('sources/Paper.pdf', 'not a PDF'),
      () => folder.put('Harbour.md', '---\nstatus: open\n---\n## Berts\n[[Light]] #machine-learning #café'),
      () => folder.put('Harbuor.md', '# Harbuor\n[[Nowhere]] [[Home]] phylosophy'),
      () => rmSync(join(folder.root, 'Harbour.md')),
      () => renameSync(join(folder.root, 'Report.md'), join(folder.root, 'Inbox/Report.md')),
      () => folder.put('Modelos/Nota.md', '{{title}} #sailling [[Home]]'),
      () => folder.put('Lonely.md', 'No links here but [[Inbox/Thought]]. <% tp.x() %>'),
      () => folder.put('Twice/One.md', '\n---\ntitle: The first voyage\n---\n# On ropes and knots\n[[Home]]'),
      () => rmSync(join(folder.root, 'sources/Paper.pdf')),
    ];
    const plain = (answer: object) => JSON.parse(JSON.stringify(answer));
    for (const change of changes) {
      await ask(checkVault, { folder: 'Inbox' });
      change();
      await run();
      const fresh = await ask(checkVault, { limit: 100 }, { storeCache: new StoreCache() });
      assert.deepEqual(plain(await ask(checkVault, { limit: 100 })), plain(fresh), String(change));
    }
  }));

test('finds nothing in a clean vault', () =>
  withTools(CLEAN, async ({ ask }) => {
    const { succeeded, failed } = await ask(checkVault);
    assert.deepEqual(failed, []);
    assert.deepEqual(
      succeeded.filter(({ result }: { result: Row }) => result.count > 0),
      [],
    );
    assert.equal(succeeded.length, 11);
  }));

test('every call that it names runs, and what it mends is not found again', () =>
  withTools(
    FAULTS,
    async (tools) => {
      await inTime(tools);
      const catalog = toolCatalogFor({ textOnly: false });
      const run = async (name: string, given: object) => {
        const tool = catalog.find((one) => one.name === name);
        assert.ok(tool !== undefined, name);
        return tools.ask(tool, given);
      };
      const before = byRule(await tools.ask(checkVault));
      const mended: string[] = [];
      for (const [rule, { worst = [] }] of Object.entries(before)) {
        for (const { call } of worst) {
          const answer = await run(call.tool, call.arguments);
          if (answer.plan_id === undefined) continue;
          await run(call.tool, { plan_id: answer.plan_id });
          mended.push(rule);
          await tools.run();
        }
      }
      const after = byRule(await tools.ask(checkVault));
      const counts = [...new Set(mended)].map((rule) => [rule, after[rule]?.count]);
      assert.deepEqual(Object.fromEntries(counts), {
        unprocessed: 1,
        broken_links: 0,
        broken_parts: 0,
        duplicates: 0,
        similar_tags: 0,
        similar_properties: 0,
        two_titles: 0,
        half_templates: 1,
        overdue_tasks: 0,
      });
    },
    { writes: true },
  ));

/** Names, lines and files in which the usual call of a rule would be refused. */
const HARD_TO_FIX = {
  'Links.md':
    '[[a: b]] [[what?]] [[c / d]] [x](https://) [[|alias]] [y](./https://example.com/z) [[tail/]] [[...]] [[a//b]] [e](e^f) [[dot.]]',
  'Twice.md': '#todo and again #todo here',
  'Longer.md': '#todo, later #todo/soon',
  'Dates.md': 'From {{date}} to {{date}}.',
  'Board.canvas': JSON.stringify({
    nodes: [{ id: 'a', type: 'text', text: LONG.repeat(3), x: 0, y: 0, width: 9, height: 9 }],
  }),
  'Board 2.canvas': JSON.stringify({
    nodes: [{ id: 'a', type: 'text', text: LONG.repeat(3), x: 0, y: 0, width: 9, height: 9 }],
  }),
};

test('every call that it names is accepted as it is, also for names and lines that are hard to fix', () =>
  withTools(
    HARD_TO_FIX,
    async (tools) => {
      const catalog = toolCatalogFor({ textOnly: false });
      const found = byRule(await tools.ask(checkVault, { limit: 100 }));
      const calls = Object.values(found).flatMap(({ worst = [] }) => worst.map(({ call }) => call));
      assert.ok(calls.length > 14, String(calls.length));
      for (const { tool: name, arguments: given } of calls) {
        const tool = catalog.find((one) => one.name === name);
        assert.ok(tool !== undefined, name);
        await tools.ask(tool, given);
      }
      const edits = calls.flatMap(({ arguments: given }) => given.edits ?? []);
      assert.deepEqual(
        edits.map(({ target, count }) => [target, count]),
        [
          ['#todo', 2],
          ['{{date}}', 2],
        ],
      );
      const merges = calls.filter(({ tool }) => tool === 'merge_notes');
      assert.deepEqual(merges, []);
    },
    { writes: true },
  ));

test('inboxes and sources are known in the largest languages, and variables of a shell are no placeholders', () =>
  withTools(
    {
      'Eingang/Idee.md': '[[Seite]]',
      '01 收件箱/想法.md': '[[Seite]]',
      'Bandeja de entrada/Idea.md': '[[Seite]]',
      'Входящие/Мысль.md': '[[Seite]]',
      'Seite.md': '[[Quellen/Bericht]] and \x24{HOME} or \x24{XDG_DATA_HOME:-x}',
      'Quellen/Bericht.md': '[[Seite]]',
    },
    async ({ ask, folder, run }) => {
      const old = new Date(Date.now() - 20 * 86_400_000);
      utimesSync(join(folder.root, 'Seite.md'), old, old);
      await run();
      const counts = Object.entries(byRule(await ask(checkVault))).flatMap(([rule, { count }]) =>
        count > 0 ? [[rule, count]] : [],
      );
      assert.deepEqual(counts, [
        ['unprocessed', 4],
        ['outdated', 1],
      ]);
    },
  ));

test('rules can be named and left out, folders chosen, findings accepted', () =>
  withTools(FAULTS, async ({ ask, refusal }) => {
    const ids = async (given: object) => (await ask(checkVault, given)).succeeded.map(({ id }: { id: string }) => id);
    assert.deepEqual(await ids({ rules: ['orphans', 'two_titles'] }), ['orphans', 'two_titles']);
    assert.deepEqual(await ids({ rules: ['orphans', 'two_titles'], except: ['orphans'] }), ['two_titles']);
    assert.equal((await ids({ except: ['duplicates'] })).includes('duplicates'), false);
    await refusal(checkVault, { rules: ['orphans'], except: ['orphans'] }, 'INVALID_INPUT');
    const error = await refusal(checkVault, { except: ['orphan'] }, 'INVALID_INPUT');
    assert.match(JSON.stringify(error.details), /the rules are unprocessed, orphans/);
    await refusal(checkVault, { folder: '../outside' }, 'PATH_NOT_ALLOWED');
    const ofFolder = byRule(await ask(checkVault, { folder: 'inbox' }));
    assert.deepEqual(
      Object.entries(ofFolder)
        .filter(([, { count }]) => count > 0)
        .map(([rule]) => rule),
      ['unprocessed'],
    );
    assert.equal(byRule(await ask(checkVault, { limit: 1 })).unprocessed?.worst?.length, 1);
    const accept = {
      ...{ unprocessed: ['inbox/'], orphans: ['lonely'], similar_tags: ['#Books'], broken_links: ['harbuor'] },
      ...{ similar_properties: ['status: Open'], duplicates: ['Copy.md'], overdue_tasks: ['Other.md'] },
    };
    const accepting = createCheckVault({ checks: { ...CHECK_DEFAULTS, accept } });
    const accepted = byRule(await ask(accepting));
    const numbers = Object.entries(accepted).map(([rule, { count, accepted: some }]) => [rule, [count, some]]);
    assert.deepEqual(Object.fromEntries(numbers), {
      unprocessed: [1, 1],
      orphans: [0, 1],
      broken_links: [0, 1],
      broken_parts: [1, undefined],
      outdated: [0, undefined],
      duplicates: [0, 1],
      similar_tags: [4, 1],
      similar_properties: [1, 1],
      two_titles: [2, undefined],
      half_templates: [1, undefined],
      overdue_tasks: [1, undefined],
    });
  }));

test('where the vault cannot be written, calls only read', () =>
  withTools(FAULTS, async ({ ask }) => {
    const reading = createCheckVault({ offers: (tool) => /^(?:find|list|read|get)_/.test(tool) });
    const calls = Object.values(byRule(await ask(reading))).flatMap(({ worst = [] }) =>
      worst.map(({ call }) => call.tool),
    );
    assert.ok(calls.length > 10);
    assert.deepEqual(
      calls.filter((tool) => !/^(?:find|list|read|get)_/.test(tool)),
      [],
    );
  }));

test('a rule that fails fails alone', () =>
  withTools(FAULTS, async ({ ask, compute }) => {
    const run = () => Promise.reject(new VaultgraphError('LIMIT_EXCEEDED', { field: 'text', limit: 1, actual: 2 }));
    const given = { rules: ['orphans', 'half_templates', 'broken_links'] };
    const { succeeded, failed } = await ask(checkVault, given, { compute: { ...compute, run } });
    assert.deepEqual(Object.keys(byRule({ succeeded })), ['orphans', 'broken_links']);
    assert.deepEqual(
      failed.map(({ id, error }: { id: string; error: VaultgraphError }) => [id, error.code]),
      [['half_templates', 'LIMIT_EXCEEDED']],
    );
  }));
