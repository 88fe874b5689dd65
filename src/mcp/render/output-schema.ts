// The one shape that every answer has, success and failure, as a client's validator takes it.

/**
 * A plain object of draft 7, open throughout: clients validate failures too, and put a protocol error in the place of one that does not
 * fit. Which members stand together is therefore no part of it, and neither is what a model would pay for with every tool.
 */
export const OUTPUT_SCHEMA = Object.freeze({
  type: 'object' as const,
  properties: {
    ok: { type: 'boolean' },
    data: { type: 'object' },
    error: { type: 'object' },
    partial: { type: 'boolean' },
    warnings: { type: 'array' },
    meta: { type: 'object' },
  },
  required: ['ok'],
});
