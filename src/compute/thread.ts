// The script of the compute thread: runs one job after the other. An error ends the thread, unless it is a refusal of the job.
import { parentPort, workerData } from 'node:worker_threads';
import { serializeError } from '../base/errors/serialized-error.ts';
import { VaultgraphError } from '../base/errors.ts';
import { lowerPriority } from '../base/system/lower-priority.ts';
import { trimHeap } from '../base/system/trim-heap.ts';
import { type JobAnswer, jobNamed, type Request, type ThreadSetup, TRIM } from './jobs.ts';

const port = parentPort;
if (port === null) throw new VaultgraphError('INTERNAL', { kind: 'not_in_a_thread' });

// Node asks the system at each access to the environment, and the yaml package accesses it for each token.
process.env = { ...process.env };

if ((workerData as ThreadSetup).isBackground) lowerPriority();

port.on('message', async (request: Request | typeof TRIM) => {
  if (request === TRIM) return trim();
  const { run, buffersOf } = jobNamed(request.job);
  const [outcome] = await Promise.allSettled([(async () => run(request.input))()]);
  if (outcome.status === 'fulfilled') return send({ output: outcome.value }, buffersOf(outcome.value));
  if (!(outcome.reason instanceof VaultgraphError)) throw outcome.reason;
  send({ refusal: serializeError(outcome.reason) });
});

function trim(): void {
  trimHeap();
  send({ output: undefined });
}

function send(answer: JobAnswer, buffers: readonly ArrayBuffer[] = []): void {
  port?.postMessage(answer, buffers);
}
