// Marks config values as secrets: they come from environment variables and are never shown.
import * as z from 'zod';

const secrets = z.registry<{ readonly secret: true }>();

/** A text in which `${NAME}` is replaced by that environment variable; masked wherever settings are shown. */
export function secret(): z.ZodString {
  return z.string().min(1).register(secrets, { secret: true });
}

export function isSecret(schema: z.ZodType): boolean {
  return secrets.get(schema) !== undefined;
}
