// Assembles the part of the store that many processes share, and remembers under which token this one writes.
import type { SharedStore } from '../../../contracts/lease.ts';
import { ownLife } from '../../processes/process-identity.ts';
import type { Ask, Rows } from '../database/rows.ts';
import type { Writer } from '../write/writer.ts';
import { leaveNote, takeNoteAway } from './holder-file.ts';
import { answerTo, keptJobs, openRequests, packAnswer, packJob, packReport } from './jobs-and-requests.ts';
import { leaseNow } from './lease.ts';

export function createSharedStore(rows: Rows, ask: Ask, writer: Writer, file: string): SharedStore {
  return {
    mark: (signal) => ask('mark', signal, () => rows.column<number>('PRAGMA data_version')[0] ?? 0),
    lease: (signal) => ask('lease', signal, () => leaseNow(rows, writer.token())),
    takeLease: async ({ client, still = null, jobs }, signal) => {
      await writer.run({ op: 'takeLease', taking: { client, still, jobs: jobs.map(packJob) } }, signal);
      const lease = await ask('lease', signal, () => leaseNow(rows, writer.token()));
      if (lease.isMine && lease.holder) leaveNote(file, { ...lease.holder, life: ownLife() });
      return lease;
    },
    tell: async ({ report, jobs, answers }, signal) => {
      const packed = answers.map(({ id, answer }) => ({ id, answer: packAnswer(answer) }));
      const told = { report: packReport(report), jobs: jobs.map(packJob), answers: packed };
      await writer.run({ op: 'tell', told }, signal);
    },
    releaseLease: async (signal) => {
      if (writer.token() === null) return;
      await writer.run({ op: 'releaseLease' }, signal);
      takeNoteAway(file);
    },
    keptJobs: (signal) => ask('keptJobs', signal, () => keptJobs(rows, leaseNow(rows, null))),
    askHolder: (request, signal) => writer.run({ op: 'askHolder', request: JSON.stringify(request) }, signal),
    openRequests: (signal) => ask('openRequests', signal, () => openRequests(rows)),
    holderAnswer: (id, signal) => ask('holderAnswer', signal, () => answerTo(rows, id)),
  };
}
