// The names a file may have where its own is taken.

/** The name itself, then numbered: `Note.md`, `Note 1.md`, `Note 2.md`, without end. */
export function* numberedNames(name: string): Iterable<string> {
  const dot = name.lastIndexOf('.');
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  yield name;
  for (let number = 1; ; number += 1) yield `${stem} ${number}${extension}`;
}
