import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { redacted, serverMessage } from '../../../src/providers/model-server/failures.ts';

it('the message is found in each known error format, as one line', () => {
  const bodies: Readonly<Record<string, string>> = {
    '{"error": "no\\n  such model"}': 'no such model',
    '{"error": {"code": 500, "message": "too large", "type": "server_error"}}': 'too large',
    '{"error": {"type": "server_error"}}': 'server_error',
    '{"message": "overloaded", "code": 429}': 'overloaded',
    '{"detail": "Not Found"}': 'Not Found',
    '{"detail": [{"msg": "bad", "input": "a secret"}]}': '',
    '{"error": null}': '',
    '{"error": ["a secret"]}': '',
    '"a text"': '',
    null: '',
    '': '',
    '<html>a secret</html>': '',
    '404 page not found': '',
    '{"error": "cut': '',
  };
  for (const [body, said] of Object.entries(bodies)) assert.equal(serverMessage(body), said, body);
});

it('M14 a message that repeats a text is withheld, even with other white space', () => {
  const texts = fc.string({
    minLength: 4,
    maxLength: 200,
    unit: fc.constantFrom('a', 'b', 'ü', ' ', '\n', '\t', '語'),
  });
  fc.assert(
    fc.property(texts, fc.string(), fc.string(), (text, before, after) => {
      const bare = text.replace(/\s+/g, ' ').trim();
      fc.pre(bare.length >= 4);
      const said = serverMessage(JSON.stringify({ error: `${before} ${text} ${after}` }));
      assert.ok(said.includes(bare));
      assert.ok(!redacted(said, ['other text', text]).includes(bare));
    }),
  );
});

it('a message that repeats nothing is kept, even beside very short texts', () => {
  assert.equal(redacted('invalid input type', ['in', 'a', '', '  ', 'no\nway']), 'invalid input type');
  assert.equal(redacted('invalid input type', []), 'invalid input type');
});
