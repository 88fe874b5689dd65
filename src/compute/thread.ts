// The script of the compute thread: runs one job after the other. An error ends the thread, and the client reports it.
import { parentPort } from 'node:worker_threads';
import { VaultgraphError } from '../base/errors.ts';
import { jobNamed, type Request } from './jobs.ts';

const port = parentPort;
if (port === null) throw new VaultgraphError('INTERNAL', { kind: 'not_in_a_thread' });

// Node asks the system at each access to the environment, and the yaml package accesses it for each token.
process.env = { ...process.env };

port.on('message', async (request: Request) => {
  const { run, buffersOf } = jobNamed(request.job);
  const output = await run(request.input);
  port.postMessage(output, buffersOf(output));
});
