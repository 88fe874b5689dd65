// Finds which offsets of a text are inside given spans of it.

/** Whether an offset is inside one of the spans; asked for ascending offsets. */
export function coveredBy(
  spans: readonly { readonly offset: number; readonly end: number }[],
): (offset: number) => boolean {
  const ascending = spans.toSorted((one, other) => one.offset - other.offset);
  let at = 0;
  let end = 0;
  return (offset) => {
    for (let span = ascending[at]; span !== undefined && span.offset <= offset; span = ascending[++at])
      end = Math.max(end, span.end);
    return offset < end;
  };
}
