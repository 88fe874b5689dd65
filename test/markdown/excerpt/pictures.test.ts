// Rows of pictures from the web are left out of the text that is shown of a note.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutPictureRows } from '../../../src/markdown/excerpt/pictures.ts';

const SHIELD = '[![Build](https://img.example/a.svg?style=flat)](https://example.org/actions)';

test('rows of shields are left out, and lines keep their numbers', () => {
  const html = '<p align="center">\n<a href="x"><img src="https://img.example/b.svg"></a>\n</p>';
  for (const row of [`${SHIELD}\n\n${SHIELD}\r\n${SHIELD}`, SHIELD.repeat(3), `${SHIELD}${SHIELD}\n${html}`]) {
    const shown = withoutPictureRows(`# Title\n${row}\nText ${SHIELD}\n`);
    assert.doesNotMatch(shown, /^\[!\[|<img/m, row);
    assert.match(shown, /^# Title\n/);
    assert.equal(shown.split('\n').indexOf(`Text ${SHIELD}`), row.split('\n').length + 1);
  }
});

test('other pictures, and those in code, stay', () => {
  const photo = '![The harbour](https://img.example/photo.jpg)';
  for (const text of [
    `${photo}\n${photo}\nText\n${photo}`,
    '![a](a.png)\n![b](b.png)\n![c](c.png) https://x https://y https://z',
    `\`\`\`md\n${SHIELD}\n${SHIELD}\n${SHIELD}\n\`\`\``,
    `${SHIELD}\n![own](own.png)\n${SHIELD}\n${SHIELD}`,
  ])
    assert.equal(withoutPictureRows(text), text);
});
