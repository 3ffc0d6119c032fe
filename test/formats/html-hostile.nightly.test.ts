import { describe, expect, it } from 'vitest';
import { FileError } from '#server/formats/file-error.ts';
import * as html from '#server/formats/html-document.ts';
import { marked } from './markup-files.ts';

const size = 2_000_000;
const repeat = (piece: string, length = size): string => piece.repeat(Math.floor(length / piece.length));

describe('a hostile HTML file', () => {
  it.each<[string, string | Uint8Array]>([
    ['100,000 nested elements', repeat('<div>', 500_000)],
    ['100,000 nested inline elements', repeat('<span>', 600_000)],
    ['elements of formatting that are not closed', repeat('<b>a<p>')],
    ['pairs that overlap', repeat('<b>a<i>b</b>c</i>')],
    ['end tags', repeat('</b>')],
    ['only <', repeat('<')],
    ['only references', repeat('&amp')],
    ['only template code', repeat('<%')],
    ['template code', repeat('a{{a}}')],
    ['placeholders that are not closed', repeat('%(')],
    ['comments that are not closed', repeat('a<!--')],
    ['many void tags in a text', `<p>a${repeat('<img>b')}`],
    ['many attributes', `<p ${Array.from({ length: 300_000 }, (_, at) => `a${at}=b`).join(' ')}>`],
    ['many pictures with a text', repeat('<img alt="a1">b', 400_000)],
    ['an attribute of 1 MB', `<p title="${repeat('a ', 1_000_000)}">a`],
    ['tables with misplaced text', repeat('<table>a<tr>b', 1_000_000)],
    ['a NUL', '<p>a\0b'],
    ['invalid UTF-8', Uint8Array.of(0x3c, 0x70, 0x3e, 0xff, 0xfe, 0x80)],
  ])('%s is read in a few seconds, or rejected', async (_, content) => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const before = process.cpuUsage();
    try {
      await html.check(bytes);
      const { segments } = await html.extract(bytes);
      const translations = segments.map((one) => ({ ...one, target: marked(one.source) }));
      await html.rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'de' });
    } catch (error) {
      expect(error).toBeInstanceOf(FileError);
    }
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(15);
  });
});
