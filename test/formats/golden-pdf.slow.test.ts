import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { renderGoldenPdf } from '#server/formats/golden/pdf.ts';
import { type LanguageCode, languageCodes } from '#server/languages.ts';
import { declaration } from './golden-declaration.ts';
import { hasPdftotext, textByPdfjs, textByPdftotext, withPdf } from './golden-pdf-readers.ts';

const rightToLeft = (language: LanguageCode): boolean => ['ar', 'fa', 'ur'].includes(language);
const breaksInsideWords = (language: LanguageCode): boolean =>
  ['zh-Hans', 'zh-Hant', 'ja', 'th'].includes(language);

/** Normalizes what copying may change: compatibility forms, and white space, including line breaks. */
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
  let pdf: Uint8Array;
  beforeAll(async () => {
    pdf = await render(text, language);
  });

  it('has all of its text, over some pages, for pdf.js', async () => {
    expect(await withPdf(pdf, async ({ numPages }) => numPages)).toBeGreaterThanOrEqual(2);
    expect(copied(await textByPdfjs(pdf), language)).toBe(copied(text, language));
  });

  it.skipIf(!hasPdftotext)('has all of its text for pdftotext', () => {
    if (!rightToLeft(language)) {
      expect(copied(textByPdftotext(pdf, '-raw'), language)).toBe(copied(text, language));
      return;
    }
    expect(copied(textByPdftotext(pdf), language)).toBe(copied(text, language));
    expect(wordsOfRaw(pdf)).toEqual(words(text));
  });
});

function words(text: string): string[] {
  return text.normalize('NFKC').match(/[\p{L}\p{M}\p{N}\u200c]+/gu) ?? [];
}

/** The words from `pdftotext -raw`. Those of each line are reversed, because it returns lines from left to right. */
function wordsOfRaw(pdf: Uint8Array): string[] {
  return textByPdftotext(pdf, '-raw')
    .split('\n')
    .flatMap((line) => words(line).reverse());
}

const vocalised: readonly (readonly [rule: string, language: LanguageCode, text: string])[] = [
  [
    'fully vowelled Arabic',
    'ar',
    `بِسْمِ اللَّهِ الرَّحْمَٰنِ الرَّحِيمِ
إِنَّا أَعْطَيْنَاكَ الْكَوْثَرَ فَصَلِّ لِرَبِّكَ وَانْحَرْ إِنَّ شَانِئَكَ هُوَ الْأَبْتَرُ
قُلْ هُوَ اللَّهُ أَحَدٌ اللَّهُ الصَّمَدُ لَمْ يَلِدْ وَلَمْ يُولَدْ وَلَمْ يَكُن لَّهُ كُفُوًا أَحَدٌ
كَانَ الْوَلَدُ يَقْرَأُ كِتَابًا، ثُمَّ كَتَبَ رِسَالَةً إِلَىٰ أُمِّهِ.
لَأَنَّ إِلَّا الآنَ آمَنَ مُؤْمِنٌ سَيِّئٌ شَيْءٌ جُزْءًا مَلَأً فَلَأُقَطِّعَنَّ`,
  ],
  [
    'the signs of the Quran',
    'ar',
    `ذَٰلِكَ الْكِتَابُ لَا رَيْبَ ۛ فِيهِ ۛ هُدًى لِّلْمُتَّقِينَ
أُولَٰئِكَ عَلَىٰ هُدًى مِّن رَّبِّهِمْ ۖ وَأُولَٰئِكَ هُمُ الْمُفْلِحُونَ
وَٱلضُّحَىٰ وَٱلَّيْلِ إِذَا سَجَىٰ مَا وَدَّعَكَ رَبُّكَ وَمَا قَلَىٰ
الٓمٓ طه يسٓ كٓهيعٓصٓ مـــَرحباً ـَـِـُ ـًا`,
  ],
  [
    'Arabic words that end with marks beside signs',
    'ar',
    `شُكْرًا جَزِيلًا! هَلْ رَأَيْتَ أَبًا؟ «نَعَمْ، رَأَيْتُ لَامًا وَلَّادًا».
(ثانياً) [أولاً] «ثالثاً» مثلاً: علناً؛ جداً – حقّاً`,
  ],
  [
    'Persian joiners, hamza and ezafe',
    'fa',
    `می‌خواهم کتاب‌هایِ خوبِ دوستم را بخوانم، خانهٔ ما و نامهٔ او.
خانۀ دوست کجاست؟ بچه‌ها آمده‌اند؛ گربه‌ای که می‌بینی.
گُلِ سُرخ، دلِ من، اوّلاً، ثانیاً، مسئلهٔ مهمّی، جزءِ دوم، شش‌هزار ۱۲ نفرِ سال ۱۴۰۳
(معمولاً) «حتماً» [فوراً] حدوداً: قطعاً!`,
  ],
  [
    'Urdu diacritics',
    'ur',
    `یہ اُردو کی عبارتِ تازہ ہے۔ آزادیٔ اظہارِ رائے، جذبۂ حُبّ الوطنی۔
اعلیٰ، ادنیٰ، عیسیٰ، موسیٰ؛ زکوٰۃ، صلوٰۃ، رحمٰن۔
مثلاً، فوراً، عموماً۔ محمدؐ، علیؑ، عمرؓ، شبلیؒ۔
حمزہؔ نے کہا: «بادۂ ناب»؟ دِل، دُکھ، پَل، قِصّہ، بچّہ۔ ہیں‌ نا، گھوڑے‌پر ۱۲ مئیِ`,
  ],
];

describe.each(vocalised)('a golden PDF of %s', (_, language, text) => {
  it.skipIf(!hasPdftotext)('has its text for pdftotext', async () => {
    const pdf = await render(text, language);
    expect(copied(textByPdftotext(pdf), language)).toBe(copied(text, language));
    expect(copied(textByPdftotext(pdf, '-layout'), language)).toBe(copied(text, language));
    expect(wordsOfRaw(pdf)).toEqual(words(text));
  });

  it('has its text for pdf.js', async () => {
    expect(copied(await textByPdfjs(await render(text, language)), language)).toBe(copied(text, language));
  });
});

const arabicWord = fc
  .array(
    fc.tuple(
      fc.constantFrom(...'ابتجدرسصطعغفكلمنهويىةءآأإؤئپچژگکیےۂ'),
      fc.constantFrom('', '', ...'\u064b\u064c\u064d\u064e\u064f\u0650\u0652\u0670\u0654'),
      fc.constantFrom('', '', '\u0651'),
    ),
    { minLength: 1, maxLength: 7 },
  )
  .map((letters) => letters.flat().join('').normalize('NFC'));
const written = fc
  .tuple(arabicWord, fc.constantFrom('%', '%', '%.', '%،', '%؟', '«%»', '(%)'))
  .map(([word, signs]) => signs.replace('%', word));

it.skipIf(!hasPdftotext)('a golden PDF keeps any marks on any Arabic letters for pdftotext', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(written, { minLength: 100, maxLength: 150 }), async (line) => {
      const text = line.join(' ');
      const pdf = await render(text, 'ar');
      expect(copied(textByPdftotext(pdf), 'ar')).toBe(copied(text, 'ar'));
      expect(wordsOfRaw(pdf)).toEqual(words(text));
    }),
    { numRuns: 10 },
  );
});

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

  it('of 200,000 characters fits in 600 MB', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { renderGoldenPdf } from ${JSON.stringify(import.meta.resolve('#server/formats/golden/pdf.ts'))};
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
