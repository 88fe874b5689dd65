// What the properties `tags` and `aliases` give, and why what stands in them may give nothing. Knows no other property.
import { isScalar, isSeq, type Scalar, type YAMLMap } from 'yaml';
import { isTagName } from '../parse/tag.ts';

export interface NamesFound {
  /** Each with the scalar that holds it; tags without `#`. */
  readonly names: readonly { readonly name: string; readonly node: Scalar }[];
  readonly notices: readonly string[];
}

/** The tags of a front matter. One text is one tag; a text that is no tag gives none, and a notice. */
export function readTags(map: YAMLMap): NamesFound {
  return readNames(
    map,
    'tags',
    (text) => text.replace(/^#/, ''),
    (text) => isTagName(text.replace(/^#/, '')),
  );
}

/** The aliases of a front matter. A list may hold commas; one text with a comma in it gives none, and a notice. */
export function readAliases(map: YAMLMap): NamesFound {
  return readNames(
    map,
    'aliases',
    (text) => text,
    (text, inList) => inList || !text.includes(','),
  );
}

function readNames(
  map: YAMLMap,
  property: string,
  nameOf: (text: string) => string,
  accepts: (text: string, inList: boolean) => boolean,
): NamesFound {
  const names: { name: string; node: Scalar }[] = [];
  const notices: string[] = [];
  const { nodes, inList } = itemsOf(map, property);
  for (const node of nodes) {
    const text = isScalar(node) ? textOf(node) : undefined;
    if (text === '') continue;
    if (isScalar(node) && text !== undefined && accepts(text, inList)) names.push({ name: nameOf(text), node });
    else notices.push(noticeOf(property, text, inList));
  }
  return { names, notices };
}

/** The items of the property, whatever the case of its name. */
function itemsOf(map: YAMLMap, property: string): { nodes: readonly unknown[]; inList: boolean } {
  const found = map.items.find(({ key }) => isScalar(key) && String(key.value).toLowerCase() === property);
  const value = found?.value ?? undefined;
  if (value === undefined) return { nodes: [], inList: false };
  return isSeq(value) ? { nodes: value.items, inList: true } : { nodes: [value], inList: false };
}

/** The item as text: numbers and the like as they are written, nothing as the empty text. */
function textOf(node: Scalar): string {
  if (typeof node.value === 'string') return node.value.trim();
  return node.value === null || node.value === undefined ? '' : (node.source ?? String(node.value));
}

function noticeOf(property: string, text: string | undefined, inList: boolean): string {
  if (text === undefined) return `${property}: an item that is no text gives nothing.`;
  const written = JSON.stringify(text);
  if (!inList && text.includes(','))
    return `${property}: ${written} is one text, not a list, and gives nothing; write \`${property}: [${text}]\`.`;
  return `${property}: ${written} is no tag and gives nothing.`;
}
