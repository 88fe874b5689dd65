// Runs the contract suite of stores on the PostgreSQL store; a second store is one of another machine.
import { storeLaws } from '../../contracts/store.ts';
import { describePostgres } from '../../postgresql/describe-postgres.ts';
import { createMachines } from './servers-on-one-index.ts';

describePostgres('PostgreSQL', (server) => {
  let schemas = 0;
  storeLaws('the PostgreSQL store', async () => {
    schemas += 1;
    const { host, port, user, password } = server();
    const schema = `vault_${schemas}`;
    const machines = createMachines({ host, port, user, password, database: 'postgres', schema });
    const { capability: store, close, release } = await machines.open();
    return {
      store,
      ...(release && { release }),
      again: async () => {
        const other = await machines.open();
        return { store: other.capability, close: other.close };
      },
      close: async () => {
        await close();
        await server().sql(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
        machines.remove();
      },
    };
  });
});
