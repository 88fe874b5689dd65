// Removes the Markdown marks of a single line.

/** Code, wikilinks, other links, strong, emphasis, in this order so that none starts inside another; lengths are bounded, so matching is linear. */
const MARKS =
  /`([^`\n]{1,400})`|!?\[\[([^\]\n|]{1,400})(?:\|([^\]\n]{0,400}))?\]\]|!?\[([^\]\n]{0,400})\]\([^()\s]{0,400}[^()\n]{0,200}\)|\*\*([^*\n]{1,400})\*\*|(?<![\w*])\*([^*\n]{1,400})\*(?!\w)|(?<!\w)_([^_\n]{1,400})_(?!\w)/g;

export function plainWords(text: string): string {
  const plain = text.replaceAll(MARKS, (all, code, target, shown, words, strong, star, underscore) =>
    String(code ?? (shown || target) ?? words ?? strong ?? star ?? underscore ?? all),
  );
  return plain === text ? text : plainWords(plain);
}
