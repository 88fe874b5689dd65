// Removes the block of properties at the beginning of a note.

export function withoutProperties(text: string): string {
  return text.replace(/^\ufeff?---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/, '');
}
