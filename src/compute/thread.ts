// The script of the compute thread: runs one job after the other. An error ends the thread, unless it is a refusal of the job.
import { parentPort, workerData } from 'node:worker_threads';
import '../base/threads/dialect.ts';
import { serializeError } from '../base/errors/serialized-error.ts';
import { VaultgraphError } from '../base/errors.ts';
import { collectGarbage, shrinkLargeHeap, trimHeap } from '../base/system/memory.ts';
import { lowerPriority } from '../base/system/process.ts';
import { jobNamed, NEXT_SLICE, type Request, type ThreadAnswer, type ThreadSetup, TRIM } from './jobs.ts';
import { type TakenApart, takeApart } from './long-lists.ts';

const port = parentPort;
if (port === null) throw new VaultgraphError('INTERNAL', { kind: 'not_in_a_thread' });

// Node asks the system at each access to the environment, and the yaml package accesses it for each token.
process.env = { ...process.env };

if ((workerData as ThreadSetup).isBackground) lowerPriority();

/** The slices of the last output, the next one last. */
let slices: TakenApart['slices'][number][] = [];

port.on('message', async (request: Request | typeof TRIM | typeof NEXT_SLICE) => {
  if (request === TRIM) return trim();
  if (request === NEXT_SLICE) return sendSlice();
  const { run, buffersOf } = jobNamed(request.job);
  const [outcome] = await Promise.allSettled([(async () => run(request.input))()]);
  if (outcome.status === 'fulfilled') return sendResult(outcome.value, buffersOf(outcome.value));
  if (!(outcome.reason instanceof VaultgraphError)) throw outcome.reason;
  send({ refusal: serializeError(outcome.reason) });
});

async function trim(): Promise<void> {
  await collectGarbage();
  trimHeap();
  sendOutput(undefined);
}

/** The next step of a large job begins with the answer: what this one leaves goes first. */
async function sendResult(output: unknown, buffers: readonly ArrayBuffer[]): Promise<void> {
  await shrinkLargeHeap();
  sendOutput(output, buffers);
  if (slices.length === 0) await shrinkLargeHeap();
}

function sendOutput(output: unknown, buffers: readonly ArrayBuffer[] = []): void {
  const { rest, places, slices: all } = takeApart(output);
  slices = all.toReversed();
  send({ output: rest, places, slices: all.length }, buffers);
}

async function sendSlice(): Promise<void> {
  const slice = slices.pop();
  if (slice === undefined) throw new VaultgraphError('INTERNAL', { kind: 'no_slice' });
  send(slice);
  if (slices.length === 0) await shrinkLargeHeap();
}

function send(answer: ThreadAnswer, buffers: readonly ArrayBuffer[] = []): void {
  port?.postMessage(answer, buffers);
}
