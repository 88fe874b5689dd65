// Compares the names that servers give to one model.

const FILE_ENDING = /\.(?:gguf|safetensors|bin)$/;
/** The quantization, `-Q8_0` or `.f16`, which servers may omit or add. */
const QUANTIZATION = /[-._]((?:i?q\d\w*|(?:b?f|fp)(?:16|32)|u?int[48]))$/;
/** LM Studio's prefix for embedding models. */
const KIND = /^text-embedding-/;

interface ModelName {
  readonly core: string;
  readonly tag?: string | undefined;
  readonly quantization?: string | undefined;
}

/**
 * Whether two names do not contradict each other. Folder, owner, file ending and case do not matter; tag and quantization matter
 * only if both names have one. A server that answers with another name has another model loaded.
 */
export function mayBeSameModel(one: string, other: string): boolean {
  const [left, right] = [parseName(one), parseName(other)];
  const agree = (part: 'tag' | 'quantization'): boolean =>
    left[part] === undefined || right[part] === undefined || left[part] === right[part];
  return left.core === right.core && agree('tag') && agree('quantization');
}

function parseName(name: string): ModelName {
  const [, last = ''] = /([^/\\]*)[/\\]*$/.exec(name.trim().toLowerCase()) ?? [];
  const [untagged = '', tag] = last.split(/[:@]/);
  const file = untagged.replace(FILE_ENDING, '');
  const core = file.replace(QUANTIZATION, '').replace(KIND, '');
  return { core, tag: tag === 'latest' ? undefined : tag, quantization: QUANTIZATION.exec(file)?.[1] };
}
