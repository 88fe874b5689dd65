// Notes that could not be read for a reason that passes are read again soon, with pauses that double, until they are read.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { UnreadNotes } from '../../../src/indexing/jobs/unread-notes.ts';

const failed = (id: string, errno: string) => ({
  id,
  error: new VaultgraphError('FILE_UNREADABLE', { path: id, errno }),
});

function begun({ mock }: TestContext) {
  mock.timers.enable({ apis: ['setTimeout'] });
  const read: string[] = [];
  const notes = new UnreadNotes(async (paths) => read.push(paths.join()));
  const after = (ms: number): string[] => {
    mock.timers.tick(ms);
    return read.splice(0);
  };
  return { notes, after };
}

test('a note on a disk that hung is read again, less often each time', (context) => {
  const { notes, after } = begun(context);
  notes.jobEnded({ kind: 'catch_up' }, [
    failed('a.md', 'ETIMEDOUT'),
    failed('b.md', 'EACCES'),
    failed('c.md', 'EBUSY'),
  ]);
  assert.deepEqual(after(4_000), []);
  assert.deepEqual(after(1_100), ['a.md,c.md']);
  notes.jobEnded({ kind: 'notes', paths: ['a.md', 'c.md'] }, [failed('a.md', 'ETIMEDOUT')]);
  assert.deepEqual(after(9_000), []);
  assert.deepEqual(after(1_100), ['a.md']);
  notes.jobEnded({ kind: 'notes', paths: ['a.md'] }, []);
  assert.deepEqual(after(10_000_000), []);
});

test('other jobs leave a note that waits, a scan that reads it ends that, and so does the end of the lead', (context) => {
  const { notes, after } = begun(context);
  notes.jobEnded({ kind: 'notes', paths: ['a.md'] }, [failed('a.md', 'EIO')]);
  notes.jobEnded({ kind: 'notes', paths: ['b.md'] }, []);
  assert.deepEqual(after(5_100), ['a.md']);
  notes.jobEnded({ kind: 'catch_up' }, []);
  assert.deepEqual(after(10_000_000), []);
  notes.jobEnded({ kind: 'catch_up' }, [failed('a.md', 'EIO')]);
  notes.forget();
  assert.deepEqual(after(10_000_000), []);
});
