// Runs the server scenarios of the protocol's conformance suite that need no fixture tools, in both protocols.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { fetched } from '../packages/fetched.ts';
import { startHttp } from './http-process.ts';
import { configFile, copyOfFixture, temporaryFolder } from './session.ts';

const SUITE = join(fetched('protocol'), '@modelcontextprotocol/conformance/dist/index.js');
const EVERY_VERSION = ['tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection'];
const SCENARIOS = {
  '2025-11-25': [
    ...EVERY_VERSION,
    'server-initialize',
    'server-session-lifecycle',
    'ping',
    'server-sse-multiple-streams',
    'server-sse-polling',
  ],
  '2026-07-28': [
    ...EVERY_VERSION,
    'server-stateless',
    'sep-2164-resource-not-found',
    'caching',
    'http-header-validation',
    'input-required-result-missing-input-response',
    'input-required-result-unsupported-methods',
    'input-required-result-ignore-extra-params',
    'input-required-result-validate-input',
  ],
} as const;

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
  readonly details?: { readonly untestable?: boolean };
}

async function checksOf(
  context: TestContext,
  url: string,
  scenario: string,
  version: string,
): Promise<readonly Check[]> {
  const folder = temporaryFolder(context);
  const args = [SUITE, 'server', '--url', url, '--scenario', scenario, '--spec-version', version, '-o', folder];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const [run] = readdirSync(folder);
  assert.ok(run !== undefined, `${scenario}: ${stdout}${stderr}`);
  return JSON.parse(readFileSync(join(folder, run, 'checks.json'), 'utf8')) as readonly Check[];
}

for (const [version, scenarios] of Object.entries(SCENARIOS))
  test(`the conformance suite finds no fault in ${scenarios.length} scenarios of ${version}`, async (context) => {
    const config = configFile(context, `vault: { path: ${JSON.stringify(copyOfFixture(context, 'tiny'))} }\n`);
    const { url } = await startHttp(context, config, ['--no-auth']);
    for (const scenario of scenarios) {
      const checks = await checksOf(context, url, scenario, version);
      assert.ok(
        checks.some(({ status }) => status === 'SUCCESS'),
        scenario,
      );
      // A check that needs a fixture tool says that it could not be made.
      const failed = checks.filter(({ status, details }) => status === 'FAILURE' && details?.untestable !== true);
      assert.deepEqual(
        failed.map(({ id, errorMessage }) => `${scenario}: ${id}: ${errorMessage}`),
        [],
      );
    }
  });
