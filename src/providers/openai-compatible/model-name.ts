// Tells whether two names may mean one model, as servers of the OpenAI kind write them. Asks no server.

const FILE_ENDING = /\.(?:gguf|safetensors|bin)$/;
/** How the weights were made smaller, `-Q8_0`, `.f16`: servers leave it away or add it. */
const QUANTISATION = /[-._]((?:i?q\d\w*|(?:b?f|fp)(?:16|32)|u?int[48]))$/;
/** What LM Studio puts before the names of models that embed. */
const KIND = /^text-embedding-/;

interface Name {
  readonly core: string;
  readonly tag?: string | undefined;
  readonly quantisation?: string | undefined;
}

/**
 * Whether nothing in the names speaks against it: folder, owner, file ending and case count for nothing, tag and quantisation
 * only where both names have one. A server that answers with another name than that has another model in memory.
 */
export function mayBeSameModel(one: string, other: string): boolean {
  const [left, right] = [readName(one), readName(other)];
  const agree = (part: 'tag' | 'quantisation'): boolean =>
    left[part] === undefined || right[part] === undefined || left[part] === right[part];
  return left.core === right.core && agree('tag') && agree('quantisation');
}

function readName(name: string): Name {
  const [, last = ''] = /([^/\\]*)[/\\]*$/.exec(name.trim().toLowerCase()) ?? [];
  const [untagged = '', tag] = last.split(/[:@]/);
  const file = untagged.replace(FILE_ENDING, '');
  const core = file.replace(QUANTISATION, '').replace(KIND, '');
  return { core, tag: tag === 'latest' ? undefined : tag, quantisation: QUANTISATION.exec(file)?.[1] };
}
