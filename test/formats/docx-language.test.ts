import { describe, expect, it } from 'vitest';
import { field, link, paragraph, run, translate } from './docx-file.ts';

const properties = async (source: string, to: string, from = 'en'): Promise<string> => {
  const { body } = await translate(paragraph(source), ['x'], { from, to });
  return /<w:rPr>(.*?)<\/w:rPr>/.exec(body)?.[1] ?? '';
};

describe('the language of translated text', () => {
  it.each([
    ['de', '<w:lang w:val="de-DE"/>'],
    ['fr-CA', '<w:lang w:val="fr-CA"/>'],
    ['zh-Hans', '<w:lang w:eastAsia="zh-CN"/>'],
    ['ja', '<w:lang w:eastAsia="ja-JP"/>'],
    ['hi', '<w:lang w:bidi="hi-IN"/>'],
  ])('is that of the target, in the attribute for its script: %s', async (to, language) => {
    expect(await properties(run('a'), to)).toBe(language);
  });

  it.each<[rule: string, before: string, to: string, after: string]>([
    [
      'replaces that of the source, and leaves those of other scripts',
      '<w:b/><w:lang w:val="en-US" w:eastAsia="ja-JP"/><w:specVanish/>',
      'de',
      '<w:b/><w:lang w:val="de-DE" w:eastAsia="ja-JP"/><w:specVanish/>',
    ],
    [
      "is added to the source's, for another script",
      "<w:lang w:val='en-US'/>",
      'ja',
      '<w:lang w:eastAsia="ja-JP" w:val=\'en-US\'/>',
    ],
    ['stays if it is a variety of the target', '<w:lang w:val="en-GB"/>', 'en', '<w:lang w:val="en-GB"/>'],
    ['does not stay if it is another variety', '<w:lang w:val="fr-FR"/>', 'fr-CA', '<w:lang w:val="fr-CA"/>'],
    [
      'stands where the schema has it',
      '<w:rStyle w:val="a"/><w:em w:val="dot"/><w:eastAsianLayout w:id="1"/><w14:x/>',
      'de',
      '<w:rStyle w:val="a"/><w:em w:val="dot"/><w:lang w:val="de-DE"/><w:eastAsianLayout w:id="1"/><w14:x/>',
    ],
    [
      'is not that of a tracked change of the formatting',
      '<w:b/><w:rPrChange w:id="1"><w:rPr><w:lang w:val="en-US"/></w:rPr></w:rPrChange>',
      'de',
      '<w:b/><w:lang w:val="de-DE"/><w:rPrChange w:id="1"><w:rPr><w:lang w:val="en-US"/>',
    ],
  ])('%s', async (_, before, to, after) => {
    expect(await properties(run('a', before), to)).toBe(after);
  });

  it('is that of links, too, and of nothing that is not translated', async () => {
    const source =
      paragraph(run('a'), link(run('b')), field('PAGE', run('3')), run('c')) + paragraph(run('12'));
    const { body } = await translate(source, ['x<1>y</1><2/>z']);
    expect(body.match(/<w:lang [^>]*>/g)).toEqual(Array(3).fill('<w:lang w:val="fr-FR"/>'));
    expect(body).toContain(field('PAGE', run('3')));
    expect(body).toContain(paragraph(run('12')));
  });

  it('does not change a paragraph whose translation is its text', async () => {
    const source = paragraph(run('Acme', '<w:lang w:val="en-US"/>'));
    expect((await translate(source, ['Acme'])).body).toBe(source);
  });
});
