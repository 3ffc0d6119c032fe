import { describe, expect, it } from 'vitest';
import { type GlossaryFileEntry, readGlossaryTmx } from '#server/formats/glossary-file.ts';
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
  return readGlossaryTmx(bytes, { source, sourceTag, target, targetTag }).entries;
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

  it('C 7: of entries of one source the newest changedate is the last, then the last of the file', () => {
    const unit = (target: string, date = '', source = 'gear') =>
      `<tu ${date && `changedate="${date}"`}>${tuv('en', source)}${tuv('fr', target)}</tu>\n`;
    const file = tmxOf(
      unit('newest', '20240301T000000Z') +
        unit('other', '20230101T000000Z', 'brake') +
        unit('undated') +
        unit('tied', '2024-03-01T01:00:00+01:00') +
        unit('oldest', '19990101T000000Z') +
        unit('unreadable', 'yesterday') +
        unit('older', '20240229T235959Z'),
    );
    const entries = read(file);
    expect(entries.map(({ line, targetTerm }) => [targetTerm, line])).toEqual([
      ['undated', 4],
      ['unreadable', 7],
      ['oldest', 6],
      ['other', 3],
      ['older', 8],
      ['newest', 2],
      ['tied', 5],
    ]);
  });

  it('C 7: a refusal names the first wrong line of the file, whatever the dates', () => {
    const unit = (date: string) =>
      `<tu changedate="${date}">${tuv('en', 'a'.repeat(501))}${tuv('fr', 'x')}</tu>\n`;
    expect(() => read(tmxOf(unit('20240101T000000Z') + unit('20230101T000000Z')))).toThrow(
      expect.objectContaining({ line: 2 }),
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
