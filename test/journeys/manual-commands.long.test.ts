// Runs every command in the README and docs/ exactly as printed, in a temporary home; commands that are not run are listed with the reason.
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, suite, type TestContext, test } from 'node:test';
import { toolCatalogFor } from '../../src/tools/catalog.ts';
import { type OllamaServer, startOllama } from '../fakes/ollama-server.ts';
import { describePostgres } from '../postgresql/describe-postgres.ts';
import { PROGRAM, ROOT, temporaryFolder } from './session.ts';

/** How to try a command. Without `as` it is run exactly as printed. */
type Plan =
  | {
      /** Replacements for placeholders. */
      readonly as?: string;
      /** Exit codes that count as success. */
      readonly ends?: readonly number[];
      /** A server that runs until it is stopped: the output expected before that. */
      readonly says?: RegExp;
      /** A server that answers a client over stdin and stdout. */
      readonly speaks?: true;
    }
  | { readonly notRun: string };

const INSTALLS = 'installs this project, which was done before the tests';
const LONG = 'takes minutes; its parts have tests of their own';
const DOWNLOADS = 'downloads a model; another test does so from a hub on this machine';
const NO_CONTAINERS = 'needs a machine with containers';
const FINE_OR_WARNED = [0, 1];

const PLANS: Readonly<Record<string, Plan>> = {
  'npm ci': { notRun: INSTALLS },
  'npm ci --loglevel notice': { notRun: INSTALLS },
  'npm start': { speaks: true },
  'npm start -- --vault ~/Notes': { speaks: true },
  'npm test': { notRun: 'runs this test' },
  'npm run test:long': { notRun: LONG },
  'npm run demo': {},
  'npm run check': { notRun: 'runs next to the tests in CI' },
  'npm run bench': { notRun: LONG },
  'npm run bench -- --store postgresql': { notRun: LONG },
  'npm run bench -- --store postgresql --notes 500000': { notRun: LONG },
  'npm run simulate': { notRun: `${LONG}; some schedules are a test` },
  'npm run bench:compare': { notRun: `installs another program from the registry, and ${LONG}` },
  'npm run soak': { notRun: `${LONG}; a short one is a test` },
  // Where question sets are beside the checkout, it takes minutes.
  'npm run eval': { as: 'npm run eval -- vault-fixtures/island' },
  'npm run eval -- ~/vaults/foam-docs ~/vaults/kepano': {
    notRun: 'asks for vaults of other people, which are not part of this',
  },
  'npm run eval -- ~/sets/hotpotqa': { notRun: 'asks for a question set, which is not part of this' },
  'npm run eval -- --queries 100 ~/sets/*': { notRun: 'asks for question sets, which are not part of this' },
  'npm run eval -- --embedding config.yaml': { notRun: 'needs a real model; another test runs it with a small one' },
  'npm run conformance': { notRun: 'rebuilds dist/ while other tests use it; its cases are tests' },
  'npm run conformance -- FILE': { notRun: 'rebuilds dist/ while other tests use it; its cases are tests' },
  'npm run test:ollama': { notRun: 'needs a real Ollama' },
  'node test/runner/run.ts test/mcp/dispatch/*.test.ts': {
    notRun: 'runs other tests; the test commands run the runner',
  },
  'node test/manual.ts': { notRun: 'writes the pages that are tested here; another test checks its output' },
  'node dist/main.js': { as: 'node dist/main.js --help' },
  'node dist/main.js init': {},
  'node dist/main.js install --client claude-desktop': {},
  'node dist/main.js doctor': { ends: FINE_OR_WARNED },
  'node dist/main.js doctor --vault ~/Notes': { ends: FINE_OR_WARNED },
  'node dist/main.js search tide --vault ~/Notes': {},
  'node dist/main.js call list_tasks \'{"status": "open"}\' --vault ~/Notes': {},
  'vaultgraph search tide pool': {},
  'vaultgraph read NOTE': { as: 'vaultgraph read "Start here"' },
  'vaultgraph serve': { speaks: true },
  'vaultgraph serve --http': { says: / at http:\/\/127\.0\.0\.1:7332\/mcp/ },
  'vaultgraph tokens': {},
  'vaultgraph tokens add phone': {},
  'vaultgraph tokens add desk': {},
  'vaultgraph tokens add NAME': {},
  'vaultgraph tokens add NAME --view VIEW': { notRun: 'needs a config with views; another test runs it with one' },
  'vaultgraph tokens revoke NAME': {},
  'vaultgraph doctor --http': { ends: FINE_OR_WARNED },
  'docker build -t vaultgraph .': { notRun: NO_CONTAINERS },
  'docker run --read-only --tmpfs /tmp -v ~/Notes:/vault -v vaultgraph:/data -v ./config.yaml:/config.yaml:ro -p 127.0.0.1:7332:7332 vaultgraph':
    { notRun: NO_CONTAINERS },
  'docker exec CONTAINER node /app/dist/main.js tokens add desk --config /config.yaml --data-dir /data': {
    notRun: NO_CONTAINERS,
  },
  'npm run bench:http': { notRun: LONG },
  'node test/bench/drivers.ts': { notRun: LONG },
  'node test/bench/onnx-embedding.ts FOLDER': { notRun: 'asks for a model, which is not part of this' },
  'npm install --package-lock-only': { notRun: 'asks the registry, and writes a file of this project' },
  'npm run bundle': { notRun: 'another test builds the bundles' },
  'npm run bundle -- linux-x64': { notRun: 'another test builds the bundles' },
  'npm run release:check': { notRun: LONG },
  'npx vaultgraph init': { notRun: 'works once the package is published; a test of the package runs it' },
  'npx vaultgraph serve --vault ~/Notes': {
    notRun: 'works once the package is published; a test of the package runs it',
  },
  'npm uninstall -g vaultgraph': { notRun: 'removes a package that is not installed here' },
  'vaultgraph index': {},
  'vaultgraph index --confirm': {},
  'vaultgraph index --store sqlite': { notRun: 'needs an index of PostgreSQL; another test runs it with one' },
  'vaultgraph index --store sqlite --from old-config.yaml': {
    notRun: 'needs an index of PostgreSQL; another test runs it with one',
  },
  'vaultgraph index --store postgresql': { notRun: 'needs a config with PostgreSQL; another test runs it with one' },
  'vaultgraph status': {},
  'vaultgraph doctor': { ends: FINE_OR_WARNED },
  'vaultgraph doctor --rebuild-index': { ends: FINE_OR_WARNED },
  'vaultgraph doctor --set-aside-changes': { ends: FINE_OR_WARNED },
  'vaultgraph config': {},
  "vaultgraph call TOOL '{json}'": { as: `vaultgraph call find_path '{"from": "Ada", "to": "Tide pool"}'` },
  'vaultgraph export --format jsonl': {},
  'node dist/main.js view --vault ~/Notes': { says: /^http:\/\/127\.0\.0\.1:\d+\//m },
  'vaultgraph view --vault ~/Notes': { says: /^http:\/\/127\.0\.0\.1:\d+\//m },
  'vaultgraph export --format svg': {},
  'vaultgraph export --vault ~/Notes --format site --out ~/site': {
    as: 'vaultgraph export --vault ~/Notes --format site --out ~/site --tag person',
  },
  'vaultgraph view': { as: 'vaultgraph view --no-open', says: /^http:\/\/127\.0\.0\.1:\d+\//m },
  'vaultgraph init': { as: 'vaultgraph init --yes --access read-write --config ~/second.yaml' },
  'vaultgraph init --all': { as: 'vaultgraph init --all --yes --config ~/third.yaml' },
  'vaultgraph install --client NAME': { as: 'vaultgraph install --client codex' },
  'vaultgraph uninstall --client NAME': { as: 'vaultgraph uninstall --client codex' },
  'vaultgraph models': {},
  'vaultgraph models add': { notRun: DOWNLOADS },
  'vaultgraph models add NAME': { notRun: DOWNLOADS },
  'vaultgraph models add NAME --from FOLDER': { notRun: 'needs a model; another test adds one' },
  'vaultgraph models add potion-base-8M': { notRun: DOWNLOADS },
  'vaultgraph models add minilm --from ~/Downloads/all-MiniLM-L6-v2': { notRun: DOWNLOADS },
  'vaultgraph changes': { as: 'vaultgraph changes --config ~/second.yaml' },
  'vaultgraph undo': { as: 'vaultgraph undo --config ~/second.yaml' },
  'vaultgraph undo --since today': { as: 'vaultgraph undo --since today --config ~/second.yaml' },
  'vaultgraph undo CHANGE': { notRun: 'needs the id of a change; another test undoes one' },
  'vaultgraph needs Node 22 or newer': { notRun: 'is a message, not a command; a test of the package checks it' },
  'ollama pull NAME': { notRun: 'needs a real Ollama' },
  'ollama pull embeddinggemma': { notRun: 'needs a real Ollama' },
  'ollama pull llama3.2': { notRun: 'needs a real Ollama' },
};

const PAGES = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })].map((path) =>
  readFileSync(join(ROOT, path), 'utf8'),
);

/** The lines of every shell block, and every inline code that starts like a command. */
function commandsIn(page: string): string[] {
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, lines = '']) => lines.trim().split('\n'));
  const spans = [...page.matchAll(/`((?:vaultgraph|npm|npx|node|ollama|claude) [^`\n]+)`/g)].map(
    ([, span = '']) => span,
  );
  return [...blocks, ...spans].map((line) => line.replace(/\s+#.*$/, '').replace(/^npm ci && /, ''));
}

const COMMANDS = [...new Set(PAGES.flatMap(commandsIn))];

interface Sandbox {
  readonly home: string;
  run(command: string): ChildProcessWithoutNullStreams;
}

/** A machine with Obsidian, one vault at ~/Notes, and the program on its PATH. */
function sandbox(home: string): Sandbox {
  cpSync(join(ROOT, 'vault-fixtures/tiny'), join(home, 'Notes'), { recursive: true });
  for (const name of ['Work', 'Private']) mkdirSync(join(home, name));
  const list = join(home, '.config/obsidian/obsidian.json');
  mkdirSync(dirname(list), { recursive: true });
  writeFileSync(list, JSON.stringify({ vaults: { one: { path: join(home, 'Notes'), ts: 1 } } }));
  const bin = join(home, 'bin');
  mkdirSync(bin);
  symlinkSync(PROGRAM, join(bin, 'vaultgraph'));
  const path = [bin, dirname(process.execPath), join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const env = { HOME: home, PATH: path, npm_config_update_notifier: 'false' };
  return { home, run: (command) => spawn('sh', ['-c', `exec ${command}`], { cwd: ROOT, env }) };
}

const HANDSHAKE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'manual', version: '1' } },
};

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs until the command exits; if `says` matches before that, stops it. */
async function outcome(child: ChildProcessWithoutNullStreams, says?: RegExp): Promise<Outcome> {
  let [stdout, stderr] = ['', ''];
  child.stderr.on('data', (part: Buffer) => {
    stderr += part;
  });
  child.stdout.on('data', (part: Buffer) => {
    stdout += part;
    if (says?.test(stdout)) child.kill('SIGTERM');
  });
  await once(child, 'close');
  return { code: child.exitCode, stdout, stderr };
}

async function tries(machine: Sandbox, command: string, plan: Exclude<Plan, { notRun: string }>): Promise<void> {
  const child = machine.run(plan.as ?? command);
  if (plan.speaks) child.stdin.write(`${JSON.stringify(HANDSHAKE)}\n`);
  const says = plan.speaks ? /"serverInfo"/ : plan.says;
  // A client closes stdin when it has its answer; other commands get no stdin.
  if (plan.speaks) child.stdout.once('data', () => child.stdin.end());
  else child.stdin.end();
  const { code, stdout, stderr } = await outcome(child, plan.says);
  if (says !== undefined) assert.match(stdout, says, stderr);
  if (plan.speaks) for (const line of stdout.trim().split('\n')) assert.equal(JSON.parse(line).jsonrpc, '2.0');
  if (plan.says === undefined) assert.ok((plan.ends ?? [0]).includes(code ?? -1), `${code}\n${stdout}\n${stderr}`);
}

test('every command in the pages has a plan, and every plan has a command', () => {
  assert.deepEqual(
    COMMANDS.filter((command) => PLANS[command] === undefined),
    [],
  );
  assert.deepEqual(
    Object.keys(PLANS).filter((command) => !COMMANDS.includes(command)),
    [],
  );
});

suite('commands in the docs', () => {
  let machine: Sandbox;
  before(() => {
    machine = sandbox(mkdtempSync(join(tmpdir(), 'vaultgraph-manual-')));
  });
  after(() => rmSync(machine.home, { recursive: true, force: true }));
  for (const command of COMMANDS) {
    const plan = PLANS[command] ?? { notRun: 'has no plan' };
    if ('notRun' in plan) test(command, { skip: plan.notRun }, () => undefined);
    else test(command, { timeout: 180_000 }, () => tries(machine, command, plan));
  }
});

const CONFIGS = PAGES.flatMap((page) => [...page.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, text = '']) => text));
const NEEDS_DATABASE = /type: postgresql/;

/** Indexes a vault with the config. */
async function starts(context: TestContext, text: string): Promise<void> {
  const machine = sandbox(temporaryFolder(context));
  const folder = join(machine.home, '.config/vaultgraph');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.yaml'), text);
  const child = machine.run('vaultgraph index');
  child.stdin.end();
  const { code, stderr } = await outcome(child);
  assert.equal(code, 0, stderr);
}

suite('configs in the docs', () => {
  let ollama: OllamaServer;
  before(async () => {
    ollama = await startOllama({
      models: [{ name: 'embeddinggemma' }, { name: 'llama3.2', capabilities: ['completion'] }],
    });
  });
  after(() => ollama.close());
  for (const [at, text] of CONFIGS.entries()) {
    if (NEEDS_DATABASE.test(text)) continue;
    test(`config ${at + 1} of ${CONFIGS.length} starts with fake models on this machine`, async (context) => {
      const there = text.replaceAll(/(model: [\w.]+)( \})/g, `$1, endpoint: "${ollama.origin}"$2`);
      const isOnLoopback = there !== text || text.includes('endpoint: http://127.0.0.1:');
      const asksNoServer = isOnLoopback || text.includes('type: onnx');
      assert.ok(!text.includes('model:') || asksNoServer, 'the model is asked for on loopback');
      await starts(context, there);
    });
  }
});

const JSON_EXAMPLES = PAGES.flatMap((page) =>
  [...page.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, text = '']) => JSON.parse(text)),
);
interface ClientSettings {
  readonly mcpServers: Readonly<Record<string, { readonly command: string; readonly args: readonly string[] }>>;
}

suite('JSON in the docs', () => {
  const isSettings = (example: object): example is ClientSettings => 'mcpServers' in example;

  test('the settings of a client start the server', async (context) => {
    const [settings, ...others] = JSON_EXAMPLES.filter(isSettings);
    assert.ok(settings !== undefined && others.length === 0);
    const machine = sandbox(temporaryFolder(context));
    for (const { command, args } of Object.values(settings.mcpServers)) {
      const printed = [command, ...args].join(' ');
      const here = printed.replace('/path/to/vaultgraph', ROOT).replace('/path/to/your/notes', '~/Notes');
      await tries(machine, here, { speaks: true });
    }
  });

  test('all others are arguments of query_base', () => {
    const tool = toolCatalogFor({ textOnly: false }).find(({ name }) => name === 'query_base');
    const others = JSON_EXAMPLES.filter((example) => !isSettings(example));
    assert.ok(others.length > 0);
    for (const example of others)
      assert.equal(tool?.input.safeParse(example).error, undefined, JSON.stringify(example));
  });
});

describePostgres('configs in the docs with PostgreSQL', (server) => {
  for (const [at, text] of CONFIGS.entries()) {
    if (!NEEDS_DATABASE.test(text)) continue;
    test(`config ${at + 1} of ${CONFIGS.length} starts with a server on this machine`, async (context) => {
      const { host, port, user, password } = server();
      const own: Readonly<Record<string, unknown>> = {
        host,
        database: await server().freshDatabase(),
        user,
        password,
        tls: 'off',
      };
      const there = Object.entries(own).reduce(
        (config, [key, value]) =>
          config.replace(new RegExp(`(${key}): (?:"[^"]*"|[^,} ]+)`), `$1: ${JSON.stringify(value)}`),
        text,
      );
      await starts(context, there.replace('{ type: postgresql,', `{ type: postgresql, port: ${port},`));
    });
  }
});
