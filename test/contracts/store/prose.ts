// Contract tests that compare the hits of words with a plain search of the same prose in eight scripts.
import assert from 'node:assert/strict';
import { fill, type Law, notesWith } from './law.ts';

/** Four notes each. The words are listed only where the script has no blanks between them; otherwise every word is a query. */
const PROSE: Readonly<Record<string, { readonly notes: readonly string[]; readonly words?: readonly string[] }>> = {
  Devanagari: {
    notes: [
      'आज का दिन अच्छा है। हम नदी के किनारे चलते हैं।',
      'नदी का पानी ठंडा है और दिन लंबा है।',
      'उसने दान में किताब दी। किताब नई है।',
      'बच्चे नदी में तैरते हैं, पानी साफ है।',
    ],
  },
  Bengali: {
    notes: ['আজ দিন ভালো। আমরা নদীর পাশে হাঁটি।', 'নদী বড়, জল ঠান্ডা।', 'সে একটি বই দান করে। বই নতুন।', 'জল পরিষ্কার আর দিন লম্বা।'],
  },
  Arabic: {
    notes: [
      'هذا كتاب جديد عن البحر.',
      'كِتَابٌ قديم على الطاولة، والبحر هادئ.',
      'نذهب إلى البحر كل يوم.',
      'قرأت الكتاب في يوم ممطر.',
    ],
  },
  Hebrew: {
    notes: ['הים שקט היום והספר חדש.', 'סֵפֶר ישן על השולחן.', 'אני קורא ספר ליד הים.', 'היום יורד גשם.'],
  },
  Thai: {
    notes: ['วันนี้อากาศดี เราเดินริมแม่น้ำ', 'แม่น้ำกว้างและน้ำเย็น', 'เขาอ่านหนังสือใหม่ทุกวัน', 'หนังสือเล่มนี้คิดถึงบ้าน'],
    words: ['แม่น้ำ', 'น้ำ', 'หนังสือ', 'วัน', 'คิด', 'เดิน'],
  },
  Lao: {
    notes: ['ມື້ນີ້ອາກາດດີ ພວກເຮົາຍ່າງແຄມແມ່ນ້ຳ', 'ແມ່ນ້ຳກວ້າງ ແລະ ນ້ຳເຢັນ', 'ລາວອ່ານປຶ້ມໃໝ່ທຸກມື້', 'ປຶ້ມຫົວນີ້ດີຫຼາຍ'],
    words: ['ແມ່ນ້ຳ', 'ນ້ຳ', 'ປຶ້ມ', 'ມື້', 'ດີ', 'ອ່ານ'],
  },
  Khmer: {
    notes: ['ថ្ងៃនេះអាកាសធាតុល្អ យើងដើរតាមទន្លេ។', 'ទន្លេធំ ហើយទឹកត្រជាក់។', 'គាត់អានសៀវភៅថ្មីរាល់ថ្ងៃ។', 'សៀវភៅនេះល្អណាស់។'],
    words: ['ទន្លេ', 'ទឹក', 'សៀវភៅ', 'ថ្ងៃ', 'ល្អ', 'នេះ'],
  },
  Burmese: {
    notes: ['ဒီနေ့ ရာသီဥတု ကောင်းတယ်။ မြစ်ကမ်းမှာ လမ်းလျှောက်တယ်။', 'မြစ်က ကြီးပြီး ရေက အေးတယ်။', 'သူ စာအုပ် အသစ် ဖတ်တယ်။', 'ဒီစာအုပ် ကောင်းတယ်။'],
    words: ['မြစ်', 'ရေ', 'စာအုပ်', 'ကောင်းတယ်', 'ဒီ', 'ဖတ်'],
  },
};

/** Vowel signs of Arabic and Hebrew, which are not compared. */
const plain = (text: string): string => text.normalize('NFKC').replaceAll(/[\u0591-\u05BD\u064B-\u0652]/gu, '');
const wordsIn = (text: string): string[] => plain(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** Where words have no blanks between them, a hit must not begin below a letter or end before a mark of its last one. */
function matcherOf(word: string, hasBlanks: boolean): RegExp {
  const [before, after] = hasBlanks ? ['[\\p{L}\\p{M}\\p{N}]', '[\\p{L}\\p{M}\\p{N}]'] : ['[\\u17D2\\u1039]', '\\p{M}'];
  return new RegExp(`(?<!${before})${plain(word)}(?!${after})`, 'u');
}

export function proseLaws(law: Law): void {
  law('each word of prose in eight scripts is found in the notes in which a plain search finds it', async (store) => {
    const texts = Object.entries(PROSE).flatMap(([script, { notes }]) =>
      notes.map((text, at) => [`${script}/${at}`, text] as const),
    );
    await fill(store, Object.fromEntries(texts.map(([name, text]) => [`${name}.md`, text])));
    for (const { notes, words } of Object.values(PROSE)) {
      for (const word of words ?? new Set(notes.flatMap(wordsIn))) {
        const matcher = matcherOf(word, words === undefined);
        const expected = texts.flatMap(([name, text]) => (matcher.test(plain(text)) ? [name] : []));
        assert.ok(expected.length > 0, word);
        assert.deepEqual(await notesWith(store, word), expected.sort(), word);
      }
    }
  });
}
