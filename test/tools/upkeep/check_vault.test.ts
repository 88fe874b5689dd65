// check_vault over a vault with seeded faults of each rule, over a clean one, and the calls that it names.
import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECK_DEFAULTS } from '../../../src/contracts/check-settings.ts';
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
  'Weekly.md': '# Week\nWritten on {{date:YYYY-MM-DD}} by <% tp.user.name() %> [[Home]]\n\nFor ${author}.',
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
    'Write `{{date}}` and\n```\n<% tp.date.now() %> ${name}\n```\nAn account of $${x}$ and {{c1::cloze}} and {{< figure >}}. [[Home]]',
  'Templates/Daily.md': '# {{title}}\n[[{{date}}]] <% tp.file.cursor() %> #tempalte',
  'Meeting template.md': '{{date}} [[Home]]',
};

async function inTime({ root, run }: ToolsUnderTest): Promise<void> {
  const at = (path: string, days: number) => {
    const when = new Date(Date.now() - days * 86_400_000);
    utimesSync(join(folder.path, path), when, when);
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
        '#book #books plural',
        '#cafe #café accents',
        '#machine-learning #machine_learning separator',
        '#philosophy #phylosophy typo',
      ].sort(),
      similar_properties: [
        ['ratng', undefined, 'rating'],
        ['status', 'open', 'Open'],
      ],
      two_titles: [
        [['Twin A.md', 'Twin B.md'], 'Storm of the year'],
        ['Twice/One.md', 'The first voyage'],
      ],
      half_templates: [['Weekly.md', 2, 3]],
      overdue_tasks: [['Tasks.md', 1, 90]],
    });
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
