import { describe, expect, it } from 'vitest';
import { flatten } from '#server/formats/flatten.ts';
import { wordFiles, zipOf } from './flatten-zip.ts';

const read = (body: string, parts?: Record<string, string>): Promise<string> =>
  flatten('docx', zipOf(wordFiles(body, parts)));
const run = (text: string): string => `<w:r><w:t>${text}</w:t></w:r>`;
const paragraph = (...runs: string[]): string => `<w:p>${runs.join('')}</w:p>`;
const cell = (...paragraphs: string[]): string => `<w:tc>${paragraphs.join('')}</w:tc>`;

describe('the text of a Word document', () => {
  it.each<[rule: string, body: string, text: string]>([
    ['paragraphs are apart', paragraph(run('One')) + paragraph(run('Two')), 'One\n\nTwo'],
    ['runs are not', paragraph(run('un'), run('believ'), run('able')), 'unbelievable'],
    [
      'a table is read cell by cell',
      `${paragraph(run('a'))}<w:tbl><w:tr>${cell(paragraph(run('b')), paragraph(run('c')))}${cell(paragraph(run('d')))}</w:tr></w:tbl>${paragraph(run('e'))}`,
      'a\n\nb\nc\nd\n\ne',
    ],
    [
      'tabs and breaks in a run are characters',
      paragraph('<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>'),
      'a\tb\nc',
    ],
    ['insertions are text', paragraph(run('a'), `<w:ins>${run('b')}</w:ins>`), 'ab'],
    [
      'deletions and what was moved away are not',
      paragraph(
        run('a'),
        '<w:del><w:r><w:br/><w:delText>b</w:delText></w:r></w:del>',
        `<w:moveFrom>${run('c')}</w:moveFrom>`,
      ),
      'a',
    ],
    [
      'field codes are not text',
      paragraph(
        '<w:r><w:instrText>PAGE</w:instrText></w:r>',
        `<w:fldSimple>${run('3')}</w:fldSimple>`,
        run('x'),
      ),
      '3x',
    ],
    [
      'hidden text is not',
      paragraph('<w:r><w:rPr><w:vanish/></w:rPr><w:t>a</w:t><w:tab/></w:r>', run('b')),
      'b',
    ],
    [
      'text that was hidden once, or is not after all, is',
      paragraph(
        '<w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>a</w:t></w:r>',
        '<w:r><w:rPr><w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange></w:rPr><w:t>b</w:t></w:r>',
      ),
      'ab',
    ],
    [
      'a text box follows the paragraph that holds it, once',
      paragraph(
        run('a'),
        `<w:r><mc:AlternateContent><mc:Choice><w:txbxContent>${paragraph(run('box'))}</w:txbxContent></mc:Choice>` +
          `<mc:Fallback><w:txbxContent>${paragraph(run('box'))}</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r>`,
        run('b'),
      ),
      'ab\n\nbox',
    ],
    [
      'content controls are transparent',
      `<w:sdt><w:sdtPr><w:t>x</w:t></w:sdtPr><w:sdtContent>${paragraph(run('a'))}</w:sdtContent></w:sdt>`,
      'a',
    ],
    ['formulas are text', paragraph(run('a'), '<m:oMath><m:r><m:t>x+1</m:t></m:r></m:oMath>'), 'ax+1'],
  ])('%s', async (_, body, text) => {
    expect(await read(body)).toBe(text);
  });

  it('headers come first, notes and footers last', async () => {
    const text = await read(paragraph(run('Body')), {
      footer1: `<w:ftr>${paragraph(run('Footer'))}</w:ftr>`,
      endnotes: `<w:endnotes>${paragraph(run('Endnote'))}</w:endnotes>`,
      footnotes: `<w:footnotes>${paragraph(run('Footnote'))}</w:footnotes>`,
      header1: `<w:hdr>${paragraph(run('Header'))}</w:hdr>`,
      comments: `<w:comments>${paragraph(run('Comment'))}</w:comments>`,
    });
    expect(text).toBe('Header\n\nBody\n\nFootnote\n\nEndnote\n\nFooter');
  });

  it('a header that sections repeat is read once, one without letters not at all', async () => {
    const header = (text: string): string => `<w:hdr>${paragraph(run(text))}</w:hdr>`;
    expect(
      await read(paragraph(run('Body')), {
        header1: header('Same'),
        header2: header('Same'),
        header3: header('1 / 2'),
      }),
    ).toBe('Same\n\nBody');
  });
});

describe('limits', () => {
  const large = paragraph(run(`x${'😀'.repeat(999)}`));

  it('rejects text over 2,000,000 code points in all parts together', async () => {
    const header = `<w:hdr>${large.repeat(1000)}</w:hdr>`;
    await expect(read(large.repeat(1001), { header1: header })).rejects.toMatchObject({
      reason: 'too_large',
      message: expect.stringContaining('2,000,000'),
    });
    expect(await read(large.repeat(1000), { header1: header })).toHaveLength(2000 * 1999 + 2 * 1999);
  });
});

describe('archives with false headers', () => {
  const files = wordFiles(paragraph(run('a')));
  const refused = async (bytes: Uint8Array, reason: string): Promise<void> => {
    await expect(flatten('docx', bytes)).rejects.toMatchObject({ name: 'FileError', reason });
  };

  it('a size that is understated, whichever file it is of', async () => {
    const withImage = { ...files, 'word/media/image1.bmp': Buffer.alloc(100_000) };
    for (const victim of ['word/document.xml', 'word/media/image1.bmp']) {
      const understated = zipOf(withImage, (entry) => {
        if (entry.name === victim) entry.size = 5;
      });
      await refused(understated, 'unreadable');
    }
  });

  it('a size that is overstated, of a part that is read', async () => {
    const overstated = zipOf(files, (entry) => {
      entry.size += 1;
    });
    await refused(overstated, 'unreadable');
  });

  it('a checksum that is wrong', async () => {
    const damaged = zipOf(files, (entry) => {
      entry.crc = (entry.crc ^ 1) >>> 0;
    });
    await refused(damaged, 'unreadable');
  });

  it('an encrypted part', async () => {
    const encrypted = zipOf(files, (entry) => {
      entry.flags = 1;
    });
    await refused(encrypted, 'protected');
  });

  it('two files of one name', async () => {
    const doubled = zipOf({ ...files, 'word/document.xml2': 'x' }, (entry) => {
      if (entry.name === 'word/document.xml2') entry.name = 'word/document.xml';
    });
    await refused(doubled, 'unreadable');
  });

  it('an archive cut anywhere', async () => {
    const whole = zipOf(files);
    for (let length = 1; length < whole.length; length += 7)
      await refused(whole.subarray(0, length), 'unreadable');
  });

  it('a part in an encoding that it does not have', async () => {
    const latin1 = {
      ...files,
      'word/document.xml': Buffer.from(files['word/document.xml']!.replace('>a<', '>\xe9<'), 'latin1'),
    };
    await refused(zipOf(latin1 as Record<string, string | Uint8Array>), 'unreadable');
  });
});
