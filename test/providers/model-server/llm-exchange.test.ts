// The JSON Schema of an answer as it is sent: only keywords that every server supports.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod';
import { answerSchema } from '../../../src/providers/model-server/llm-exchange.ts';

describe('the schema of an answer', () => {
  it('contains types, keys, counts, enums and bounds', () => {
    const kind = z.enum(['person', 'place']).describe('what it is');
    const schema = z.strictObject({
      items: z
        .array(z.strictObject({ kind, name: z.string() }))
        .min(1)
        .max(5),
      score: z.number().min(0).max(1),
      certain: z.boolean(),
      also: z.union([z.literal('none'), z.array(z.string())]),
      rest: z.string().optional(),
    });
    assert.deepEqual(answerSchema(schema), {
      type: 'object',
      properties: {
        items: {
          ...{ type: 'array', minItems: 1, maxItems: 5 },
          items: {
            type: 'object',
            properties: {
              kind: { type: 'string', enum: ['person', 'place'], description: 'what it is' },
              name: { type: 'string' },
            },
            required: ['kind', 'name'],
            additionalProperties: false,
          },
        },
        score: { type: 'number', minimum: 0, maximum: 1 },
        certain: { type: 'boolean' },
        also: {
          anyOf: [
            { type: 'string', const: 'none' },
            { type: 'array', items: { type: 'string' } },
          ],
        },
        rest: { type: 'string' },
      },
      required: ['items', 'score', 'certain', 'also'],
      additionalProperties: false,
    });
  });

  it('omits what is checked later: lengths, patterns, formats, safe-integer bounds, references', () => {
    const name = z.string().min(1).max(2_000);
    const schema = z.strictObject({
      ...{ one: name, other: name, day: z.iso.date(), mail: z.email(), count: z.int(), from: z.int().min(1) },
      ...{ word: z.string().regex(/^(?!no)[a-z]+$/), trimmed: z.string().trim().default('x') },
    });
    assert.deepEqual(answerSchema(schema), {
      type: 'object',
      properties: {
        ...{ one: { type: 'string' }, other: { type: 'string' }, day: { type: 'string' }, mail: { type: 'string' } },
        ...{ count: { type: 'integer' }, from: { type: 'integer', minimum: 1 } },
        ...{ word: { type: 'string' }, trimmed: { type: 'string' } },
      },
      required: ['one', 'other', 'day', 'mail', 'count', 'from', 'word'],
      additionalProperties: false,
    });
  });

  it('allows no other keys at any depth, although an answer with others is accepted', () => {
    const open = z.object({ items: z.array(z.object({ name: z.string() })) });
    const closed = z.strictObject({ items: z.array(z.strictObject({ name: z.string() })) });
    assert.deepEqual(answerSchema(open), answerSchema(closed));
  });

  it('is the same each time, with keys in schema order', () => {
    const schema = z.strictObject({ z: z.string(), a: z.string() });
    assert.equal(JSON.stringify(answerSchema(schema)), JSON.stringify(answerSchema(schema)));
    assert.deepEqual(Object.keys((answerSchema(schema) as { properties: object }).properties), ['z', 'a']);
  });
});
