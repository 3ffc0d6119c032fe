import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { translatedFileName } from '#server/formats/translated-name.ts';
import { languageCodes } from '#server/languages.ts';

const named = (sourceName: string, sourceLang = 'en', targetLang = 'fr') =>
  translatedFileName({ sourceName, sourceLang, targetLang, unnamed: 'document' });

describe('the suggested name of a translated file', () => {
  test.each([
    ['menu.xlsx', 'menu.fr.xlsx'],
    ['menu.en.xlsx', 'menu.fr.xlsx'],
    ['menu.EN.xlsx', 'menu.fr.xlsx'],
    ['menu.fr.xlsx', 'menu.fr.fr.xlsx'],
    ['prices 1.2.xlsx', 'prices 1.2.fr.xlsx'],
    ['garden.pot', 'garden.fr.po'],
    ['.xlsx', 'document.fr.xlsx'],
    ['', 'document.fr'],
    ['..', 'document.fr'],
  ])('has the language before the extension: %j', (source, name) => {
    expect(named(source)).toBe(name);
  });

  test.each([
    ['../../etc/passwd', 'passwd.fr'],
    ['menu.xlsx:hidden.docx', 'menu.xlsx_hidden.fr.docx'],
    ['a<b>|?*".xlsx', 'a_b_____.fr.xlsx'],
    ['menu\u202exslx.pdf', 'menuxslx.fr.pdf'],
    ['a\r\nb\u2028.pdf', 'ab_.fr.pdf'],
    ['con.xlsx', '_con.fr.xlsx'],
    ['console.xlsx', 'console.fr.xlsx'],
  ])('can be saved on every system, and nowhere else: %j', (source, name) => {
    expect(named(source)).toBe(name);
  });

  test('of a source in a regional language, and of a translation into the same language', () => {
    expect(named('menu.pt-br.xlsx', 'pt-BR', 'pt-PT')).toBe('menu.pt-PT.xlsx');
    expect(named('menu.en.xlsx', 'en', 'en')).toBe('menu.en.en.xlsx');
  });

  test('names a page, and has the extension of what it is converted to', () => {
    const page = { sourceName: 'book.en.md', sourceLang: 'en', targetLang: 'fr', page: 2, unnamed: 'x' };
    expect(translatedFileName({ ...page, extension: 'pdf' })).toBe('book-page-2.fr.pdf');
  });

  test('differs from its source and between languages, and has at most 240 bytes, whatever the source is called', () => {
    const name = fc.oneof(
      fc.string({
        unit: fc.constantFrom(...'aZ9 ._-~:/\\*漢😀é\u202e\0', '.en', '.fr', 'con'),
        maxLength: 30,
      }),
      fc.string({ unit: 'binary', minLength: 200, maxLength: 300 }),
    );
    const language = fc.constantFrom(...languageCodes);
    fc.assert(
      fc.property(name, language, language, language, (source, from, to, other) => {
        const suggested = named(source, from, to);
        expect(suggested.toLowerCase()).not.toBe(source.toLowerCase());
        if (to !== other) expect(suggested.toLowerCase()).not.toBe(named(source, from, other).toLowerCase());
        expect(Buffer.byteLength(suggested)).toBeLessThanOrEqual(240);
        expect(suggested).toMatch(/^[^<>:"|?*\\/\p{Cc}\p{Cs}\p{Bidi_Control}]+[^.\s]$/u);
        expect(suggested).not.toMatch(/^(?:\.|con\b(?=\.))/i);
      }),
    );
  });
});
