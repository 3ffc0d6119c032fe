import { describe, expect, it } from 'vitest';
import { plainText } from '#server/formats/inline-content.ts';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import { extract } from '#server/formats/pdf.ts';
import { madePdf } from './pdf-made.ts';
import { lines, page } from './pdf-page.ts';

/** The text of a page in which one line ends with `head`, the next one begins with `tail`, and other text is below. */
function divided(head: string, tail: string, others: string[] = []): string {
  const first = [`The engine works with a long ${head}`, `${tail} of the usual kind and more`];
  const content = page([lines(first, 50, 700), lines(others, 50, 600)]);
  return plainText(findBlocks(content).blocks[0]!.content);
}

describe('a hyphen at the end of a line', () => {
  it('goes if the text shows nothing else', () => {
    expect(divided('represen-', 'tation')).toContain('long representation of');
    expect(divided('cross-func-', 'tional')).toContain('long cross-functional of');
  });

  it('stays if the word has it elsewhere, and goes if the word is whole elsewhere', () => {
    expect(divided('type-', 'check', ['as the type-check of it'])).toContain('long type-check of');
    expect(divided('soft-', 'ware', ['the soft ware is the software of all'])).toContain('long software of');
  });

  it('stays between two English words that do not form one', () => {
    for (const word of ['well-known', 'cost-benefit', 'trace-compilation', 'two-lane']) {
      const [head, tail] = word.split('-') as [string, string];
      expect(divided(`${head}-`, tail)).toContain(`long ${word} of`);
    }
    expect(divided('self-', 'less')).toContain('long selfless of');
    // Parts of words, words with a prefix, and a word that the text has.
    for (const [head, tail] of ['infer-ring', 'over-flown', 'water-colours'].map((word) => word.split('-')))
      expect(divided(`${head}-`, tail!, ['all of the watercolours here'])).toContain(
        `long ${head}${tail} of`,
      );
  });

  it('goes between English words of a text in another language, which joins its compounds', () => {
    const german = ['Am Abend gibt es im Haus eine lange Sport-', 'party mit allen Freunden und mit Musik'];
    const { blocks } = findBlocks(page([lines(german, 50, 700)]));
    expect(plainText(blocks[0]!.content)).toContain('lange Sportparty mit');
  });

  const joins = ['which are language-independent and machine-dependent but not more'];
  it('stays between two words of a text that has such compounds', () => {
    const words = ['a skazu and its grimola are not more', ...joins];
    expect(divided('skazu-', 'grimola', words)).toContain('long skazu-grimola of');
    expect(divided('skazu-', 'grimola', words.slice(0, 1))).toContain('long skazugrimola of');
  });

  it('goes after words that join others without a hyphen, and before words that have a capital elsewhere', () => {
    expect(divided('under-', 'stand', ['as we stand under it all', ...joins])).toContain(
      'long understand of',
    );
    expect(divided('Wachs-', 'tumskurve', ['das Wachs Tumskurve ist da', ...joins])).toContain(
      'Wachstumskurve of',
    );
  });

  it('stays within a compound of several words, and after a participle', () => {
    expect(divided('stop-the-', 'world', ['and the other one'])).toContain('long stop-the-world of');
    expect(divided('trace-', 'to-trace', ['from trace to trace'])).toContain('long trace-to-trace of');
    expect(divided('mixed-', 'mode', ['in the mode of it'])).toContain('long mixed-mode of');
  });

  it('stays after an abbreviation, and before a word that ends compounds', () => {
    expect(divided('EU-', 'wide')).toContain('long EU-wide of');
    expect(divided('Windows-', 'based')).toContain('long Windows-based of');
    expect(divided('de-', 'based')).toContain('long debased of');
  });

  it('stays in an address, because a hyphen there may be a part of it', () => {
    for (const start of ['https://example.org/national-workshop-', 'www.example.org/a-', 'forms.gle/a-'])
      expect(divided(start, 'on-all')).toContain(`long ${start}on-all of`);
  });

  it('stays before a capital, unless the word is whole elsewhere', () => {
    expect(divided('Franco-', 'German')).toContain('long Franco-German of');
    expect(divided('Java-', 'Script', ['for the JavaScript of it'])).toContain('long JavaScript of');
  });

  it('is judged by the words of all pages, also those after it', async () => {
    const shows = (y: number, text: string) => `BT /F 10 Tf 50 ${y} Td (${text}) Tj ET`;
    const bytes = await madePdf(
      { content: `${shows(300, 'The engine works with a long floating-')}\n${shows(288, 'point number.')}` },
      { content: shows(300, 'All floating-point numbers.') },
    );
    const { segments } = await extract(bytes);
    expect(plainText(segments[0]!.source)).toBe('The engine works with a long floating-point number.');
  });
});
