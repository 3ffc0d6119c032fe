import { beforeAll, describe, expect, it } from 'vitest';
import { type LanguageCode, languageCodes } from '#server/languages.ts';
import { declaration } from './golden-declaration.ts';
import { hasPdftotext, textByPdfjs, textByPdftotext } from './golden-pdf-readers.ts';
import { type Rendered, render } from './pdf-blocks.ts';

const open = { tag: 1, type: 'open' as const };
const close = { tag: 1, type: 'close' as const };

const wide = 'A line that is long enough for all of what is set in its place here and more';

const withoutSpaces = (text: string): string => text.normalize('NFKC').replace(/\s+/g, '');

/** What copying may change: compatibility forms, and whitespace at line ends. */
function copied(text: string, language: LanguageCode): string {
  if (['zh-Hans', 'zh-Hant', 'ja', 'th'].includes(language)) return withoutSpaces(text);
  return text
    .normalize('NFKC')
    .replace(/\s+/g, ' ')
    .replace(/([\p{Pd}/]) /gu, '$1')
    .trim();
}

describe.each(languageCodes)('text of two styles in %s', (language) => {
  const words = declaration(language).slice(0, 400).trim();
  const half = Math.floor(words.length / 2);
  const cut = words.indexOf(' ', half) > 0 ? words.indexOf(' ', half) : half;
  let set: Rendered;
  beforeAll(async () => {
    const source = {
      lines: Array.from({ length: 16 }, () => wide),
      spans: { 1: { bold: true, italic: true, color: '1 0 0 rg' } },
    };
    const target = [words.slice(0, cut), open, words.slice(cut), close];
    set = await render([{ source, target }], { targetLanguage: language });
  });

  it('can be copied out by pdf.js', { timeout: 30_000 }, async () => {
    expect(set.findings.filter(({ code }) => code === 'text_truncated')).toEqual([]);
    // Between right-to-left pieces of different fonts, pdf.js loses a space.
    expect(withoutSpaces(await textByPdfjs(set.bytes))).toBe(withoutSpaces(words));
  });

  it.skipIf(!hasPdftotext)('can be copied out by pdftotext', { timeout: 30_000 }, () => {
    const options = ['ar', 'fa', 'ur'].includes(language) ? [] : ['-raw'];
    expect(copied(textByPdftotext(set.bytes, ...options), language)).toBe(copied(words, language));
  });
});
