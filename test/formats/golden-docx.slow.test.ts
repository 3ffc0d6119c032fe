import { strFromU8, unzipSync } from 'fflate';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { renderGoldenDocx } from '#server/formats/golden/docx.ts';
import { type LanguageCode, languageCodes } from '#server/languages.ts';
import { declaration } from './golden-declaration.ts';

const render = (text: string, language = 'en', title = 'Title'): Promise<Uint8Array> =>
  renderGoldenDocx({ text, language, title });

const part = (docx: Uint8Array, path: string): string => strFromU8(unzipSync(docx)[path]!);

const paragraphsOf = (docx: Uint8Array): string[] =>
  [...part(docx, 'word/document.xml').matchAll(/<w:p>(.*?)<\/w:p>/gs)].map(([, paragraph]) =>
    [...paragraph!.matchAll(/<w:tab\/>|<w:t xml:space="preserve">([^<]*)<\/w:t>/g)]
      .map(([element, text]) => (element === '<w:tab/>' ? '\t' : text!))
      .join('')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&apos;', "'")
      .replaceAll('&amp;', '&'),
  );

const rightToLeft: readonly LanguageCode[] = ['ar', 'fa', 'ur'];

describe.each(languageCodes)('a golden Word document in %s', (language) => {
  const text = declaration(language);

  it('has all of its text, a paragraph a line, in the direction of its language', async () => {
    const docx = await render(text, language);
    expect(paragraphsOf(docx).join('\n')).toBe(text);
    const xml = part(docx, 'word/document.xml');
    const count = (tag: string): number => xml.split(tag).length - 1;
    const marked = rightToLeft.includes(language) ? text.split('\n').length : 0;
    expect([count('<w:bidi/>'), count('<w:rtl/>')]).toEqual([marked, marked]);
  });
});

describe('a golden Word document', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ['fr-CA', '<w:lang w:val="fr-CA"/>', undefined],
    ['ar', '<w:lang w:bidi="ar-EG"/>', 'w:cs="Arial"'],
    ['hi', '<w:lang w:bidi="hi-IN"/>', 'w:cs="Nirmala UI"'],
    ['zh-Hans', '<w:lang w:eastAsia="zh-CN"/>', 'w:eastAsia="Microsoft YaHei"'],
  ])('in %s says so to Word', async (language, tag, font) => {
    const styles = part(await render('x', language), 'word/styles.xml');
    expect(styles).toContain(tag);
    if (font) expect(styles).toContain(font);
  });

  it('keeps spaces, tabs, empty lines and the signs of XML', async () => {
    const text = '  a   b \n\n\t\tc\td\t\n<w:t>&amp; "quoted" \'too\'</w:t>\n';
    expect(paragraphsOf(await render(text)).join('\n')).toBe(text);
  });

  it('keeps braces, in which the library writes the numbers of lists', async () => {
    const text = '{default-bullet-numbering-0} {{name}} {';
    expect(paragraphsOf(await render(text))).toEqual([text]);
  });

  it('leaves out control characters and repairs lone surrogates, in its title too', async () => {
    const docx = await render('a\u0000b\u0001c\u000bd\ud800e\ufffe\uffff', 'en', 'x\u0002<y>\n\ud800');
    expect(paragraphsOf(docx)).toEqual(['abc', 'd\ufffde']);
    expect(part(docx, 'docProps/core.xml')).toContain('<dc:title>x&lt;y&gt; \ufffd</dc:title>');
    for (const bytes of Object.values(unzipSync(docx)))
      for (const character of ['\u0000', '\u0001', '\u0002', '\u000b', '\ufffe', '\uffff'])
        expect(strFromU8(bytes)).not.toContain(character);
  });

  it('is the same for the same text at any time', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-02T03:04:05Z') });
    const first = await render('text', 'ar', 'title');
    vi.setSystemTime(new Date('2031-10-11T12:13:14Z'));
    expect(Buffer.compare(first, await render('text', 'ar', 'title'))).toBe(0);
  });
});
