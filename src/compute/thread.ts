// What runs inside the worker thread: does one job after the other. A throw ends the thread; the other side tells why.
import { parentPort } from 'node:worker_threads';
import { VaultgraphError } from '../base/errors.ts';
import { jobNamed, type Request } from './jobs.ts';

const port = parentPort;
if (port === null) throw new VaultgraphError('INTERNAL', { kind: 'not_in_a_thread' });

// Node asks the system at every look into the environment, and the yaml package looks for each of its tokens.
process.env = { ...process.env };

port.on('message', async (request: Request) => {
  const { run, buffersOf } = jobNamed(request.job);
  const output = await run(request.input);
  port.postMessage(output, buffersOf(output));
});
