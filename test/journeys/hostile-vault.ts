// Writes a vault of notes that make slow or unbounded code visible: very long lines, thousands of links, brackets, marks, images.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MIB = 1024 * 1024;

/** The notes by name; every one links to `Hub`. @param scale 1 for the full size */
export function hostileNotes(scale: number): Readonly<Record<string, string>> {
  const size = (full: number): number => Math.round(full * scale);
  const base64 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ';
  return {
    'Hub.md':
      '---\naliases: [Centre]\n---\n# Hub\n\nThe harbour and the tide. [[Long line]] [[Image]] #ebb\n\n- [ ] task\n',
    'Long line.md': `The harbour ${'tide calm harbour. '.repeat(size((30 * MIB) / 19))} [[Hub]]`,
    'Many links.md': `harbour ${Array.from({ length: size(200_000) }, (_, at) => `[[Gone ${at}]]`).join(' ')} [[Hub]]`,
    'Brackets.md': `harbour ${'['.repeat(size(MIB / 2))}${']'.repeat(size(MIB / 2))} [[Hub]]`,
    'Openings.md': `harbour ${'[[a '.repeat(size(MIB / 4))} [[Hub]]`,
    'Marks.md': `harbour a${'\u0301'.repeat(size(MIB))} [[Hub]]`,
    'Image.md': `# Image\n\nThe harbour ![x](data:image/png;base64,${base64.repeat(size((8 * MIB) / 44))}) [[Hub]]\n`,
    'Key.md': `harbour ${base64.repeat(size(MIB / 44))} [[Hub]]\n`,
    'Blanks.md': `harbour ${' '.repeat(size(MIB))}x [[Hub]]\n`,
  };
}

export function writeHostileVault(folder: string, scale: number): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'Files.base'), 'filters: file.hasLink("Hub")\nviews:\n  - name: All\n');
  for (const [name, text] of Object.entries(hostileNotes(scale))) writeFileSync(join(folder, name), text);
}
