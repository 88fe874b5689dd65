// A server process with the tests' own tools: `node test-server.ts '{"callLimitMs":500}'` speaks MCP on stdio.
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '../../src/base/log.ts';
import { guardStdout, surviveStderr } from '../../src/mcp/transport/process-streams.ts';
import { serve } from '../../src/mcp/transport/server.ts';
import { instructionsFor } from '../../src/mcp/transport/server-info.ts';
import type { Method } from '../../src/mcp/wire/method.ts';
import { type AnswerFormSetting, toolMethods } from '../../src/mcp/wire/tool-methods.ts';
import { createTestHost } from './test-host.ts';

export interface ServerScript {
  readonly callLimitMs?: number;
  readonly structuredContent?: AnswerFormSetting;
  /** Where the server writes `closed` once its close has run. */
  readonly closedFile?: string;
  readonly closeMs?: number;
  readonly maxMessageBytes?: number;
  readonly maxStallMs?: number;
  readonly graceMs?: number;
  /** By default so long that a busy machine never ends the process by force. */
  readonly maxEndMs?: number;
}

const script: ServerScript = JSON.parse(process.argv[2] ?? '{}');
const log = createLog('debug', (line) => process.stderr.write(line));
surviveStderr(() => log('warn', 'stderr_closed'));
const stdout = guardStdout(() => host.journal.count('stdout_violations'));
const host = createTestHost({ log, ...(script.callLimitMs === undefined ? {} : { callLimitMs: script.callLimitMs }) });
const { exposed, dispatch } = host;

await serve({
  identity: { name: 'test', title: 'Test', version: '1.0.0' },
  instructions: instructionsFor({
    vaultName: 'Notes',
    access: 'read-only',
    toolNames: [...exposed.tools.keys()],
    absent: [],
  }),
  offer: {
    capabilities: { tools: {} },
    methods: () =>
      new Map<string, Method>([
        ...toolMethods({ exposed, dispatch, ask: dispatch, structuredContent: script.structuredContent ?? 'both' }),
        ['test/broken', async () => Promise.reject(new TypeError('a bug about /home/ann/diary'))],
      ]),
    promptNames: [],
    counts: { tools: exposed.tools.size },
    close: () => undefined,
  },
  stdout,
  stdin: process.stdin,
  maxMessageBytes: script.maxMessageBytes ?? 10 * 1024 * 1024,
  ...(script.maxStallMs === undefined ? {} : { maxStallMs: script.maxStallMs }),
  ...(script.graceMs === undefined ? {} : { graceMs: script.graceMs }),
  maxEndMs: script.maxEndMs ?? 60_000,
  log,
  exit: (code) => process.exit(code),
  close: async () => {
    log('info', 'counters', { counts: host.journal.counters() });
    await sleep(script.closeMs ?? 0);
    if (script.closedFile !== undefined) appendFileSync(script.closedFile, 'closed');
  },
});
