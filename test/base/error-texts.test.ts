// Tests that an error shows at most 200 characters of a text from outside, and keeps all of it for the program.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConfigFault, cut, VaultgraphError } from '../../src/base/errors.ts';

const LONG = 'x'.repeat(5_000);
const SHOWN = `${'x'.repeat(200)}…`;

test('a text is cut with a mark, and not within a character', () => {
  assert.equal(cut('x'.repeat(200)), 'x'.repeat(200));
  assert.equal(cut(LONG), SHOWN);
  assert.equal(cut(`${'x'.repeat(199)}😀 and more`), `${'x'.repeat(199)}…`);
  assert.equal(cut(`${'x'.repeat(198)}😀 and more`), `${'x'.repeat(198)}😀…`);
  assert.equal(cut('😀😀', 3), '😀…');
});

test('message, hint and shown details have cut texts, at every depth; the details have all of them', () => {
  const issues = [{ path: LONG, rule: 'is wrong', did_you_mean: LONG }];
  const error = new VaultgraphError('INVALID_INPUT', { tool: 'a_tool', issues, accepted: [LONG] });
  assert.equal(error.message, `a_tool: ${SHOWN}: is wrong`);
  assert.equal(error.hint.includes('x'.repeat(201)), false);
  assert.deepEqual(error.shown.issues, [{ path: SHOWN, rule: 'is wrong', did_you_mean: SHOWN }]);
  assert.equal(error.details.issues, issues);
  const moved = new VaultgraphError('NOTE_EXISTS', { path: LONG });
  assert.equal(moved.message, `${SHOWN} already exists; it was not changed`);
});

test('a diff and the faults of the config are whole', () => {
  const conflict = new VaultgraphError('WRITE_CONFLICT', { path: 'a.md', diff: LONG });
  assert.equal(conflict.shown.diff, LONG);
  const invalid = new VaultgraphError('CONFIG_INVALID', { faults: [{ file: 'config.yaml', what: LONG }] });
  assert.ok(invalid.message.includes(LONG));
});

test('a hint about the config file is given for faults of that file only', () => {
  const hintOf = (fault: ConfigFault, advice?: string): string =>
    new VaultgraphError('CONFIG_INVALID', { faults: [fault], ...(advice !== undefined && { advice }) }).hint;
  assert.match(hintOf({ file: 'config.yaml', line: 3, what: 'unknown key' }), /config\.example\.yaml/);
  assert.doesNotMatch(hintOf({ file: '--data-dir', what: 'is inside the vault' }), /config/);
  assert.doesNotMatch(hintOf({ file: '--vault', key: 'vault.path', what: 'no folder at /nope' }), /config/);
  assert.equal(hintOf({ file: 'mcp.json', line: 3, what: 'is not JSON' }, 'Correct this file.'), 'Correct this file.');
});

test('the names of all installed models are whole', () => {
  const installed = ['embeddinggemma:300m', 'nomic-embed-text', 'qwen3-embedding:0.6b'];
  const by = { capability: 'embedding', provider: 'ollama', endpoint: 'http://127.0.0.1:1', model: 'other' } as const;
  const details = { ...by, attempts: 1, elapsed_ms: 1, level: 'call', installed, auto_pull: 'never' } as const;
  const { hint } = new VaultgraphError('PROVIDER_MODEL_MISSING', details);
  for (const name of installed) assert.ok(hint.includes(`\`${name}\``), hint);
});

test('what is advised for a connection that fails fits its cause', () => {
  const by = { capability: 'llm', provider: 'ollama', endpoint: 'http://127.0.0.1:1', model: 'm' } as const;
  const hintOf = (cause_code: string, more: object = {}): string => {
    const details = { ...by, attempts: 1, elapsed_ms: 1, level: 'call', cause_code, ...more } as const;
    return new VaultgraphError('PROVIDER_UNAVAILABLE', details).hint;
  };
  assert.match(hintOf('ECONNREFUSED'), /start Ollama there, or to correct providers\.llm\.endpoint; then try again/);
  assert.match(hintOf('ECONNREFUSED', { proxy: 'http://proxy.example:3128' }), /the proxy runs/);
  for (const code of ['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID'])
    assert.match(hintOf(code), /NODE_EXTRA_CA_CERTS/);
  assert.match(hintOf('EPROTO'), /http or https/);
  assert.match(hintOf('ENOTFOUND'), /the network and the host name/);
});

test('a request that is refused for other reasons than its input is not advised another input', () => {
  const by = { capability: 'llm', provider: 'ollama', endpoint: 'http://127.0.0.1:1', model: 'm' } as const;
  const hintOf = (level: 'item' | 'call'): string => {
    const details = { ...by, attempts: 1, elapsed_ms: 1, level, status: 402, said: 'no credit' };
    return new VaultgraphError('PROVIDER_REJECTED_INPUT', details).hint;
  };
  assert.match(hintOf('item'), /other inputs may succeed/);
  assert.match(hintOf('call'), /not its input/);
});

test('the index is not advised another folder where the folder is not at fault', () => {
  const advice = 'Try again.';
  const error = new VaultgraphError('STORE_UNAVAILABLE', { op: 'apply', reason: 'the thread ended', advice });
  assert.equal(error.hint, advice);
});

test('a config file that does not exist leads to another one, or to init', () => {
  const advice = 'Name a config file that exists.';
  const faults = [{ file: '--config', what: 'no config file at /nope', advice }];
  assert.equal(new VaultgraphError('CONFIG_INVALID', { faults }).hint, advice);
});

test('a write that the disk refuses for another reason than its space is not called a full disk', () => {
  const full = (sqlite_code: string): VaultgraphError =>
    new VaultgraphError('STORE_FULL', { op: 'apply', file: 'index.db', sqlite_code });
  assert.match(full('SQLITE_FULL').message, /no space left for index\.db$/);
  assert.match(full('SQLITE_IOERR_WRITE').message, /the disk refuses to write index\.db$/);
  assert.match(full('SQLITE_IOERR_WRITE').hint, /quota .+ failing/);
});
