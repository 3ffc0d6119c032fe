import { describe, expect, it } from 'vitest';
import { check, extract, rebuild } from '#server/formats/docx.ts';
import type { FileErrorReason } from '#server/formats/file-error.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { cpuTime } from '#test/setup/cpu-time.ts';
import { mark, paragraph, run, wordFile } from './docx-file.ts';

const refusal = (error: unknown): unknown =>
  error instanceof Error && 'reason' in error ? error.reason : error;

/** The results of `check` and `extract` for each hostile or broken file: an error reason, or the number of segments. */
const expected: Record<string, [check: FileErrorReason | undefined, extract: FileErrorReason | number]> = {
  'deeply-nested.docx': ['too_large', 'too_large'],
  'empty-zip.docx': ['unreadable', 'unreadable'],
  'entity-bomb.docx': ['unreadable', 'unreadable'],
  'legacy-word-97-renamed.docx': ['unreadable', 'unreadable'],
  'malformed-xml.docx': ['unreadable', 'unreadable'],
  'missing-document-part.docx': ['unreadable', 'unreadable'],
  'nested-tables-3000.docx': ['too_large', 'too_large'],
  'no-text.docx': [undefined, 0],
  'over-1000000-elements.docx': ['too_large', 'too_large'],
  'over-2000000-chars.docx': ['too_large', 'too_large'],
  'over-50000-segments.docx': [undefined, 'too_large'],
  'password.docx': ['protected', 'protected'],
  'path-traversal.docx': ['unreadable', 'unreadable'],
  'pdf-renamed.docx': ['unreadable', 'unreadable'],
  'truncated.docx': ['unreadable', 'unreadable'],
  'xlsx-renamed.docx': ['unreadable', 'unreadable'],
  'xml-part-over-80MB.docx': ['too_large', 'too_large'],
  'xxe.docx': ['unreadable', 'unreadable'],
  'zip-bomb-lying-size.docx': ['unreadable', 'unreadable'],
  'zip-bomb-overlap.docx': ['too_large', 'too_large'],
  'zip-bomb-plain.docx': ['too_large', 'too_large'],
};

describe('a file that cannot be translated is refused', () => {
  it.each(corpusNames('bad').filter((name) => name.endsWith('.docx')))('%s', async (name) => {
    const bytes = corpusFile(`bad/${name}`);
    const checked = await check(bytes).catch(refusal);
    const extracted = await extract(bytes).then(({ segments }) => segments.length, refusal);
    expect([checked, extracted]).toEqual(expected[name]);
  });

  it('an empty file', async () => {
    await expect(check(new Uint8Array())).rejects.toMatchObject({ reason: 'empty' });
  });
});

describe('limits', () => {
  const many = (count: number, text: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => paragraph(run(text(index)))).join('');
  const tooLarge = (limit: string) => ({ reason: 'too_large', message: expect.stringContaining(limit) });

  it('50,000 different segments are allowed, and more if they are equal to others', async () => {
    const body = many(50_000, (index) => `a${index}`);
    expect((await extract(wordFile(body + many(1000, () => 'a1')))).segments).toHaveLength(51_000);
    await expect(extract(wordFile(body + paragraph(run('b'))))).rejects.toMatchObject(tooLarge('50,000'));
  });

  it('segments with different tags are different', async () => {
    const first = many(50_000, (index) => `a${index}`);
    const tagged = paragraph(run('a1'), '<w:r><w:drawing/></w:r>', run('b'));
    const plain = paragraph(run('a1b'));
    await expect(extract(wordFile(first + tagged + plain))).rejects.toMatchObject(tooLarge('50,000'));
  });

  it('2,000,000 characters, all parts together and equal texts each time', async () => {
    const long = many(1000, () => 'x'.repeat(1000));
    const header1 = `<w:hdr>${long}</w:hdr>`;
    await expect(check(wordFile(long, { header1 }))).resolves.toBeUndefined();
    const over = wordFile(long + paragraph(run('x')), { header1 });
    await expect(check(over)).rejects.toMatchObject(tooLarge('2,000,000'));
    await expect(extract(over)).rejects.toMatchObject(tooLarge('2,000,000'));
  });

  it('text behind a field without an end counts once', async () => {
    const body = paragraph(run('a'.repeat(1_500_000)), mark('begin'));
    await expect(check(wordFile(body))).resolves.toBeUndefined();
    expect((await extract(wordFile(body))).segments).toHaveLength(1);
  });

  it('only text to translate counts', async () => {
    const hidden = paragraph(`<w:ins>${run('x'.repeat(1_500_000))}</w:ins>`, run('a'.repeat(1_500_000)));
    await expect(check(wordFile(hidden))).resolves.toBeUndefined();
  });

  it('1,000,000 elements, notes included', async () => {
    const footnotes = `<w:footnotes>${'<w:p/>'.repeat(500_000)}</w:footnotes>`;
    await expect(check(wordFile('<w:p/>'.repeat(499_000), { footnotes }))).resolves.toBeUndefined();
    await expect(check(wordFile('<w:p/>'.repeat(500_000), { footnotes }))).rejects.toMatchObject(
      tooLarge('1,000,000'),
    );
  });

  it('100,000 pieces in one paragraph', async () => {
    const content = `${run('a')}<w:r><w:tab/></w:r>`;
    await expect(check(wordFile(paragraph(content.repeat(50_000))))).resolves.toBeUndefined();
    await expect(check(wordFile(paragraph(content.repeat(50_001))))).rejects.toMatchObject(
      tooLarge('100,000'),
    );
  });

  it.each<[what: string, body: string, limit: string]>([
    ['depth', '<w:customXml>'.repeat(2000), '2,000'],
    [
      'attributes of an element',
      `<w:p ${Array.from({ length: 1001 }, (_, index) => `a${index}=""`).join(' ')}/>`,
      '1,000',
    ],
    ['the length of an attribute', `<w:p a="${'x'.repeat(20_000_001)}"/>`, '20,000,000'],
  ])('%s', async (_, body, limit) => {
    await expect(check(wordFile(body))).rejects.toMatchObject(tooLarge(limit));
  });

  it('what is written for a paragraph, because its runs may be written again for each piece', async () => {
    const large = `<w:r a="${'x'.repeat(1_000_000)}">${'<w:t>a</w:t><w:tab/>'.repeat(100)}</w:r>`;
    const bytes = wordFile(paragraph(large, run('b')));
    const { segments } = await extract(bytes);
    const translations = segments.map((segment) => ({
      ...segment,
      target: segment.source.map((item) => (item === 'b' ? 'x' : item)),
    }));
    const rebuilt = rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
    await expect(rebuilt).rejects.toMatchObject(tooLarge('80,000,000'));
  });

  it('the main text with its headers and footers', async () => {
    const half = ` ${' '.repeat(50_000_000)}`;
    const file = wordFile(paragraph(run('a')) + half, { header1: `<w:hdr>${half}</w:hdr>` });
    await expect(check(file)).rejects.toMatchObject(tooLarge('100,000,000'));
  });

  it('nested fields take time that grows with their number only', async () => {
    const nested = (count: number): Uint8Array =>
      wordFile(
        paragraph(mark('begin').repeat(count), run('a'), mark('end').repeat(count)) + paragraph(run('b')),
      );
    const time = (count: number) => cpuTime(() => extract(nested(count)));
    await time(4000);
    expect(await time(40_000)).toBeLessThan(40 * Math.max(10, await time(4000)));
  });
});
