// Writes the shape of an answer as servers of models read it: JSON Schema without what their grammars do not know. Sends nothing.
import * as z from 'zod';

/**
 * What every one of these servers can hold a model to. Some refuse a schema for any other word in it, and some spell lengths and
 * patterns out until their memory is gone. Whatever is left away here is checked when the answer is there.
 */
const KNOWN_EVERYWHERE = new Set(
  'type properties required additionalProperties items minItems maxItems enum const anyOf oneOf minimum maximum description'.split(
    ' ',
  ),
);
/** What zod says of every whole number: grammars would spell these bounds out, digit by digit. */
const SAFE_BOUNDS: readonly unknown[] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/** Of what the model has to write, which is what goes into the schema. No `$ref`: not every grammar follows one. */
export function answerSchema(schema: z.ZodType): object {
  const { $schema: _dialect, ...written } = z.toJSONSchema(schema, {
    ...{ target: 'draft-7', io: 'input', reused: 'inline', cycles: 'throw' },
    override: ({ jsonSchema }) => {
      for (const [word, value] of Object.entries(jsonSchema))
        if (!KNOWN_EVERYWHERE.has(word) || SAFE_BOUNDS.includes(value)) delete jsonSchema[word as keyof object];
    },
  });
  return written;
}
