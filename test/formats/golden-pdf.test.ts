import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { renderGoldenPdf } from '#server/formats/golden/index.ts';
import { type LanguageCode, languageCodes } from '#server/languages.ts';
import { declaration } from './golden-declaration.ts';
import { hasPdftotext, textByPdfjs, textByPdftotext, withPdf } from './golden-pdf-readers.ts';

const rightToLeft = (language: LanguageCode): boolean => ['ar', 'fa', 'ur'].includes(language);
const breaksInsideWords = (language: LanguageCode): boolean =>
  ['zh-Hans', 'zh-Hant', 'ja', 'th'].includes(language);

/** What copying out may change: compatible forms, and whitespace, which also stands where a line was broken. */
function copied(text: string, language: LanguageCode): string {
  const plain = text.normalize('NFKC');
  if (breaksInsideWords(language)) return plain.replace(/\s+/g, '');
  return plain
    .replace(/\s+/g, ' ')
    .replace(/([\p{Pd}/]) /gu, '$1')
    .trim();
}

const render = (text: string, language = 'en', title = 'Title'): Promise<Uint8Array> =>
  renderGoldenPdf({ text, language, title });

describe.each(languageCodes)('a golden PDF in %s', (language) => {
  const text = declaration(language);

  it('has all of its text, over some pages, for pdf.js', { timeout: 30_000 }, async () => {
    const pdf = await render(text, language);
    expect(await withPdf(pdf, async ({ numPages }) => numPages)).toBeGreaterThanOrEqual(2);
    expect(copied(await textByPdfjs(pdf), language)).toBe(copied(text, language));
  });

  it.skipIf(!hasPdftotext)('has all of its text for pdftotext', { timeout: 30_000 }, async () => {
    const pdf = await render(text, language);
    if (!rightToLeft(language)) {
      expect(copied(textByPdftotext(pdf, '-raw'), language)).toBe(copied(text, language));
      return;
    }
    // Poppler moves the spaces around full stops of right-to-left lines, and -raw gives lines from left to right.
    expect(textByPdftotext(pdf).normalize('NFKC').replace(/\s+/g, '')).toBe(
      text.normalize('NFKC').replace(/\s+/g, ''),
    );
    expect(words(textByPdftotext(pdf))).toEqual(words(text));
    expect(words(textByPdftotext(pdf, '-raw').replace(/\p{M}/gu, '')).sort()).toEqual(
      words(text.replace(/\p{M}/gu, '')).sort(),
    );
  });
});

function words(text: string): string[] {
  return text.normalize('NFKC').match(/[\p{L}\p{M}\p{N}\u200c]+/gu)!;
}

if (!hasPdftotext) console.warn('pdftotext is not installed: only pdf.js judges the text of golden PDFs');

describe('a golden PDF', () => {
  it('keeps scripts, symbols and marks that are mixed on a line', async () => {
    const lines = [
      'Ελληνικά Русский हिन्दी ไทย 日本語 한국어 简体 繁體',
      '→ ⇒ ↔ € £ ¥ ₹ ₺ ₽ ₩ ฿ ∑ ∞ ≠ ≤ √ ☎ ✓ ★ ♠ § ¶ † © ®',
      '😀 👨‍👩‍👧‍👦 👍🏽 🇫🇷 ❤️ x 42',
      'e\u0301 ạ\u0308 Z\u0337\u0322\u0321\u031b\u0337 office ﬁx AVATAR',
      'क्‍ष क्ष र्‍य नमस्‌ते',
      'العربية',
    ];
    const text = await textByPdfjs(await render(lines.join('\n')));
    expect(text.normalize('NFKC').split('\n').slice(0, 6)).toEqual(
      lines.map((line) => line.normalize('NFKC')),
    );
  });

  it('keeps characters that no font has', async () => {
    expect(await textByPdfjs(await render('a \ue000\uf8ff b \u{f0001} c \u0378 d ᚠ e ꙮ'))).toContain(
      'a \ue000\uf8ff b \u{f0001} c \u0378 d ᚠ e ꙮ',
    );
  });

  it('keeps Latin words and numbers inside Arabic', async () => {
    const text = await textByPdfjs(await render('في عام 2024 قال Example Corp شيئا', 'ar'));
    expect(text.split(/\s+/).sort()).toEqual(['', '2024', 'Corp', 'Example', 'شيئا', 'عام', 'في', 'قال']);
  });

  it('keeps a word that is wider than the page', async () => {
    const word = 'supercalifragilistic'.repeat(20);
    expect((await textByPdfjs(await render(word))).replace(/\s/g, '')).toBe(word);
  });

  it('keeps a cluster of hundreds of marks', async () => {
    const stack = `a${'\u0301\u0323'.repeat(700)}b`;
    expect((await textByPdfjs(await render(stack))).replace(/\s/g, '').normalize('NFD')).toBe(
      stack.normalize('NFD'),
    );
  });

  it('spaces an empty line, and breaks lines at every kind of line end', async () => {
    const at = async (text: string): Promise<Record<string, number>> =>
      withPdf(await render(text), async (document) => {
        const { items } = await (await document.getPage(1)).getTextContent();
        return Object.fromEntries(
          items.flatMap((item) =>
            'str' in item && item.str.trim() ? [[item.str.trim(), item.transform[5]]] : [],
          ),
        );
      });
    const tight = await at('a\nb\r\nc\rd\u2028e\u0085f\vg\fh');
    expect(Object.keys(tight)).toEqual([...'abcdefgh']);
    const heights = Object.values(tight);
    expect(new Set(heights).size).toBe(8);
    expect(heights).toEqual([...heights].sort((a, b) => b - a));
    const spaced = await at('a\n\nb');
    expect(spaced['a']! - spaced['b']!).toBeGreaterThan(1.9 * (tight['a']! - tight['b']!));
  });

  it('sets tabs to stops', async () => {
    const starts = await withPdf(await render('a\tx\nabc\tx\n\t\n'), async (document) => {
      const { items } = await (await document.getPage(1)).getTextContent();
      return items.flatMap((item) => ('str' in item && item.str === 'x' ? [item.transform[4]] : []));
    });
    expect(starts).toHaveLength(2);
    expect(starts[0]).toBeCloseTo(starts[1], 1);
  });

  it('sets right-to-left text flush right', async () => {
    const edges = async (language: string, text: string): Promise<number[]> =>
      withPdf(await render(text, language), async (document) => {
        const { items } = await (await document.getPage(1)).getTextContent();
        return items.flatMap((item) => ('str' in item && item.str ? [item.transform[4] + item.width] : []));
      });
    for (const language of ['ar', 'fa', 'ur'])
      for (const edge of await edges(language, 'سلام\nسلام سلام سلام'))
        expect(edge).toBeCloseTo(595.28 - 64, 0);
    for (const edge of await edges('en', 'word\nsome more words')) expect(edge).toBeLessThan(300);
  });

  it('leaves out control characters and repairs lone surrogates', async () => {
    const text = await textByPdfjs(await render('\ufeffa\u0000b\u0001c\u007fd\ud800e\uffffz'));
    expect(text.trim()).toBe('abcd\ufffdez');
  });

  it('states its title, its language and its direction', async () => {
    const read = (pdf: Uint8Array) =>
      withPdf(pdf, async (document) => ({
        metadata: (await document.getMetadata()).info as Record<string, unknown>,
        direction: (await document.getViewerPreferences())?.get('Direction'),
      }));
    const arabic = await read(await render('نص', 'ar', 'عنوان — title'));
    expect(arabic.metadata).toMatchObject({ Title: 'عنوان — title', Language: 'ar' });
    expect(arabic.direction).toBe('R2L');
    const french = await read(await render('texte', 'fr-CA', ''));
    expect(french.metadata).toMatchObject({ Language: 'fr-CA' });
    expect(french.direction).toBeUndefined();
  });

  it('is the same for the same text', async () => {
    const text = `${declaration('hi').slice(0, 500)}\n${declaration('ja').slice(0, 500)}`;
    expect(Buffer.compare(await render(text, 'hi'), await render(text, 'hi'))).toBe(0);
  });

  it.each(['', ' ', '\n\n', '\t', '\u200e'])('of %j has one page', async (text) => {
    expect(await withPdf(await render(text), async ({ numPages }) => numPages)).toBe(1);
  });

  it('of 200,000 characters fits in 600 MB', { timeout: 120_000 }, async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { renderGoldenPdf } from ${JSON.stringify(import.meta.resolve('#server/formats/golden/index.ts'))};
        const text = Array.from({ length: 200_000 }, (_, index) => String.fromCodePoint(0x4e00 + (index * 7) % 20_000)).join('');
        const pdf = await renderGoldenPdf({ text, language: 'zh-Hans', title: '' });
        console.log(pdf.length, process.resourceUsage().maxRSS / 1024);`,
      ],
      { cwd: process.cwd() },
    );
    const [size, memory] = stdout.trim().split(' ').map(Number);
    expect(size).toBeGreaterThan(1_000_000);
    expect(memory).toBeLessThan(600);
  });
});
