import { describe, expect, it } from 'vitest';
import { readGlossaryTmx } from '#server/formats/glossary/reader.ts';
import type { GlossaryFileEntry } from '#server/formats/glossary-file.ts';
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
  return readGlossaryTmx(bytes, {
    source: { tag: sourceTag, code: source },
    target: { tag: targetTag, code: target },
  }).entries;
}

describe('a TMX glossary (B 4.4 "TMX terminology")', () => {
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

  it('a variant that names only the base of a split language is of the declared one', () => {
    const file = corpusFile('tmx-bad/bare-zh-pt.tmx');
    expect(read(file, 'en', 'zh-Hant', ['en', 'zh-TW'])).toMatchObject([
      { line: 5, sourceTerm: 'Hello', targetTerm: '你好', targetLang: 'zh-Hant' },
    ]);
    expect(read(file, 'en', 'pt-BR')).toMatchObject([{ targetTerm: 'Obrigado', targetLang: 'pt-BR' }]);
  });

  it.each([
    ['entity-bomb', 2, /^line 2: forbidden XML construct/],
    ['deeply-nested', 5, /./],
    ['no-matching-language', null, /./],
  ])('rejects %s', (name, line, message) => {
    expect(() => read(corpusFile(`tmx-bad/${name}.tmx`))).toThrow(
      expect.objectContaining({ name: 'GlossaryFileError', line, message: expect.stringMatching(message) }),
    );
  });

  it('of entries of one source the newest changedate is the last, then the last of the file', () => {
    const unit = (target: string, date = '') =>
      `<tu ${date && `changedate="${date}"`}>${tuv('en', 'gear')}${tuv('fr', target)}</tu>\n`;
    const file = tmxOf(
      unit('newest', '20240301T000000Z') +
        unit('undated') +
        unit('tied', '2024-03-01T01:00:00+01:00') +
        unit('oldest', '19990101T000000Z') +
        unit('unreadable', 'yesterday'),
    );
    const entries = read(file);
    expect(entries.map(({ targetTerm }) => targetTerm).join(' ')).toBe(
      'undated unreadable oldest newest tied',
    );
  });

  it('an error names the first wrong line of the file, whatever the dates', () => {
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
