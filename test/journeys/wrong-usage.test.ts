// Calls commands wrongly on purpose: each says what is wrong and what there is, also as JSON, and exits with 64.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { copyOfFixture, runProgram, temporaryFolder } from './session.ts';

const WRONG: readonly (readonly [args: readonly string[], says: RegExp, near?: string])[] = [
  [['stauts'], /unknown command 'stauts'/, 'status'],
  [['search_text', 'tide'], /unknown command 'search_text'/, 'search'],
  [['search', 'tide', '--tag', '##'], /vaultgraph search: --tag: is not a tag/],
  [['status', '--frobnicate'], /vaultgraph status: unknown option '--frobnicate'/],
  [['status', '--quite'], /unknown option '--quite'/, '--quiet'],
  [['index', 'surplus'], /too many arguments/],
  [['export', '--format', 'poem'], /'poem' is invalid\. Allowed choices are jsonl/],
  [['export', '--format', 'jsnl'], /'jsnl' is invalid/, 'jsonl'],
  [['tokens', 'revke', 'x'], /'revke' is invalid/, 'revoke'],
  [['changes', '--limit', '0'], /--limit takes a whole number above 0, not 0/],
  [['call'], /missing required argument 'tool'/],
  [['call', 'serch_text'], /there is no tool "serch_text"/, 'search_text'],
  [['call', 'list_tags', 'words'], /not valid JSON: words/],
  [['install'], /which client\?/],
  [['uninstall'], /which client\?/],
  [['install', '--client', 'crusor'], /there is no client "crusor"/, 'cursor'],
  [['view', '--export', 'graph.txt'], /use a file name that ends with \.html/],
];

suite('wrong usage', () => {
  for (const [args, says, near] of WRONG) {
    test(args.join(' '), (context) => {
      const place = ['--vault', copyOfFixture(context, 'tiny'), '--data-dir', temporaryFolder(context)];
      const { status, stdout, stderr } = runProgram(context, [...args, ...place, '--json']);
      assert.equal(status, 64, stderr);
      assert.match(stderr, says);
      const { ok, error } = JSON.parse(stdout);
      assert.deepEqual([ok, error.code, error.details.issues[0].did_you_mean], [false, 'INVALID_INPUT', near]);
      assert.match(error.message, says);
      assert.ok(error.details.accepted.length > 0);
    });
  }

  test('a tool whose provider is not configured is a fault of the config', (context) => {
    const place = ['--vault', copyOfFixture(context, 'tiny'), '--data-dir', temporaryFolder(context)];
    const { status, stdout, stderr } = runProgram(context, ['call', 'search', '{"query":"x"}', '--json', ...place]);
    assert.deepEqual([status, JSON.parse(stdout).error.code], [78, 'CAPABILITY_NOT_CONFIGURED']);
    assert.match(stderr, /providers\.embedding in the config/);
  });
});

test('help knows the commands, names the one that was meant, and an option before the command is said to go after it', (context) => {
  assert.match(runProgram(context, ['help', 'search']).stdout, /^Usage: .* search \[options\] <words\.\.\.>/);
  const unknown = runProgram(context, ['help', 'rea']);
  assert.equal(unknown.status, 64);
  assert.match(unknown.stderr, /Did you mean `read`\?/);
  const early = runProgram(context, ['--vault', 'x', 'search', 'tide']);
  assert.equal(early.status, 64);
  assert.match(early.stderr, /unknown option '--vault', which goes after the command/);
});
