// The vault's template folder: left out of searches, dossiers and gaps, unless the caller asks for it or names it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getContext } from '../../../src/tools/context/get_context.ts';
import { findGaps } from '../../../src/tools/links/find_gaps.ts';
import { createAskVault } from '../../../src/tools/llm/ask_vault.ts';
import { listNotes } from '../../../src/tools/notes/list_notes.ts';
import { listTags } from '../../../src/tools/notes/list_tags.ts';
import { createSearch } from '../../../src/tools/search/search.ts';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { assertEach } from '../../assert-each.ts';
import { fakeEmbedding } from '../../fakes/embedding.ts';
import { fakeLLM } from '../../fakes/llm.ts';
import { fillVectors } from '../fill-vectors.ts';
import { type ToolsUnderTest, withTools } from '../tools-under-test.ts';

const FILES = {
  'Sea/Tide.md': '# Tide\n\nThe tide rises. See [[Moon]] and [[Nowhere]].\n',
  'Sea/Moon.md': 'The moon pulls the tide.\n',
  'Meta/Templates/Tide log.md': 'Template: tide of {{date}}, see [[Tide]] and [[Unwritten]]. Moon.\n',
  'Meta/Templates/Alone.md': 'tide, Tide\n',
  'Meta/Note.md': 'tide\n',
};
const SETTINGS = '.obsidian/templates.json';
const FOLDER = JSON.stringify({ folder: 'Meta/Templates/' });
const WITH_SETTINGS = { ...FILES, [SETTINGS]: FOLDER };

interface Row {
  readonly path: string;
}
const pathsOf = (rows: readonly Row[]): string[] => [...new Set(rows.map(({ path }) => path))].sort();
const OWN = ['Meta/Note.md', 'Sea/Moon.md', 'Sea/Tide.md'];
const TEMPLATES = ['Meta/Templates/Alone.md', 'Meta/Templates/Tide log.md'];

test('search_text leaves templates out and says so; a folder in the template folder, or include, brings them back', () =>
  withTools(WITH_SETTINGS, async ({ ask }) => {
    const query = 'tide';
    const found = await ask(searchText, { query });
    assert.deepEqual([pathsOf(found.hits), found.total], [OWN, 3]);
    assert.equal(found.templates_left_out, 'Meta/Templates/');
    const two = await ask(searchText, { query: 'tide moon', match: 'any', folder: 'Meta' });
    assert.deepEqual(pathsOf(two.hits), ['Meta/Note.md']);
    const all = await ask(searchText, { query, templates: 'include' });
    assert.deepEqual([pathsOf(all.hits), all.total], [[...OWN, ...TEMPLATES].sort(), 5]);
    assert.equal('templates_left_out' in all, false);
    for (const folder of ['Meta/Templates', 'meta/templates/']) {
      const inside = await ask(searchText, { query, folder });
      assert.deepEqual(pathsOf(inside.hits), TEMPLATES);
      assert.equal('templates_left_out' in inside, false);
    }
    assert.equal((await ask(listNotes, {})).total, 5, 'a list leaves nothing out');
  }));

test('search and ask_vault leave templates out', () => {
  const { provider } = fakeEmbedding();
  const llm = fakeLLM(() => ({ answer: '', quotes: [], unanswerable: true })).provider;
  const work = async (under: ToolsUnderTest) => {
    await fillVectors(under, provider);
    const search = createSearch({ textOnly: false });
    assert.deepEqual(pathsOf((await under.ask(search, { query: 'tide' })).hits), OWN);
    const inside = await under.ask(search, { query: 'tide', folder: 'Meta/Templates' });
    assert.deepEqual(pathsOf(inside.hits), TEMPLATES);
    assert.equal((await under.ask(search, { query: 'tide', templates: 'include' })).hits.length, 5);
    for (const embedding of [true, false]) {
      const { retrieval } = await under.ask(createAskVault({ embedding }), { question: 'tide' });
      assert.deepEqual([retrieval.notes, retrieval.templates_left_out], [3, 'Meta/Templates/']);
    }
  };
  return withTools(WITH_SETTINGS, work, { embedding: provider, llm });
});

test('without a template folder, or with an empty one, nothing is left out', async () => {
  for (const settings of ['{}', '{"folder":""}', '{"folder":"Elsewhere"}', '{"folder":"../outside"}']) {
    await withTools({ ...FILES, [SETTINGS]: settings }, async ({ ask, warnings }) => {
      const found = await ask(searchText, { query: 'tide' });
      assert.deepEqual([found.total, 'templates_left_out' in found], [5, false], settings);
      assert.deepEqual(warnings, []);
    });
  }
});

test('the folders of QuickAdd are template folders, too', async () => {
  for (const settings of [
    '{"templateFolderPath":"/T/Quick/","choices":[]}',
    '{"templateFolderPaths":["T/Quick","T/None"]}',
  ]) {
    const files = {
      ...WITH_SETTINGS,
      '.obsidian/plugins/quickadd/data.json': settings,
      'T/Quick/Day.md': 'tide\n',
    };
    await withTools(files, async ({ ask }) => {
      const found = await ask(searchText, { query: 'tide' });
      assert.deepEqual([pathsOf(found.hits), found.templates_left_out], [OWN, 'Meta/Templates/, T/Quick/'], settings);
    });
  }
});

test('the folder of Templater is a template folder, too, and its code has no links and tags', () => {
  const code =
    '# <% tp.file.title %>\n\n<% tp.date.now("[[YYYY]]") %> #real [[Moon]] <%* tR += "[[Code]] #code"\n%>\n[[<% x %>]] [[Note <% y %>|z]] [a](<%z%>.md) ![[<% x %>]] 5 <% 6 [[Open]]\n';
  const files = {
    ...WITH_SETTINGS,
    '.obsidian/plugins/templater-obsidian/data.json': '{"templates_folder":"T/Own"}',
    'T/Own/Day.md': `---\nup: "[[<% up %>]]"\n---\n${code}tide\n`,
    'T/Plain.md': code,
  };
  return withTools(files, async ({ ask }) => {
    const found = await ask(searchText, { query: 'tide' });
    assert.deepEqual([pathsOf(found.hits), found.templates_left_out], [OWN, 'Meta/Templates/, T/Own/']);
    const inside = await ask(searchText, { query: 'tide', folder: 'T/Own' });
    assert.deepEqual([pathsOf(inside.hits), inside.templates_left_out], [['T/Own/Day.md'], 'Meta/Templates/']);
    const gaps = await ask(findGaps, { kind: 'unresolved', templates: 'include' });
    assert.deepEqual(gaps.gaps.map(({ name }: { name: string }) => name).sort(), ['Nowhere', 'Open', 'Unwritten']);
    assertEach((await ask(listTags, {})).tags, ({ tag }: { tag: string }) => tag, ['#real']);
  });
});

test('settings that cannot be read leave nothing out, with a warning', () =>
  withTools({ ...FILES, [SETTINGS]: '{ no json' }, async ({ ask, warnings }) => {
    assert.equal((await ask(searchText, { query: 'tide' })).total, 5);
    assert.deepEqual(warnings, [
      { code: 'EXTRA_MISSING', message: 'templates are not left out: .obsidian/templates.json is not valid JSON' },
    ]);
  }));

test('get_context has no passages, sentences or openings of templates, unless they are asked for', () =>
  withTools(WITH_SETTINGS, async ({ ask }) => {
    for (const input of [{ topic: 'tide' }, { notes: ['Tide'] }]) {
      const left = await ask(getContext, input);
      assert.deepEqual(
        pathsOf(left.sections).filter((path) => TEMPLATES.includes(path)),
        [],
      );
      assert.equal(left.templates_left_out, 'Meta/Templates/');
      const all = await ask(getContext, { ...input, templates: 'include' });
      assert.ok(pathsOf(all.sections).includes('Meta/Templates/Tide log.md'), JSON.stringify(all));
    }
    const named = await ask(getContext, { notes: ['Tide log'] });
    assert.equal(named.sections[0].path, 'Meta/Templates/Tide log.md');
  }));

test('find_gaps of every kind leaves templates out, unless one is named', () =>
  withTools(WITH_SETTINGS, async ({ ask }) => {
    const gaps = async (input: object) => (await ask(findGaps, input)).gaps;
    const names = async (more: object) =>
      (await gaps({ kind: 'unresolved', ...more })).map(({ name }: { name: string }) => name);
    assert.deepEqual(await names({}), ['Nowhere']);
    assert.deepEqual(await names({ templates: 'include' }), ['Nowhere', 'Unwritten']);
    assert.deepEqual(await names({ note: 'Tide log' }), ['Unwritten']);
    for (const since of [{}, { modified_since: '2000' }]) {
      assert.deepEqual(pathsOf(await gaps({ kind: 'orphans', ...since })), ['Meta/Note.md']);
      assert.deepEqual(pathsOf(await gaps({ kind: 'dead_ends', ...since })), ['Sea/Moon.md']);
    }
    const mentions = await gaps({ kind: 'unlinked_mentions', templates: 'include' });
    assert.ok(pathsOf(mentions).some((path) => TEMPLATES.includes(path)));
    const own = await gaps({ kind: 'unlinked_mentions' });
    assert.deepEqual(
      pathsOf(own).filter((path) => TEMPLATES.includes(path)),
      [],
    );
    assert.equal((await ask(findGaps, { kind: 'orphans' })).templates_left_out, 'Meta/Templates/');
  }));

test('a change of the settings is noticed, and not every search reads them', () =>
  withTools(WITH_SETTINGS, async ({ ask, vault, folder }) => {
    assert.equal((await ask(searchText, { query: 'tide' })).total, 3);
    folder.put(SETTINGS, '{}');
    assert.equal((await ask(searchText, { query: 'tide' })).total, 3, 'read less than ten seconds ago');
    await vault.settings('templates', new AbortController().signal);
    assert.equal((await ask(searchText, { query: 'tide' })).total, 5);
  }));
