// Adding a model from a hub on loopback: consent, records, faults of the network, and the config.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { parse } from 'yaml';
import { checkModel } from '../../../src/app/load-providers.ts';
import { NEVER } from '../../../src/base/async/waits.ts';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { addModel } from '../../../src/cli/models/add-model.ts';
import { downloadFile } from '../../../src/cli/models/download.ts';
import { describeFile } from '../../../src/cli/models/hub.ts';
import { damagedModels, installedModels } from '../../../src/cli/models/model-folders.ts';
import { runModels } from '../../../src/cli/models/models-command.ts';
import { listText } from '../../../src/cli/models/models-text.ts';
import { RUNTIME, runtimeFolder } from '../../../src/providers/onnx/runtime.ts';
import { COMMIT, openModelHub, REPOSITORY } from '../../fakes/model-hub.ts';
import { packageFolder, writeOnnxModel } from '../../fakes/onnx-folder.ts';
import { type ModelBench, modelBench, NAME, person } from './models-under-test.ts';

const TABLE = 'model.safetensors';
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** No model is in place, and the config is as before. */
function assertNothingInstalled({ folder, config }: ModelBench): void {
  assert.equal(existsSync(folder), false);
  assert.doesNotMatch(config(), /embedding/);
}

suite('adding a model', () => {
  test('installs the files, records where they came from, and names the model in the config', async (context) => {
    const bench = await modelBench(context);
    const added = await bench.add();
    assert.deepEqual(readdirSync(bench.folder).sort(), [
      'config.json',
      TABLE,
      'tokenizer.json',
      'vaultgraph-model.json',
    ]);
    const record = JSON.parse(readFileSync(join(bench.folder, 'vaultgraph-model.json'), 'utf8'));
    assert.equal(JSON.stringify(record), JSON.stringify(added?.model));
    assert.deepEqual([record.repository, record.revision, record.dimensions], [REPOSITORY, COMMIT, 64]);
    const table = bench.hub.files.get(TABLE) as Buffer;
    assert.deepEqual(record.files[0], { file: TABLE, bytes: table.length, sha256: sha256(table), hash_from: 'hub' });
    assert.equal(record.files[1].hash_from, 'computed');
    assert.deepEqual(parse(bench.config()).providers, { embedding: { type: 'model2vec', model: bench.folder } });
    assert.deepEqual(readdirSync(dirname(bench.folder)), [NAME]);
  });

  test('a record that is damaged is listed, holds no other model up, and is replaced or removed', async (context) => {
    const bench = await modelBench(context);
    await bench.add();
    const models = dirname(bench.folder);
    const record = join(bench.folder, 'vaultgraph-model.json');
    const good = readFileSync(record, 'utf8');
    cpSync(bench.folder, join(models, 'other'), { recursive: true });
    writeFileSync(join(models, 'other', 'vaultgraph-model.json'), good.replace(NAME, 'other'));
    for (const text of [
      '',
      '{',
      'null',
      '[]',
      '{}',
      '"x"',
      good.slice(0, 99),
      good.replace('"files": [', '"files": [5,'),
      good.replace(NAME, 'other'),
    ]) {
      writeFileSync(record, text);
      assert.deepEqual(
        installedModels(models).map(({ name }) => name),
        ['other'],
        text,
      );
      assert.deepEqual(damagedModels(models), [NAME], text);
      assert.match(
        listText(installedModels(models), damagedModels(models)),
        /potion-base-8M\n {2}its record is damaged: .* models remove potion-base-8M/,
      );
      assert.equal((await bench.add())?.was_installed, false, text);
      assert.deepEqual(damagedModels(models), [], text);
    }
    writeFileSync(record, '');
    assert.equal(await runModels('remove', NAME, { ...bench.options, json: true }), 0);
    assert.deepEqual([existsSync(bench.folder), parse(bench.config()).providers], [false, undefined]);
  });

  test('a model that was altered since it was installed is not used, and add installs it again', async (context) => {
    const bench = await modelBench(context);
    await bench.add();
    assert.equal(await checkModel(bench.folder, NEVER), 64);
    const paths = ['model.safetensors', 'tokenizer.json', 'config.json'].map((name) => join(bench.folder, name));
    for (const path of paths) {
      const good = readFileSync(path);
      const bytes = Buffer.from(good);
      bytes.writeUInt8((bytes.at(-2) as number) ^ 1, bytes.length - 2);
      writeFileSync(path, bytes);
      await assert.rejects(checkModel(bench.folder, NEVER), (thrown) => {
        assert.ok(thrown instanceof VaultgraphError);
        assert.equal(thrown.code, 'PROVIDER_MODEL_UNSUITABLE');
        assert.match(thrown.message + thrown.hint, /changed since it was installed.* models add potion-base-8M`/);
        return true;
      });
      assert.equal((await bench.add())?.was_installed, false, path);
      assert.deepEqual(readFileSync(path), good);
      assert.equal(await checkModel(bench.folder, NEVER), 64);
    }
    assert.equal((await bench.add())?.was_installed, true);
  });

  test('what an interrupted download left of a file is used only where the hub names its hash', async (context) => {
    const bench = await modelBench(context);
    const staged = join(dirname(bench.folder), `.staged+${NAME}`);
    mkdirSync(staged, { recursive: true });
    writeFileSync(join(staged, 'revision'), COMMIT);
    const altered = (bytes: Buffer): string => bytes.toString('latin1').replace(/[a-z]/, 'Z');
    for (const [name, bytes] of bench.hub.files)
      writeFileSync(join(staged, name), name === TABLE ? bytes : altered(bytes), 'latin1');
    writeFileSync(join(staged, 'config.json.part'), '{');
    await bench.add();
    for (const [name, bytes] of bench.hub.files) assert.deepEqual(readFileSync(join(bench.folder, name)), bytes, name);
    const gets = bench.hub.requests.filter((each) => each.startsWith('GET') && each.includes(TABLE));
    assert.deepEqual(gets, [], 'the table is not downloaded again');
  });

  test('contacts no host before the user agreed, and downloads nothing before the second question', async (context) => {
    const bench = await modelBench(context);
    const first = person(false);
    assert.equal(await bench.add({}, first), undefined);
    assert.equal(bench.hub.requests.length, 0);
    assert.match(first.asked[0] ?? '', /^Ask 127\.0\.0\.1:\d+ .* minishlab\/potion-base-8M \(licence MIT\)\?$/);
    const second = person(true, false);
    assert.equal(await bench.add({}, second), undefined);
    assert.equal(second.asked.length, 2);
    assert.ok(bench.hub.requests.length > 0 && bench.hub.requests.every((each) => each.startsWith('HEAD')));
    assertNothingInstalled(bench);
    await bench.add({}, person(true, true));
    assert.ok(existsSync(bench.folder));
  });

  test('needs --yes where no one can be asked', async (context) => {
    const bench = await modelBench(context);
    const { code, message } = await bench.refusal({ yes: false });
    assert.equal(code, 'INVALID_INPUT');
    assert.match(message, /pass --yes/);
    assert.equal(bench.hub.requests.length, 0);
  });

  test('stores the int8 variant with one byte per number, and records both tables', async (context) => {
    const bench = await modelBench(context);
    const added = await bench.add({}, undefined, `${NAME}-int8`);
    const table = readFileSync(join(added?.folder ?? '', TABLE));
    assert.deepEqual(added?.model.stored, { numbers: 'int8', bytes: table.length, sha256: sha256(table) });
    assert.ok(table.length < (added?.model.files[0]?.bytes ?? 0) / 2);
    assert.equal(added?.model.files[0]?.sha256, sha256(bench.hub.files.get(TABLE) as Buffer));
    assert.deepEqual(readdirSync(dirname(bench.folder)), [`${NAME}-int8`]);
  });

  test('uses an installed model again without a network', async (context) => {
    const bench = await modelBench(context);
    await bench.add();
    const count = bench.hub.requests.length;
    assert.equal((await bench.add({ yes: false }))?.was_installed, true);
    assert.equal(bench.hub.requests.length, count);
    assert.equal((await bench.refusal({ revision: 'other' })).code, 'INVALID_INPUT');
    assert.equal((await bench.add({ revision: 'main', replace: true }))?.was_installed, false);
  });

  test('rejects wrong arguments before it contacts a host', async (context) => {
    const bench = await modelBench(context);
    const unknown = await bench.refusal({}, 'potion-base-8B');
    assert.match(unknown.hint, /Did you mean `potion-base-8M`\?/);
    for (const more of [
      { revision: '--x' },
      { sha256: 'abc' },
      { hub: 'http://hub.example' },
      { hub: 'ftp://hub.example' },
      { from: '/x', revision: 'main' },
    ])
      assert.equal((await bench.refusal(more)).code, 'INVALID_INPUT', JSON.stringify(more));
    assert.equal((await bench.refusal({ from: '/x' }, '../x')).code, 'INVALID_INPUT');
    assert.equal(bench.hub.requests.length, 0);
  });
});

suite('a download that fails', () => {
  test('is continued where the connection was cut', async (context) => {
    const bench = await modelBench(context);
    bench.hub.behaviour.cutAfter = 5_000;
    const failure = await bench.refusal();
    assert.equal(failure.code, 'DOWNLOAD_FAILED');
    assert.match(failure.hint, /^5,000 bytes are kept/);
    assertNothingInstalled(bench);
    bench.hub.behaviour.cutAfter = undefined;
    await bench.add();
    assert.ok(bench.hub.requests.includes(`GET /${REPOSITORY}/resolve/${COMMIT}/${TABLE} bytes=5000-`));
    assert.deepEqual(readFileSync(join(bench.folder, TABLE)), bench.hub.files.get(TABLE));
  });

  test('with another hash than the hub names is deleted', async (context) => {
    const bench = await modelBench(context);
    bench.hub.behaviour.isWrong = true;
    const { code, message } = await bench.refusal();
    assert.equal(code, 'DOWNLOAD_MISMATCH');
    assert.match(message, /SHA-256/);
    assertNothingInstalled(bench);
    bench.hub.behaviour.isWrong = false;
    await bench.add();
    assert.ok(bench.hub.requests.at(-3)?.endsWith(TABLE), 'it was not downloaded from its beginning');
  });

  test('because the pinned hash differs is refused before the download', async (context) => {
    const bench = await modelBench(context);
    assert.equal((await bench.refusal({ sha256: '0'.repeat(64) })).code, 'DOWNLOAD_MISMATCH');
    assert.ok(bench.hub.requests.every((each) => each.startsWith('HEAD')));
    await bench.add({ sha256: sha256(bench.hub.files.get(TABLE) as Buffer), revision: COMMIT });
  });

  test('names the status and the connection', async (context) => {
    const bench = await modelBench(context);
    assert.match(
      (await bench.refusal({ revision: 'gone' })).message,
      /HTTP 404 \(no such repository, revision or file\)/,
    );
    bench.hub.behaviour.status = 503;
    assert.match((await bench.refusal()).message, /HTTP 503/);
    await bench.hub.close();
    assert.match((await bench.refusal()).message, /connection refused/);
    assertNothingInstalled(bench);
  });

  test('because nothing arrives any more ends in time and keeps what arrived', async (context) => {
    const bench = await modelBench(context);
    bench.hub.behaviour.hangAfter = 3_000;
    const place = { hub: bench.hub.origin, repository: REPOSITORY, revision: COMMIT };
    const expected = await describeFile(place, TABLE, NEVER);
    const path = join(bench.root, TABLE);
    const watched = { place, expected, path, idleMs: 200, onProgress: () => undefined, onHost: () => undefined };
    await assert.rejects(downloadFile(watched, NEVER), {
      code: 'DOWNLOAD_FAILED',
      details: { host: new URL(bench.hub.origin).host, file: TABLE, reason: 'no answer in time', kept_bytes: 3_000 },
    });
  });
});

suite('a redirect', () => {
  test('to another host is followed, and named before the download', async (context) => {
    const bench = await modelBench(context);
    const store = await openModelHub();
    context.after(() => store.close());
    bench.hub.behaviour.redirectTo = store.origin;
    await bench.add();
    assert.deepEqual(store.requests, [`GET /${REPOSITORY}/resolve/${COMMIT}/${TABLE}`]);
    const place = { hub: bench.hub.origin, repository: REPOSITORY, revision: 'main' };
    assert.equal((await describeFile(place, TABLE, NEVER)).servedBy, new URL(store.origin).host);
  });

  test('without encryption off this machine is refused', async (context) => {
    const bench = await modelBench(context);
    bench.hub.behaviour.redirectTo = 'http://files.example';
    const { code, message } = await bench.refusal();
    assert.equal(code, 'DOWNLOAD_FAILED');
    assert.match(message, /redirects to http:\/\/files\.example, which is not https/);
    assertNothingInstalled(bench);
  });
});

suite('a folder', () => {
  /** A folder with the files of the hub. */
  function sourceIn({ root, hub }: ModelBench): string {
    const source = join(root, 'source');
    cpSync(join(root, 'notes'), source, { recursive: true });
    for (const [name, content] of hub.files) writeFileSync(join(source, name), content);
    return source;
  }

  test('is installed without a network, named by itself or by a file in it', async (context) => {
    const bench = await modelBench(context);
    const source = sourceIn(bench);
    const from = { from: source, yes: false };
    const { hub: _, ...options } = bench.options;
    const added = await addModel('mine', { ...options, ...from }, undefined);
    assert.deepEqual([added?.model.source, added?.model.repository], [source, null]);
    const again = await addModel('other', { ...options, from: join(source, TABLE), replace: true }, undefined);
    assert.equal(again?.model.source, source);
    assert.equal(bench.hub.requests.length, 0);
  });

  test('that is not a model is refused with what is missing', async (context) => {
    const bench = await modelBench(context);
    const { hub: _, ...options } = bench.options;
    const source = sourceIn(bench);
    const refused = (reason: RegExp, from = source) =>
      assert.rejects(addModel('mine', { ...options, from }, undefined), { code: 'MODEL_INVALID', message: reason });
    await refused(/there is no /, join(bench.root, 'absent'));
    writeFileSync(join(bench.root, 'model.zip'), 'PK');
    await refused(/model\.zip is an archive; unpack it and name the folder/, join(bench.root, 'model.zip'));
    writeFileSync(join(source, 'tokenizer.json'), '{}');
    await refused(/its tokenizer\.json cannot be read/);
    rmSync(join(source, 'tokenizer.json'));
    rmSync(join(source, 'config.json'));
    await refused(/has no tokenizer\.json, no config\.json/);
    assert.deepEqual(readdirSync(dirname(bench.folder)), []);
  });
});

suite('a folder with a transformer', () => {
  test('is installed with its library, from a folder or a tarball, and embeds', async (context) => {
    const bench = await modelBench(context);
    const { hub: _, ...options } = bench.options;
    const source = join(bench.root, 'transformer');
    writeOnnxModel(source);
    const tarball = join(bench.root, 'package.tgz');
    const names = Object.keys(RUNTIME.files).map((name) => `package/dist/${name}`);
    // As in the package, whose other files come first.
    const packed = ['package/dist/ort.wasm.min.js', ...names];
    execFileSync('tar', ['-czf', tarball, '--transform', 's,^,package/,', ...packed.map((name) => name.slice(8))], {
      cwd: packageFolder,
    });
    const runtime = runtimeFolder(join(dirname(bench.folder), 'any'));
    for (const from of [tarball, packageFolder, join(packageFolder, 'dist')]) {
      rmSync(runtime, { recursive: true, force: true });
      const named =
        { [tarball]: join(source, 'onnx'), [packageFolder]: join(source, 'onnx/model.onnx') }[from] ?? source;
      const more = { from: named, runtime: from, yes: false, replace: true };
      const added = await addModel('mine', { ...options, ...more }, undefined);
      assert.deepEqual([added?.model.type, added?.model.dimensions, added?.model.source], ['onnx', 32, source]);
      assert.deepEqual(readdirSync(runtime).sort(), Object.keys(RUNTIME.files).sort());
      const model = join(dirname(bench.folder), 'mine');
      assert.deepEqual(parse(bench.config()).providers.embedding, { type: 'onnx', model });
    }
    assert.deepEqual(readdirSync(dirname(bench.folder)).sort(), [basename(runtime), 'mine']);
  });

  test('that scores pairs is named as the rerank model, beside the one for embedding', async (context) => {
    const bench = await modelBench(context);
    const { hub: _, ...options } = bench.options;
    await bench.add();
    const embedding = { type: 'model2vec', model: bench.folder };
    const source = join(bench.root, 'cross-encoder');
    writeOnnxModel(source, { pairs: true });
    const added = await addModel('judge', { ...options, from: source, runtime: packageFolder, yes: true }, undefined);
    const model = join(dirname(bench.folder), 'judge');
    assert.deepEqual([added?.model.type, added?.model.key], ['onnx', 'rerank']);
    assert.deepEqual(parse(bench.config()).providers, { embedding, rerank: { type: 'onnx', model } });
    // A section that was removed is written again.
    bench.setConfig(bench.config().replace(/ {2}rerank:\n.*\n.*\n/, ''));
    assert.deepEqual(parse(bench.config()).providers, { embedding });
    await addModel('judge', { ...options, from: source, yes: true, replace: true }, undefined);
    assert.deepEqual(parse(bench.config()).providers, { embedding, rerank: { type: 'onnx', model } });
    bench.setConfig(bench.config().replace('type: onnx', 'wire: tei\n    endpoint: http://127.0.0.1:1'));
    const again = addModel('judge', { ...options, from: source, yes: true }, undefined);
    await assert.rejects(again, { code: 'INVALID_INPUT', message: /--replace/ });
    writeFileSync(join(source, 'tokenizer.json'), '{');
    const broken = addModel('other', { ...options, from: source, yes: true, replace: true }, undefined);
    await assert.rejects(broken, { code: 'MODEL_INVALID', message: /tokenizer.json cannot be read/ });
  });

  test('of the list says how it is had, and contacts no host', async (context) => {
    const bench = await modelBench(context);
    for (const [name, how] of [
      ['all-MiniLM-L6-v2', /models add all-MiniLM-L6-v2 --from FOLDER/],
      ['embeddinggemma-2', /ollama pull embeddinggemma-2/],
    ] as const) {
      const { code, message } = await bench.refusal({}, name);
      assert.equal(code, 'INVALID_INPUT');
      assert.match(message, how);
    }
    assert.equal(bench.hub.requests.length, 0);
  });

  test('needs agreement for its library, or a path that has the pinned one', async (context) => {
    const bench = await modelBench(context);
    const { hub: _, ...options } = bench.options;
    const source = join(bench.root, 'transformer');
    writeOnnxModel(source);
    const add = (more: object, one = undefined as ReturnType<typeof person> | undefined) =>
      addModel('mine', { ...options, from: source, yes: false, ...more }, one);
    await assert.rejects(add({}), { code: 'INVALID_INPUT', message: /pass --yes .* or --runtime PATH/ });
    assert.equal(await add({}, person(false)), undefined);
    const other = join(bench.root, 'other.tgz');
    writeFileSync(other, 'no tarball');
    const failed = { code: 'DOWNLOAD_FAILED', hint: /Pass --runtime with onnxruntime-web@/ };
    for (const runtime of [join(bench.root, 'absent'), bench.root, other])
      await assert.rejects(add({ runtime }), failed);
    for (const name of Object.keys(RUNTIME.files)) writeFileSync(join(bench.root, name), 'another version');
    await assert.rejects(add({ runtime: bench.root }), { ...failed, message: /not those of version/ });
    assertNothingInstalled(bench);
    assert.equal(existsSync(join(dirname(bench.folder), 'mine')), false);
  });
});

suite('a config', () => {
  test('keeps its comments and other keys', async (context) => {
    const bench = await modelBench(context);
    bench.setConfig(
      `# mine\n${bench.config()}# about models\nproviders:\n  # the large one\n  llm: # off at night\n    type: ollama\n    model: llama3.2\n`,
    );
    const before = bench.config().split('\n');
    await bench.add();
    for (const line of before) assert.ok(bench.config().split('\n').includes(line), line);
    assert.equal(parse(bench.config()).providers.llm.model, 'llama3.2');
  });

  test('with another embedding provider changes only with --replace, and a backup is kept', async (context) => {
    const bench = await modelBench(context);
    bench.setConfig(`${bench.config()}providers:\n  embedding:\n    type: ollama\n    model: embeddinggemma\n`);
    const before = bench.config();
    const refusal = await bench.refusal();
    assert.equal(refusal.code, 'CONFIG_INVALID');
    assert.match(`${refusal.message} ${refusal.hint}`, /embeddinggemma.*Pass --replace/);
    assert.deepEqual([bench.hub.requests.length, bench.config()], [0, before]);
    const added = await bench.add({ replace: true });
    assert.equal(readFileSync(added?.backup ?? '', 'utf8'), before);
    assert.equal(parse(bench.config()).providers.embedding.model, bench.folder);
  });
});
