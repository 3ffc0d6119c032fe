import { afterAll, describe, expect, it } from 'vitest';
import { plainText } from '#server/formats/inline-content.ts';
import { findBlocks, type PageBlocks } from '#server/formats/pdf/find-blocks.ts';
import type { PageContent } from '#server/formats/pdf/page-content.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { readAll, withOpenPdf } from './pdf-made.ts';

/** It has to be decrypted before it can be read. */
const encrypted = 'encrypted-owner-only.pdf';
const names = corpusNames('pdf').filter((name) => name.endsWith('.pdf') && name !== encrypted);

type Page = PageContent & PageBlocks;
const files = new Map<string, Promise<Page[]>>();

const readBlocks = async (name: string): Promise<Page[]> =>
  (await withOpenPdf(corpusFile(`pdf/${name}`), readAll)).map((page) => ({ ...page, ...findBlocks(page) }));

function pagesOf(name: string): Promise<Page[]> {
  const result = files.get(name) ?? readBlocks(name);
  files.set(name, result);
  return result;
}

afterAll(() => files.clear());

describe.each(names)('the pages of %s', (name) => {
  it('have each glyph in exactly one block or kept text', { timeout: 60_000 }, async () => {
    for (const { texts, blocks, kept } of await pagesOf(name)) {
      const owned = new Map(texts.map((text) => [text, new Uint8Array(text.glyphs.length)]));
      for (const { glyphs } of [...blocks, ...kept])
        for (const { text, from, to } of glyphs) {
          const counts = owned.get(text)!;
          for (let index = from; index < to; index++) counts[index]!++;
        }
      for (const counts of owned.values()) expect(counts.every((count) => count === 1)).toBe(true);
    }
  });
});

/** How the blocks of a page begin, in reading order; checked by eye against the page. */
const beginnings: [file: string, page: number, blocks: string[]][] = [
  [
    'two-column-labels-links.pdf',
    1,
    [
      'A Two Column Example',
      'The LATEX Team',
      'Abstract',
      'An example document',
      'Contents',
      'Introduction',
      'Document structures',
      'Mathematics',
      'Lists',
      'Figures and Tables',
      'Theorems',
      'Verbatim',
      'Citations',
    ],
  ],
  [
    'rotated-90-table.pdf',
    1,
    [
      'DOCUMENT NO.',
      'DATE POSTED',
      'PAYEE NAME',
      'OBLIGATION/SERVICE DATES',
      'DESCRIPTION',
      'AMOUNT ($)',
      'START',
      'END',
    ],
  ],
];

it.each(beginnings)(
  'the blocks of %s, page %i, are in reading order',
  { timeout: 60_000 },
  async (name, number, begin) => {
    const { blocks } = (await pagesOf(name))[number - 1]!;
    const found = blocks
      .slice(0, begin.length)
      .map(({ content }, index) => plainText(content).slice(0, begin[index]!.length));
    expect(found).toEqual(begin);
  },
);
