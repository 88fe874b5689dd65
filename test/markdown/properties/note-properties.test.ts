// Tests random edits of random notes: nothing unintended changes, and refusals have a code.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { Heading } from '../../../src/base/note.ts';
import { editNote, type NoteEdit } from '../../../src/markdown/edit/note.ts';
import { parseNote } from '../../../src/markdown/parse/parse-note.ts';
import { minimum, runs } from '../../runner/effort.ts';
import { anyEdits, anyPieces, anyText } from '../edit/edit-notes.ts';

type EditedNote = ReturnType<typeof editNote>;

const REFUSALS = new Set(['EDIT_TARGET_NOT_FOUND', 'EDIT_TARGET_AMBIGUOUS', 'INVALID_INPUT']);

function tryEdit(text: string, edits: readonly NoteEdit[]): EditedNote | VaultgraphError {
  try {
    return editNote('N.md', text, edits);
  } catch (refusal) {
    if (refusal instanceof VaultgraphError) return refusal;
    throw refusal;
  }
}

const anyEditedText = anyText.chain((text) => anyEdits(text).map((edits) => ({ text, edits })));

/** Runs the property on the edits that are made; those refused must be few enough for it to mean something. */
function holds(check: (text: string, edits: readonly NoteEdit[], edited: EditedNote) => void): void {
  let made = 0;
  const property = fc.property(anyEditedText, ({ text, edits }) => {
    const edited = tryEdit(text, edits);
    if (edited instanceof VaultgraphError) return;
    made += 1;
    check(text, edits, edited);
  });
  fc.assert(property, { numRuns: runs(1_000) });
  assert.ok(made > minimum(200), `${made} edits were made`);
}

const named = ({ level, text }: Heading): string => `${level} ${text}`;

/** What the text has outside the spans, as if every span were the same sign. */
function outside(text: string, spans: readonly { from: number; to: number }[]): string[] {
  let at = 0;
  const kept = spans.map(({ from, to }) => {
    const piece = text.slice(at, from);
    at = to;
    return piece;
  });
  return [...kept, text.slice(at)];
}

suite('every edit', () => {
  test('applies or is refused with a code', () => {
    fc.assert(
      fc.property(anyEditedText, ({ text, edits }) => {
        const edited = tryEdit(text, edits);
        if (edited instanceof VaultgraphError) assert.ok(REFUSALS.has(edited.code), edited.code);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('leaves every character outside its spans unchanged', () => {
    holds((text, _, { text: changed, spans }) => {
      let shift = 0;
      const newSpans = spans.map(({ from, to, text: put }) => {
        const newFrom = from + shift;
        shift += put.length - (to - from);
        assert.equal(changed.slice(newFrom, newFrom + put.length), put);
        return { from: newFrom, to: newFrom + put.length };
      });
      assert.deepEqual(outside(changed, newSpans), outside(text, spans));
    });
  });

  test('keeps the headings it does not touch, and adds only its own', () => {
    holds((text, edits, { text: changed, spans }) => {
      if (edits.some(({ op }) => op === 'replace_text')) return;
      const kept = parseNote(text).headings.filter(
        ({ offset }) => !spans.some(({ from, to }) => offset >= from && offset < to),
      );
      const brought = spans.flatMap(({ text: put }) => parseNote(`\n${put}`).headings);
      assert.deepEqual(parseNote(changed).headings.map(named).sort(), [...kept, ...brought].map(named).sort());
    });
  });

  test('by replace_text keeps every heading it does not touch, in order', () => {
    holds((text, _, { text: changed, spans }) => {
      const before = parseNote(text).headings;
      const untouched = before.filter(({ offset, text: name }) => {
        const end = offset + name.length + 12;
        return !spans.some(({ from, to }) => from <= end && to >= offset);
      });
      const after = parseNote(changed).headings.map(named);
      let at = -1;
      for (const heading of untouched) {
        at = after.indexOf(named(heading), at + 1);
        assert.notEqual(at, -1, named(heading));
      }
    });
  });

  test('keeps front matter, the ids of other blocks, and the kind of line ends', () => {
    holds((text, edits, { text: changed }) => {
      const [before, after] = [parseNote(text), parseNote(changed)];
      if (edits.every(({ op }) => op !== 'replace_text'))
        assert.equal(changed.slice(0, after.bodyOffset).trimEnd(), text.slice(0, before.bodyOffset).trimEnd());
      if (text.includes('\n') && !text.includes('\r')) assert.ok(!changed.includes('\r'));
      if (text.includes('\r\n') && !/[^\r]\n|\r[^\n]/.test(text)) assert.doesNotMatch(changed, /(?<!\r)\n|\r(?!\n)/);
    });
  });

  test('by appending or inserting keeps every block id and every link', () => {
    holds((text, edits, { text: changed }) => {
      if (edits.some(({ op }) => op.startsWith('replace'))) return;
      const [before, after] = [parseNote(text), parseNote(changed)];
      const ids = after.blocks.map(({ id }) => id);
      for (const { id } of before.blocks) assert.ok(ids.includes(id), id);
      const links = after.links.map(({ link }) => link);
      for (const { link } of before.links) assert.ok(links.includes(link), link);
    });
  });
});

suite('inserted text', () => {
  /** Every place that the note has for one insertion, and the note with a link put there. */
  function insertions(text: string): { edit: NoteEdit; edited: EditedNote }[] {
    const { headings, blocks } = parseNote(text);
    const sections = headings.map(({ text: name, line }) => ({ target: `#${name}`, line }));
    const named = blocks.map(({ id, line }) => ({ target: `#^${id}`, line }));
    const edits: Omit<NoteEdit, 'text'>[] = [
      { op: 'append' },
      { op: 'prepend' },
      ...[...sections, ...named].flatMap((target) => [
        { op: 'insert_after' as const, ...target },
        { op: 'insert_before' as const, ...target },
        { op: 'replace_section' as const, ...target },
      ]),
      ...sections.map((target) => ({ op: 'append' as const, ...target })),
    ];
    return edits.flatMap((place) => {
      const edit = { ...place, text: 'put [[in]] here' };
      const edited = tryEdit(text, [edit]);
      return edited instanceof VaultgraphError ? [] : [{ edit, edited }];
    });
  }

  test('is parsed as text wherever it is inserted', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const { edit, edited } of insertions(text)) {
          const links = parseNote(edited.text).links.filter(({ link }) => link === 'in');
          assert.equal(links.length, 1, JSON.stringify([edit, edited.text]));
          const id = edit.target?.startsWith('#^') ? edit.target.slice(2) : undefined;
          const ids = parseNote(edited.text).blocks.map((block) => block.id);
          assert.ok(id === undefined || ids.includes(id), JSON.stringify([edit, edited.text]));
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test('goes into the named section, below or above its heading', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const { edit, edited } of insertions(text)) {
          if (edit.target === undefined || edit.target.startsWith('#^')) continue;
          const { headings, links } = parseNote(edited.text);
          const at = links.find(({ link }) => link === 'in')?.offset ?? 0;
          const near =
            edit.op === 'insert_before'
              ? headings.find(({ offset }) => offset > at)
              : headings.findLast(({ offset }) => offset < at);
          assert.equal(near && `#${near.text}`, edit.target, JSON.stringify([edit, edited.text]));
        }
      }),
      { numRuns: runs(500) },
    );
  });
});

suite('appending', () => {
  test('keeps the note as the beginning of the new text, and its final line end', () => {
    fc.assert(
      fc.property(anyText, anyPieces, (text, pieces) => {
        const put = pieces.join('\n\n');
        const edited = tryEdit(text, [{ op: 'append', text: put }]);
        if (edited instanceof VaultgraphError) return;
        assert.ok(edited.text.startsWith(text));
        assert.equal(/[\r\n]$/.test(edited.text), text === '' || /[\r\n]$/.test(text));
        const written = edited.text.slice(text.length).replace(/\r\n?/g, '\n').trim();
        assert.equal(written, put.replace(/^(?:[ \t]*\n)+/, '').trim());
      }),
      { numRuns: runs(1_000) },
    );
  });
});
