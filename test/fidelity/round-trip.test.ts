import { Document, ExternalHyperlink, Packer, Paragraph, TextRun } from 'docx';
import { describe, expect, it } from 'vitest';
import { shownParagraphs } from './round-trip/paragraphs.ts';
import { describeFormats } from './round-trip/shown-text.ts';
import { compareTexts } from './round-trip.ts';

type RunOptions = Exclude<ConstructorParameters<typeof TextRun>[0], string>;

async function paragraphs(...runs: (RunOptions & { link?: boolean })[]) {
  const children = runs.map(({ link, ...options }) => {
    const run = new TextRun(options);
    return link ? new ExternalHyperlink({ children: [run], link: 'https://example.org' }) : run;
  });
  const document = new Document({ sections: [{ children: [new Paragraph({ children })] }] });
  return shownParagraphs(new Uint8Array(await Packer.toArrayBuffer(document))).texts;
}

const plain = { text: 'A text with ' };
const word = { text: 'one word', size: 24 };

describe('the texts of a document that was saved again', () => {
  it('are the same if only the runs are divided otherwise', async () => {
    const before = await paragraphs(plain, { ...word, bold: true });
    const after = await paragraphs(
      { text: 'A text' },
      { text: ' with ' },
      { ...word, text: 'one', bold: true },
      { ...word, text: ' word', bold: true },
    );
    expect(compareTexts(before, after)).toEqual({ texts: 1, lost: 0, reformatted: 0 });
  });

  it.each<[string, RunOptions & { link?: boolean }]>([
    ['bold', { bold: true }],
    ['italic', { italics: true }],
    ['underlined', { underline: {} }],
    ['red', { color: 'FF0000' }],
    ['larger', { size: 30 }],
    ['raised', { superScript: true }],
    ['linked', { link: true }],
  ])('have another format if a word is no longer %s', async (_, format) => {
    const before = await paragraphs(plain, { ...word, ...format });
    expect(compareTexts(before, before)).toEqual({ texts: 1, lost: 0, reformatted: 0 });
    const after = await paragraphs(plain, word);
    expect(compareTexts(before, after)).toEqual({ texts: 1, lost: 0, reformatted: 1 });
  });

  it('are lost if a letter differs, or if one of two equal texts is missing', () => {
    const text = (value: string) => ({
      text: value,
      formats: describeFormats([{ text: value, format: '' }]),
    });
    expect(compareTexts([text('One'), text('Two')], [text('One'), text('Too')])).toMatchObject({ lost: 1 });
    expect(compareTexts([text('One'), text('One')], [text('One')])).toMatchObject({ lost: 1 });
  });
});
