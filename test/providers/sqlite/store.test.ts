// Runs the contract suite of stores on the SQLite store.
import { storeLaws } from '../../contracts/store.ts';
import { createIndexFolder } from './database/index-folder.ts';

storeLaws('the SQLite store', async () => {
  const folder = createIndexFolder();
  const { capability: store, close, release } = await folder.open();
  return {
    store,
    ...(release && { release }),
    again: async () => {
      const other = await folder.open();
      return { store: other.capability, close: other.close };
    },
    close: async () => {
      await close();
      folder.remove();
    },
  };
});
