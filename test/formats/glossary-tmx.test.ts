import { describe, expect, it } from 'vitest';
import { type GlossaryFileEntry, readGlossaryTmx } from '#server/formats/glossary/index.ts';
import type { LanguageCode } from '#server/languages.ts';
import { corpusFile } from '#test/corpus/files.ts';
import { tmxOf, tmxOfPair, tuv } from './tmx-units.ts';

function read(
  file: string | Uint8Array,
  source: LanguageCode = 'en',
  target: LanguageCode = 'fr',
  [sourceTag, targetTag]: [string, string] = [source, target],
): GlossaryFileEntry[] {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file;
  return readGlossaryTmx(bytes, { source, sourceTag, target, targetTag });
}

describe('B 4.4 "TMX terminology"', () => {
  it('each unit with variants for both languages becomes a pair with its languages, any case, priority 0', () => {
    const file = tmxOf(
      `<tu>${tuv('en-US', ' gear ')}${tuv('FR-fr', '\n engrenage\n')}</tu>\n<tu>${tuv('en', 'x')}</tu>\n<tu>${tuv('fr', 'frein')}${tuv('en', 'brake')}</tu>`,
    );
    const rest = { sourceLang: 'en', targetLang: 'fr', caseSensitive: false, priority: 0 };
    expect(read(file)).toEqual([
      { line: 2, sourceTerm: 'gear', targetTerm: 'engrenage', ...rest },
      { line: 6, sourceTerm: 'brake', targetTerm: 'frein', ...rest },
    ]);
  });

  it('inline markup containers are dropped and highlighted content is kept', () => {
    expect(read(tmxOfPair('a <hi>big</hi> <bpt>&lt;b></bpt>cat', 'chat'))[0]!.sourceTerm).toBe('a big cat');
  });

  it('a variant that names only the base of a split language is of the declared one', () => {
    const file = corpusFile('tmx-bad/bare-zh-pt.tmx');
    expect(read(file, 'en', 'zh-Hant', ['en', 'zh-TW'])).toMatchObject([
      { line: 5, sourceTerm: 'Hello', targetTerm: '你好', targetLang: 'zh-Hant' },
    ]);
    expect(read(file, 'en', 'pt-BR')).toMatchObject([{ targetTerm: 'Obrigado', targetLang: 'pt-BR' }]);
  });

  it('variants never cross', () => {
    const file = corpusFile('tmx/made-language-codes.tmx');
    expect(read(file, 'en', 'pt-PT').map(({ targetTerm }) => targetTerm)).toEqual(['Muito obrigado.']);
    expect(read(file, 'en', 'fr-CA').map(({ targetTerm }) => targetTerm)).toEqual(['Stationnement']);
  });

  it('the declared tag wins over another that reads the same', () => {
    const file = tmxOf(`<tu>${tuv('en-US', 'color')}${tuv('en-GB', 'colour')}${tuv('fr', 'couleur')}</tu>`);
    expect(read(file, 'en', 'fr', ['en-gb', 'fr'])[0]!.sourceTerm).toBe('colour');
  });

  it.each(['entity-bomb', 'xxe', 'xxe-parameter-entity'])(
    'forbidden XML constructs are rejected: %s',
    (name) => {
      expect(() => read(corpusFile(`tmx-bad/${name}.tmx`))).toThrow(
        expect.objectContaining({
          name: 'GlossaryFileError',
          line: 2,
          message: expect.stringMatching(/^line 2: forbidden XML construct/),
        }),
      );
    },
  );

  it.each([
    ['deeply-nested', 5],
    ['malformed', 5],
    // C 7: no usable unit is 400.
    ['no-matching-language', null],
  ])('refused: %s', (name, line) => {
    expect(() => read(corpusFile(`tmx-bad/${name}.tmx`))).toThrow(
      expect.objectContaining({ name: 'GlossaryFileError', line }),
    );
  });

  it('a term has at most 500 characters', () => {
    expect(read(tmxOfPair(` ${'a'.repeat(500)} `))).toHaveLength(1);
    for (const file of [tmxOfPair('a'.repeat(501)), tmxOfPair('a', 'b'.repeat(501))])
      expect(() => read(file)).toThrow(
        expect.objectContaining({ line: 2, message: expect.stringMatching('500') }),
      );
  });
});
