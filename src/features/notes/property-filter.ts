// Conditions on properties as a caller writes them: `{ status: "open", due: { lte: "2026-12-01" } }`. Knows no store.
import * as z from 'zod';
import type { PropertyFilter } from '../../contracts/note-filter.ts';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const comparable = z.union([z.string(), z.number()]);
const operators = z
  .strictObject({
    eq: scalar.optional(),
    ne: scalar.optional(),
    gt: comparable.optional(),
    gte: comparable.optional(),
    lt: comparable.optional(),
    lte: comparable.optional(),
    contains: scalar.optional(),
    exists: z.boolean().optional(),
  })
  .refine((given) => Object.keys(given).length > 0, 'names no operator');
const condition = z.union([scalar, operators]);

type Scalar = z.infer<typeof scalar>;

/** Property names with a value, which the property equals or holds as a list item, or with operators that must all hold. */
export const whereArgument = z
  // Checked below and not by its type: the type of a condition would cost each session some hundred tokens.
  .record(z.string().min(1), z.unknown())
  .superRefine((given, context) => {
    for (const [name, value] of Object.entries(given)) {
      if (condition.safeParse(value).success) continue;
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'is no value and no { eq, ne, gt, gte, lt, lte, contains, exists }',
      });
    }
  })
  .describe('{name: value} or {name: {op: value}}, op eq ne gt gte lt lte contains exists');

/** @param given what `whereArgument` accepted */
export function propertyFilters(given: z.infer<typeof whereArgument>): PropertyFilter[] {
  return Object.entries(given).flatMap(([name, value]) => filtersOf(name, condition.parse(value)));
}

function filtersOf(name: string, value: z.infer<typeof condition>): PropertyFilter[] {
  if (typeof value !== 'object' || value === null) return [{ name, operator: 'eq', value }];
  const given = Object.entries(value) as [PropertyFilter['operator'], Scalar | undefined][];
  return given.flatMap(([operator, wanted]) => (wanted === undefined ? [] : [{ name, operator, value: wanted }]));
}
