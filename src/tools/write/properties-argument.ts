// The argument for properties to write: a map of values by name, or a list of pairs for models that cannot send free maps.
import * as z from 'zod';
import { listedAs } from '../../contracts/tool.ts';

const pair = z
  .strictObject({ property: z.string().min(1), value: z.unknown().optional(), json: z.unknown().optional() })
  .superRefine(({ value, json }, context) => {
    if ((value === undefined) === (json === undefined))
      context.addIssue({ code: 'custom', message: 'needs either value or json' });
    if (json !== undefined && jsonValue(json) === undefined)
      context.addIssue({ code: 'custom', path: ['json'], message: 'is not JSON' });
  });

const pairs = z
  .array(pair)
  .min(1)
  .superRefine((list, context) => {
    const names = list.map(({ property }) => property);
    const at = names.findIndex((name, place) => names.indexOf(name) !== place);
    if (at >= 0) context.addIssue({ code: 'custom', path: [at, 'property'], message: 'is given twice' });
  })
  .transform((list) =>
    Object.fromEntries(
      list.map(({ property, value, json }) => [property, json === undefined ? value : jsonValue(json)?.parsed]),
    ),
  );

/** Any other value than a text is taken as it is. */
function jsonValue(text: unknown): { readonly parsed: unknown } | undefined {
  if (typeof text !== 'string') return { parsed: text };
  try {
    return { parsed: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

const listedPairs = z.array(
  z.strictObject({
    property: z.string().describe('name'),
    value: z.string().optional().describe('a text'),
    json: z.string().optional().describe('instead: another value, 5, true, ["a"]'),
  }),
);

export const propertiesArgument = z
  .union([pairs, z.record(z.string(), z.unknown())])
  .describe('a list of pairs, or {name: value}')
  .meta(listedAs(listedPairs));
