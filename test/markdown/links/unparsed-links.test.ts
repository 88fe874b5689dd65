// Finds texts that look like links to a moved file, in any text.
import { test } from 'node:test';
import type { NotePath } from '../../../src/base/note.ts';
import { writtenLinks } from '../../../src/markdown/links/follow-links.ts';
import { createMovedFiles } from '../../../src/markdown/links/link-changes.ts';
import { candidatesByName } from '../../../src/markdown/links/resolve-link.ts';
import { assertEach } from '../../assert-each.ts';

const path = (name: string): NotePath => name as NotePath;
const FILES = createMovedFiles(
  new Map([[path('Hub.md'), path('Centre.md')]]),
  candidatesByName(['A.md', 'Centre.md'].map(path)),
);

test('a destination of any length is read, and the links after it are found', () => {
  for (const long of ['a'.repeat(9_000_000), '(a)'.repeat(3_000_000), '(('.repeat(200_000)]) {
    const written = writtenLinks(path('A.md'), `![x](data:image/png;base64,${long}) [[Hub]] [y](Hub.md)`, FILES);
    assertEach(written, (link) => link.written, ['[[Hub', '](Hub.md']);
  }
});
