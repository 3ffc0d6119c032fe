import { expect, it } from 'vitest';
import { compareSegments, htmlParagraphs } from './pdf/twin.ts';

const html = `<h1>1.1. Title</h1><p>See <a class="xref">Section 6.4, “Firmware”</a> for
  the <code>loader</code>.<sup>[5]</sup></p><ul><li>An item that says “yes” to all of it</li></ul>`;

it('reads the paragraphs of HTML without the titles of references', () => {
  expect(htmlParagraphs(html)).toEqual([
    'Title',
    'See Section 64 for the loader',
    'An item that says yes to all of it',
  ]);
});

it('compares the segments of a PDF with paragraphs', () => {
  const texts = [
    '1.1 Title',
    'See Section 6.4 for the loader.⁵',
    'An item that says',
    'that says yes to all of it',
    'Page 1',
  ];
  const segments = texts.map((text, index) => ({ page: index < 4 ? 1 : 2, text }));
  expect(compareSegments(segments, htmlParagraphs(html)).map(({ match }) => match)).toEqual([
    'equal',
    'equal',
    'split',
    'cut by a page',
    'other',
  ]);
});
