// Builds the container and asks its health check; without a builder takes the steps of its last stage in a folder and runs its command.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../contracts/vault.ts';
import { temporaryFolder } from '../journeys/session.ts';
import { npm } from '../packages/npm.ts';
import { manifestOf, ROOT } from './installed.ts';

const INSTRUCTIONS = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => /^[A-Z]/.test(line))
  .map((line) => ({ name: line.split(' ', 1)[0] ?? '', rest: line.slice(line.indexOf(' ') + 1) }));

const of = (name: string): string[] => INSTRUCTIONS.filter((one) => one.name === name).map(({ rest }) => rest);
const lastOf = (name: string): string => of(name).at(-1) ?? assert.fail(`no ${name}`);
const listIn = (text: string): string[] => JSON.parse(text) as string[];

const BUILDER = ['docker', 'podman'].find((name) => spawnSync(name, ['info']).status === 0);

test('the last stage has only what it runs, no user with all rights, and a Node that the package accepts', () => {
  const known = [
    'FROM',
    'WORKDIR',
    'COPY',
    'RUN',
    'ENV',
    'USER',
    'VOLUME',
    'EXPOSE',
    'HEALTHCHECK',
    'ENTRYPOINT',
    'CMD',
  ];
  assert.deepEqual(
    [...new Set(INSTRUCTIONS.map(({ name }) => name))].filter((name) => !known.includes(name)),
    [],
  );
  const { engines } = manifestOf(ROOT) as unknown as { readonly engines: { readonly node: string } };
  const oldest = Number(/\d+/.exec(engines.node)?.[0]);
  for (const image of of('FROM')) assert.ok(Number(/^node:(\d+)-slim\b/.exec(image)?.[1]) >= oldest, image);
  assert.deepEqual(
    of('COPY').map((rest) => rest.replace(/^--from=build \/app\//, '')),
    ['. .', 'package.json ./', 'node_modules ./node_modules', 'dist ./dist'],
  );
  assert.notEqual(lastOf('USER'), 'root');
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  for (const path of ['.git', 'node_modules', 'dist']) assert.ok(ignored.includes(path), path);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('it serves, and its health check says so', { skip: BUILDER && 'a builder runs here' }, async (context) => {
  const [app, data, vault] = ['app', 'data', 'vault'].map((name) => join(temporaryFolder(context), name));
  assert.ok(app && data && vault);
  for (const folder of [app, data]) mkdirSync(folder);
  cpSync(join(ROOT, 'vault-fixtures/tiny'), vault, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(ROOT, file), join(app, file));
  npm(app, ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund']);
  cpSync(join(ROOT, 'dist'), join(app, 'dist'), { recursive: true });
  const port = await freePort();
  const config = join(data, 'config.yaml');
  writeFileSync(config, JSON.stringify({ vault: { path: vault }, http: { port } }));
  const placed = (argument: string): string =>
    ({ '/config.yaml': config, '/data': data })[argument] ?? argument.replace(lastOf('EXPOSE'), String(port));
  const [program = '', ...args] = [...listIn(lastOf('ENTRYPOINT')), ...listIn(lastOf('CMD'))].map(placed);
  const environment = { PATH: process.env.PATH, HOME: data, NODE_ENV: 'production' };
  assert.equal(program, 'node');
  const server = spawn(process.execPath, args, { cwd: app, env: environment, stdio: 'ignore' });
  const ended = once(server, 'exit');
  try {
    const [, ...check] = listIn(lastOf('HEALTHCHECK').replace(/^.*?CMD /, '')).map(placed);
    const isHealthy = (): boolean => spawnSync(process.execPath, check, { cwd: app }).status === 0;
    await eventually(isHealthy, () => `it ended with ${server.exitCode}`);
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
  assert.equal(server.exitCode, 0);
});

test('the image is built and is healthy', {
  skip: BUILDER === undefined && 'no builder runs here',
}, async (context) => {
  const builder = String(BUILDER);
  const run = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync(builder, args, { cwd: ROOT, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return stdout.trim();
  };
  const image = run('build', '--quiet', '.');
  const config = join(temporaryFolder(context), 'config.yaml');
  writeFileSync(config, JSON.stringify({ vault: { path: '/vault' } }));
  const mounts = ['-v', `${join(ROOT, 'vault-fixtures/tiny')}:/vault:ro`, '-v', `${config}:/config.yaml:ro`];
  const id = run('run', '--detach', '--read-only', '--tmpfs', '/tmp', '--tmpfs', '/data', ...mounts, image);
  context.after(() => void spawnSync(builder, ['rm', '--force', id]));
  const check = listIn(lastOf('HEALTHCHECK').replace(/^.*?CMD /, ''));
  await eventually(
    () => spawnSync(builder, ['exec', id, ...check]).status === 0,
    () => spawnSync(builder, ['logs', id], { encoding: 'utf8' }).stderr,
  );
});
