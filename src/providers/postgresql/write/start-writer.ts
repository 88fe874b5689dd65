// Starts the thread that writes the index.
import { threadScript } from '../../../base/threads/worker-threads.ts';
import { Writer } from '../../sqlite/write/writer.ts';
import type { StoreThreadData } from './store-thread.ts';

const SCRIPT = threadScript('store-thread', import.meta.url);
/** No lease has this token, so a write that began under a lease of an earlier copy is refused. */
const LOST_TOKEN = -1;

export const startWriter = (data: StoreThreadData, lostToken: number | null): Writer =>
  new Writer(data, lostToken === null ? null : LOST_TOKEN, SCRIPT);
