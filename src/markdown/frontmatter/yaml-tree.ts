// From the source of front matter to YAML's tree, or to the one reason why there is none.
import { Composer, type Document, Lexer, Parser, Schema } from 'yaml';
import { type YamlFault, yamlExcess } from './yaml-guard.ts';

/** Real notes reach 7.5 kB. */
const MAX_CHARACTERS = 64 * 1024;

/**
 * Dates stay text, tags of languages mean nothing, warnings stay unprinted; names used twice are found while reading, in one
 * pass. The schema is made once: the package would make one for every note.
 */
const OPTIONS = {
  version: '1.2',
  schema: new Schema({ schema: 'core', resolveKnownTags: false }),
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'error',
} as const;

export type YamlTree =
  | { readonly contents: Document.Parsed['contents']; readonly fault?: undefined }
  | { readonly fault: YamlFault };

/** The tree, null for a source without content. Ranges in it are offsets in `source`. */
export function parseYaml(source: string): YamlTree {
  if (source.length > MAX_CHARACTERS) {
    return { fault: { offset: 0, reason: `longer than ${MAX_CHARACTERS} characters` } };
  }
  const tokens = [...new Lexer().lex(source)];
  const excess = yamlExcess(tokens);
  if (excess !== undefined) return { fault: excess };
  const [document, second] = documentsOf(tokens, source.length);
  const error = document?.errors[0];
  if (error !== undefined) return { fault: { offset: error.pos[0], reason: error.message } };
  if (second !== undefined) return { fault: { offset: second.range[0], reason: 'a second document begins here' } };
  return { contents: document?.contents ?? null };
}

function documentsOf(tokens: readonly string[], length: number): Document.Parsed[] {
  const parser = new Parser();
  const composer = new Composer<never>(OPTIONS);
  const documents: Document.Parsed[] = [];
  for (const token of tokens) {
    for (const node of parser.next(token)) documents.push(...composer.next(node));
  }
  for (const node of parser.end()) documents.push(...composer.next(node));
  documents.push(...composer.end(true, length));
  return documents;
}
