// Runs a group of tests on a PostgreSQL server of its own.
import { after, before, describe } from 'node:test';
import { type ServerOptions, startServer, type TestServer } from './server.ts';

/** Set where no server can be started. The runner prints it in its summary. */
const SKIPS = process.env.VAULTGRAPH_SKIP_POSTGRES === '1' ? 'VAULTGRAPH_SKIP_POSTGRES=1' : false;

/** @param tests registers the tests; the server runs while they do, not while they are registered */
export function describePostgres(
  name: string,
  tests: (server: () => TestServer) => void,
  options: ServerOptions = {},
): void {
  describe(name, { skip: SKIPS }, () => {
    let server: TestServer | undefined;
    before(async () => {
      server = await startServer(options);
    });
    after(() => server?.stop());
    tests(() => {
      if (server === undefined) throw new Error('the PostgreSQL server runs only during the tests');
      return server;
    });
  });
}
