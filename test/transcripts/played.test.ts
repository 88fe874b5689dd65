// Plays transcripts that do not hold: each line that is wrong is reported, with what was shown.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../journeys/session.ts';
import { playTranscript } from './play.ts';

const WRONG = `write A.md
| kelp and tide
mark files
write A.md
| kelp
same files
file A.md
| help
> search_text {"query": "kelp"}
data.total: 2
data.hits[].path: ["B.md"]
data.hits[0].no_such_key: "*"
warnings: []
| no such line
!| *A.md*
error NOTE_NOT_FOUND
> search_text {"limit": 0}
$ vaultgraph status --json
exit 3
ok: false
2| no such line
$ vaultgraph stauts
> list_notes {}
data.notes: ["...", "one"]
data.notes[path=A.md].length: 2
gone A.md
gone B.md
wish 1 call, 9 tokens: What is in A?
> read_notes {"notes": ["A"]}
wish 0 calls, 900 tokens: What is in A?
> read_notes {"notes": ["A"]}
wish 1 call, 900 tokens: What is in A?
> read_notes {"notes": ["A"]}
$ vaultgraph config
no output`;

test('each line of a transcript that does not hold is reported', async (context) => {
  const file = join(temporaryFolder(context), 'wrong.txt');
  writeFileSync(file, WRONG);
  const [outcome] = await Promise.allSettled([playTranscript(context, file)]);
  assert.equal(outcome.status, 'rejected');
  const { message }: Error = outcome.reason;
  assert.deepEqual(
    [...message.matchAll(/^line (\d+)$/gm)].map(([, line]) => Number(line)),
    [6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 24, 25, 26, 28, 30, 35],
  );
  assert.match(message, /^- data\.total: 2\n\+ data\.total: 1$/m);
});

test('a line that is no step is refused', async (context) => {
  const file = join(temporaryFolder(context), 'wrong.txt');
  writeFileSync(file, 'wirte A.md\n');
  await assert.rejects(playTranscript(context, file), /transcript line 1: wirte A\.md/);
});
