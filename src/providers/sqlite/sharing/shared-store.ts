// Assembles the part of the store that processes share: the lease, the jobs and the requests to the lease holder.
import type { SharedStore } from '../../../contracts/lease.ts';
import { ownIdentity } from '../../processes/process-identity.ts';
import { type Read, type Rows, readMethods } from '../database/rows.ts';
import type { IndexWriter } from '../write/writer.ts';
import { removeHolderFile, writeHolderFile } from './holder-file.ts';
import { readLease } from './lease.ts';
import { keptJobs, openRequests, packJob, packUpdate, requestAnswer } from './packed-jobs.ts';

/** @param onUncleanEnd called when the lease is taken from a process that did not release it */
export function createSharedStore(
  rows: Rows,
  read: Read,
  writer: IndexWriter,
  file: string,
  onUncleanEnd: () => void,
): SharedStore {
  const lease = () => readLease(rows, writer.token());
  return {
    ...readMethods(read, {
      mark: () => rows.value<number>('PRAGMA data_version') ?? 0,
      lease,
      keptJobs: () => keptJobs(rows, readLease(rows, null)),
      openRequests: () => openRequests(rows),
      leaderReply: (id) => requestAnswer(rows, id),
    }),
    takeLease: async ({ client, stalled = null, jobs }, signal) => {
      const before = await read('lease', signal, lease);
      await writer.run({ op: 'takeLease', request: { client, stalled, jobs: jobs.map(packJob) } }, signal);
      const taken = await read('lease', signal, lease);
      if (taken.isMine && taken.holder) writeHolderFile(file, { ...taken.holder, life: ownIdentity() });
      if (taken.isMine && before.holder !== undefined && !before.isMine) onUncleanEnd();
      return taken;
    },
    publish: (update, signal) => writer.run({ op: 'publish', update: packUpdate(update) }, signal),
    releaseLease: async (signal) => {
      if (writer.token() === null) return;
      await writer.run({ op: 'releaseLease' }, signal);
      removeHolderFile(file);
    },
    requestFromLeader: (request, signal) =>
      writer.run({ op: 'requestFromLeader', request: JSON.stringify(request) }, signal),
  };
}
