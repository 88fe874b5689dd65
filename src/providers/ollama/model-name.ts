// Tells whether two names mean one model on an Ollama server. Asks no server.

/** What Ollama's own list leaves away. */
const DEFAULT_HOME = /^(?:registry\.ollama\.ai\/)?(?:library\/)?/;
const DEFAULT_TAG = ':latest';

/** Names are the same whatever their case, with the default tag or without. */
export const isSameModel = (one: string, other: string): boolean => fullName(one) === fullName(other);

function fullName(name: string): string {
  const short = name.toLowerCase().replace(DEFAULT_HOME, '');
  return /:[^/]*$/.test(short) ? short : short + DEFAULT_TAG;
}
