// Checks the questions of a terminal session over streams: typed answers, empty lines, and the end of input.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { askPerson } from '../../../src/cli/init/questions.ts';

function terminal(typed: string) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let shown = '';
  output.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    // A person types after the question is shown.
    if (typed !== '' && /: $/.test(shown)) {
      const [line = '', ...rest] = typed.split('\n');
      typed = rest.join('\n');
      shown += '\n';
      input.write(`${line}\n`);
    }
  });
  return { questions: askPerson(input, output), input, shown: () => shown };
}

test('a number chooses, an empty line takes the first, anything else repeats the question', async () => {
  const { questions, shown } = terminal('x\n3\n2\n\n');
  assert.equal(await questions.choose('Which?', ['a', 'b']), 1);
  assert.equal(shown().match(/Which\?/g)?.length, 3);
  questions.close();
});

test('an empty line accepts the default', async () => {
  const { questions } = terminal('\n\nyes\nNo\n');
  assert.equal(await questions.agree('Sure?', true), true);
  assert.equal(await questions.agree('Sure?', false), false);
  assert.equal(await questions.agree('Sure?', false), true);
  assert.equal(await questions.agree('Sure?', true), false);
  questions.close();
});

test('an unclear answer is no answer: the question is asked again', async () => {
  const { questions, shown } = terminal('ja\nmaybe\nyess\nY\n');
  assert.equal(await questions.agree('Sure?', false), true);
  assert.equal(shown().match(/Sure\?/g)?.length, 4);
  assert.equal(shown().match(/answer y or n/g)?.length, 3);
  questions.close();
});

test('at the end of input the default is used and no question follows', async () => {
  const { questions, input } = terminal('');
  const requested = questions.agree('Sure?', false);
  input.end();
  assert.equal(await requested, false);
  assert.equal(await questions.choose('Which?', ['a', 'b']), 0);
});

test('a name in a question and in its choices shows its controls', async () => {
  const { questions, shown } = terminal('1\n');
  await questions.choose('Which of \u202e?', ['/notes\u001b[31m', 'b\u009b']);
  assert.match(shown(), /Which of <U\+202E>\?\n {2}1 {2}\/notes<U\+001B>\[31m\n {2}2 {2}b<U\+009B>\n/);
  questions.close();
});
