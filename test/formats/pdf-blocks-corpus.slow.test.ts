import { afterAll, describe, expect, it } from 'vitest';
import { plainText } from '#server/formats/inline-content.ts';
import { findBlocks, type PageBlocks } from '#server/formats/pdf/find-blocks.ts';
import { openPdf } from '#server/formats/pdf/open-pdf.ts';
import type { PageContent } from '#server/formats/pdf/page-content.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { hasPdftotext, textByPdftotext } from './golden-pdf-readers.ts';

/** It has to be decrypted before it can be read. */
const encrypted = 'encrypted-owner-only.pdf';
const names = corpusNames('pdf').filter((name) => name.endsWith('.pdf') && name !== encrypted);

type ReadPage = PageContent & PageBlocks;
const files = new Map<string, Promise<ReadPage[]>>();

function pagesOf(name: string): Promise<ReadPage[]> {
  const read = async (): Promise<ReadPage[]> => {
    const file = await openPdf(corpusFile(`pdf/${name}`));
    try {
      const pages: ReadPage[] = [];
      for (let number = 1; number <= file.pageCount; number++) {
        const page = await file.readPage(number);
        pages.push({ ...page, ...findBlocks(page) });
      }
      return pages;
    } finally {
      await file.close();
    }
  };
  const result = files.get(name) ?? read();
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

  it.skipIf(!hasPdftotext)(
    'have the words that pdftotext finds, nearly all in blocks',
    { timeout: 60_000 },
    async () => {
      const found = { words: 0, inBlocks: 0, known: 0, letters: 0, lettersKnown: 0 };
      const pages = await pagesOf(name);
      const judge = textByPdftotext(corpusFile(`pdf/${name}`)).split('\f');
      for (const [index, { blocks, kept }] of pages.entries()) {
        const translated = blocks.map(({ content }) => lettersOf(plainText(content))).join(' ');
        const all = `${translated} ${kept.map(({ text }) => lettersOf(text)).join(' ')}`;
        for (const word of judge[index]!.split(/\s+/).map(lettersOf)) {
          if (word === '') continue;
          found.words++;
          if (translated.includes(word)) found.inBlocks++;
          if (all.includes(word)) found.known++;
        }
        const [theirs, ours] = [counted(lettersOf(judge[index]!)), counted(all)];
        for (const [letter, count] of theirs) {
          found.letters += count;
          found.lettersKnown += Math.min(count, ours.get(letter) ?? 0);
        }
      }
      const expected = { ...usual, ...exceptions[name] };
      expect(found.inBlocks).toBeGreaterThanOrEqual(expected.inBlocks * found.words);
      expect(found.known).toBeGreaterThanOrEqual(expected.known * found.words);
      expect(found.lettersKnown).toBeGreaterThanOrEqual(expected.letters * found.letters);
    },
  );
});

/** As shares of what pdftotext finds: words in blocks, words in blocks or kept texts, letters in either. */
const usual = { inBlocks: 0.99, known: 0.995, letters: 0.995 };

const exceptions: Record<string, Partial<typeof usual>> = {
  // pdftotext reads the values of fields, too, which are no text of the page.
  'form-xfa.pdf': { inBlocks: 0.31, known: 0.31, letters: 0.2 },
  // The fonts of the formulas do not name their characters.
  'form-xobject-text.pdf': { inBlocks: 0.33 },
  // Texts that pictures cover, also in part, and Arabic words that pdftotext divides.
  'mixed-scripts-type3.pdf': { inBlocks: 0.95, known: 0.96, letters: 0.95 },
  // Numbers of documents stay.
  'rotated-90-table.pdf': { inBlocks: 0.95 },
  // Formulas and program listings stay.
  'two-column-labels-links.pdf': { inBlocks: 0.97 },
  // pdftotext loses ligatures, because the font does not name them.
  'type3-font.pdf': { inBlocks: 0.95, known: 0.95 },
};

function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[^\p{L}]/gu, '')
    .toLowerCase();
}

function counted(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const letter of text) if (letter !== ' ') counts.set(letter, (counts.get(letter) ?? 0) + 1);
  return counts;
}

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

if (!hasPdftotext) console.warn('pdftotext is not installed: nothing judges the words of the blocks');
