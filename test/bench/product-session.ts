// Starts the product on a vault as a client does, waits until the index is up to date, and calls tools.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { BenchSetting } from './bench-setting.ts';
import { type McpSession, openMcpSession } from './mcp-session.ts';

/** For every 10,000 notes. */
const CATCH_UP_LIMIT_MS = 300_000;
const FOLLOW_MS = 40_000;
const POLL_MS = 5;

/** The index as `status` reports it. */
interface IndexReport {
  readonly freshness: string;
  readonly complete: boolean;
  readonly indexed: number;
  readonly quarantined: number;
  /** The id of the running job. */
  readonly running?: string;
  /** Why the last job failed. */
  readonly last_error?: { readonly message: string; readonly retryable: boolean };
}

export function openProduct(setting: BenchSetting, dataFolder: string): Promise<McpSession> {
  const { program, vault, workFolder, config, nodeOptions = [] } = setting;
  const args = [...nodeOptions, program, 'serve', '--vault', vault.folder, '--data-dir', dataFolder];
  return openMcpSession(config === undefined ? args : [...args, '--config', config], workFolder);
}

/**
 * Waits until `status` reports that the whole vault is indexed and no change is pending. Waits for the running job instead of
 * polling, because polling would affect the measurement.
 */
export async function catchUp(session: McpSession, setting: BenchSetting): Promise<void> {
  const limit = CATCH_UP_LIMIT_MS * Math.max(1, setting.vault.plan.notes.length / 10_000);
  const end = Math.min(performance.now() + limit, setting.endsAt);
  let report = await indexReport(session);
  while (!(report.complete && report.freshness === 'fresh')) {
    // A job that finds the index locked, or still being copied, is tried again.
    const failure = report.last_error?.retryable ? undefined : report.last_error;
    assert.equal(failure, undefined, `indexing failed: ${failure?.message}`);
    assert.ok(performance.now() < end, `not caught up in time: ${JSON.stringify(report)}`);
    if (report.running === undefined) await setTimeout(POLL_MS);
    // Why it failed, if it did, is in the next report.
    else await Promise.allSettled([session.call('reindex', { job_id: report.running, wait_ms: FOLLOW_MS })]);
    report = await indexReport(session);
  }
  assert.equal(report.quarantined, 0, 'notes were quarantined');
  assert.ok(report.indexed >= setting.vault.plan.notes.length, `only ${report.indexed} notes are indexed`);
}

/** Waits until a job has ended; it must succeed and must have changed something. */
export async function jobEnded(session: McpSession, id: string, setting: BenchSetting): Promise<void> {
  for (;;) {
    assert.ok(performance.now() < setting.endsAt, `job ${id} did not end in time`);
    const { data } = await session.call('reindex', { job_id: id, wait_ms: FOLLOW_MS });
    const { state, counts } = data as { state: string; counts: { indexed: number } };
    if (state === 'queued' || state === 'running') continue;
    assert.equal(state, 'succeeded');
    assert.ok(counts.indexed > 0, 'the job had nothing to index');
    return;
  }
}

async function indexReport(session: McpSession): Promise<IndexReport> {
  const { data } = await session.call('status', {});
  const { index } = data as { index?: IndexReport };
  assert.ok(index, `status has no index: ${JSON.stringify(data)}`);
  return index;
}

/** Opens, uses and closes one session; the session is closed in every case. */
export async function withProduct<Result>(
  setting: BenchSetting,
  dataFolder: string,
  use: (session: McpSession) => Promise<Result>,
): Promise<Result> {
  const session = await openProduct(setting, dataFolder);
  try {
    return await use(session);
  } finally {
    await session.close();
  }
}
