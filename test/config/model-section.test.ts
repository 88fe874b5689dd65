// Setting and removing `providers.embedding` in texts of configs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { withModel } from '../../src/config/model-section.ts';

const MODEL = { type: 'model2vec', model: '/m/x' } as const;
const BLOCK = '  embedding:\n    type: model2vec\n    model: "/m/x"\n';
const set = (text: string): string => withModel('embedding', 'c.yaml', text, MODEL);

const TEXTS: Readonly<Record<string, readonly [before: string, after: string]>> = {
  'an empty file': ['', `providers:\n${BLOCK}`],
  'only comments': ['# a\n', `# a\n\nproviders:\n${BLOCK}`],
  'no line end': ['vault:\n  path: /v', `vault:\n  path: /v\n\nproviders:\n${BLOCK}`],
  'providers without a value': [
    'providers: # none\n# a\nlog:\n  level: info\n',
    `providers: # none\n${BLOCK}# a\nlog:\n  level: info\n`,
  ],
  'providers at the end': ['providers:', `providers:\n${BLOCK}`],
  'another provider': [
    'providers:\n  # a\n  llm:\n    model: x\n',
    `providers:\n${BLOCK}  # a\n  llm:\n    model: x\n`,
  ],
  'an embedding provider': [
    'providers:\n  # a\n  embedding: # b\n    # c\n    model: x # d\n  # e\n  llm:\n    model: y\n',
    `providers:\n  # a\n${BLOCK}  # e\n  llm:\n    model: y\n`,
  ],
  'an embedding provider in one line': ['providers:\n  embedding: { model: x }\n', `providers:\n${BLOCK}`],
};

for (const [name, [before, after]] of Object.entries(TEXTS))
  test(`an embedding provider is set in ${name}`, () => {
    assert.equal(set(before), after);
    assert.equal(set(after), after);
  });

test('other line ends and indents are kept', () => {
  const edited = set('vault:\r\n  path: /v\r\nproviders:\r\n    llm:\r\n        model: x\r\n');
  assert.deepEqual(parse(edited).providers, { embedding: MODEL, llm: { model: 'x' } });
  assert.match(edited, /^ {4}embedding:/m);
});

test('a text that cannot be edited is refused with what to write', () => {
  for (const text of ['providers: { llm: { model: x } }\n', '{ vault: { path: /v } }\n'])
    assert.throws(() => set(text), { code: 'CONFIG_INVALID' }, text);
});

test('removing restores the text before', () => {
  for (const before of ['vault:\n  path: /v\n\n', 'providers:\n  # a\n  llm:\n    model: x\n'])
    assert.equal(withModel('embedding', 'c.yaml', set(before), undefined).trimEnd(), before.trimEnd());
});
