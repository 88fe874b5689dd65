// Asks the user questions in a terminal.
import { createInterface } from 'node:readline/promises';
import { visibleText } from '../../base/visible-controls.ts';
import { screen } from '../output.ts';

export interface Questions {
  /** The index of the chosen item; an empty line chooses the first. */
  choose(question: string, items: readonly string[]): Promise<number>;
  /** @param byDefault the answer of an empty line */
  agree(question: string, byDefault: boolean): Promise<boolean>;
  text(question: string): Promise<string>;
  close(): void;
}

/** Asks again after an answer that is none. If the input ends, the remaining questions get an empty line. */
export function askPerson(input: NodeJS.ReadableStream, output: NodeJS.WritableStream = screen): Questions {
  const lines = createInterface({ input, output });
  let isEnded = false;
  const ended = new Promise<string>((resolve) => {
    lines.once('close', () => {
      isEnded = true;
      resolve('');
    });
  });
  const ask = async (prompt: string): Promise<string> =>
    isEnded ? '' : (await Promise.race([lines.question(visibleText(prompt)), ended])).trim();
  return {
    async choose(question, items) {
      const list = items.map((item, at) => `  ${at + 1}  ${item}\n`).join('');
      for (;;) {
        const answer = await ask(`${question}\n${list}1-${items.length} [1]: `);
        const number = answer === '' ? 1 : Number(answer);
        if (Number.isInteger(number) && number >= 1 && number <= items.length) return number - 1;
        output.write(`Please answer with a number from 1 to ${items.length}.\n`);
      }
    },
    async agree(question, byDefault) {
      for (;;) {
        const answer = await ask(`${question} [${byDefault ? 'Y/n' : 'y/N'}]: `);
        if (answer === '') return byDefault;
        if (/^y(?:es)?$/i.test(answer)) return true;
        if (/^no?$/i.test(answer)) return false;
        output.write('Please answer y or n.\n');
      }
    },
    text: (question) => ask(`${question} `),
    close: () => lines.close(),
  };
}
