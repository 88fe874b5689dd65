// Puts a text on the clipboard and says so.
import type { Reading } from '../reading.ts';

export async function copyText({ notice }: Pick<Reading, 'notice'>, text: string, what: string): Promise<void> {
  const [copied] = await Promise.allSettled([navigator.clipboard.writeText(text)]);
  notice.say(copied.status === 'fulfilled' ? `${what} copied` : `This browser does not let the page copy: ${text}`);
}
