// Starts a PostgreSQL server and waits to be killed.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startServer } from './server.ts';

const { socketFolder } = await startServer();
const pid = Number.parseInt(readFileSync(join(dirname(socketFolder), 'data/postmaster.pid'), 'utf8'), 10);
process.stdout.write(`${JSON.stringify({ socketFolder, pid })}\n`);
setInterval(() => undefined, 60_000);
