import { PDFString } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import { reportOf } from '#server/documents/quality-report.ts';
import { extract as extractDocx } from '#server/formats/docx.ts';
import { extract as extractPdf } from '#server/formats/pdf.ts';
import type { Includable } from '#server/formats/selection.ts';
import type { TextOutcome } from '#server/formats/text-tally.ts';
import { extract as extractXlsx } from '#server/formats/xlsx.ts';
import { paragraph, run, wordFile } from './docx-file.ts';
import { at, madePdf } from './pdf-made.ts';
import { inline, row, workbookOf } from './xlsx-file.ts';

/* Texts that stay although they have words: their share of the visible characters decides. */

const box = (text: string) =>
  `<w:r><w:pict><v:shape xmlns:v="v"><v:textbox><w:txbxContent>${paragraph(run(text))}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>`;
const control = (text: string) =>
  `<w:sdt><w:sdtPr><w:id w:val="1"/></w:sdtPr><w:sdtContent>${paragraph(run(text))}</w:sdtContent></w:sdt>`;
const letters = (count: number) => 'a'.repeat(count);

async function read(body: string, include: Includable[] = []) {
  const { findings, include: proposed } = await extractDocx(wordFile(body), { include });
  return { findings: findings.map(({ severity, message }) => `${severity}: ${message}`), proposed };
}

describe('texts that a request could include', () => {
  it.each([
    [
      'up to 5% are an info',
      paragraph(run(letters(95)), box(letters(5))),
      ['info: 1 text box is not translated; add `text_boxes` to `include` to translate them'],
      ['text_boxes'],
    ],
    [
      'above 5% are a warning with the share and the option',
      paragraph(run(letters(69)), box(letters(31))),
      [
        'warning: 1 text box is not translated (31% of the visible characters); add `text_boxes` to `include` to translate them',
      ],
      ['text_boxes'],
    ],
    [
      'the sum of all kinds decides',
      paragraph(run(letters(94)), box(letters(3))) + control(letters(3)),
      [
        'warning: 1 text box is not translated (3% of the visible characters); add `text_boxes` to `include` to translate them',
        'warning: 1 content control is not translated (3% of the visible characters); add `content_controls` to `include` to translate them',
      ],
      ['text_boxes', 'content_controls'],
    ],
    [
      'hidden texts are not seen',
      paragraph(run(letters(10)), run(letters(90), '<w:vanish/>')),
      ['info: 1 hidden text is not translated; add `hidden` to `include` to translate them'],
      undefined,
    ],
  ])('%s', async (_, body, findings, proposed) => {
    expect(await read(body)).toEqual({ findings, proposed });
  });

  it('cause neither a finding nor a proposal if the request includes them', async () => {
    const body = paragraph(run(letters(10)), box(letters(90)));
    expect(await read(body, ['text_boxes'])).toEqual({ findings: [], proposed: undefined });
  });

  it('counts the names of sheets and comments of a workbook, which are not on its pages, as before', async () => {
    const bytes = workbookOf([
      {
        name: 'A long name of a sheet',
        rows: row(inline('<t>a</t>')),
        parts: {
          'comments1.xml': [
            'comments',
            '<comments><comment><text><t>Long note</t></text></comment></comments>',
          ],
        },
      },
    ]);
    const { findings, include } = await extractXlsx(bytes);
    expect(findings.map(({ severity }) => severity)).toEqual(['info']);
    expect(include).toBeUndefined();
  });
});

describe('texts of a PDF that stay', () => {
  const covered = (text: string) => `${at(20, 100, text)} 1 g 20 95 12 20 re f 0 g `;
  const readPdf = async (content: string, note?: string) => {
    const annotation = {
      Type: 'Annot',
      Subtype: 'FreeText',
      Rect: [0, 0, 9, 9],
      Contents: PDFString.of(note ?? ''),
    };
    const { findings, outcome } = await extractPdf(
      await madePdf({ content, page: { Annots: note ? [annotation] : [] } }),
    );
    return { found: findings.map(({ severity, message }) => `${severity}: ${message}`), outcome };
  };
  const unread = 'warning: partly covered texts are not translated: 1, the first on page 1';
  const notes = 'annotations with text are not translated: 1';

  it.each([
    [
      'up to 5%',
      at(20, 300, letters(60)) + at(20, 200, letters(60)) + covered(letters(6)),
      undefined,
      [unread],
    ],
    [
      'above 5%',
      at(20, 300, letters(60)) + covered(letters(20)),
      undefined,
      [`${unread} (25% of the visible characters)`],
    ],
    [
      'an annotation',
      at(20, 300, letters(60)),
      letters(20),
      [`warning: ${notes} (25% of the visible characters)`],
    ],
    ['a short annotation', at(20, 300, letters(60)), letters(2), [`info: ${notes}`]],
    ['numbers, which have no words', at(20, 300, letters(60)) + at(20, 200, '1234567890'), undefined, []],
    [
      'invisible texts',
      `${at(20, 300, letters(60))}3 Tr ${covered(letters(40))}`,
      undefined,
      ['info: invisible texts, for example behind a scanned page are not translated: 1'],
    ],
  ])('are reported with their share: %s', async (_, content, note, expected) => {
    const { found } = await readPdf(content, note);
    expect(found.map((message) => message.replace(/(invisible.*), the first on page 1$/, '$1'))).toEqual(
      expected,
    );
  });

  it('count in the score as those that a request could include', async () => {
    const { outcome } = await readPdf(at(20, 300, letters(60)) + covered(letters(20)), letters(20));
    expect(scoreWith(outcome!, 60)).toBe(0.54);
  });
});

const scoreWith = (textOutcome: TextOutcome, characters: number, scored = 2) =>
  reportOf({
    documentId: '0'.repeat(32),
    request: { source_lang: 'en', target_lang: 'fr' },
    reportFigures: { characters, scored, scoreSum: scored * 90 },
    textOutcome,
    extractFindings: [],
    rebuildFindings: [],
  } as unknown as Parameters<typeof reportOf>[0]).overall_score;

describe('the score of a document', () => {
  const scoreOf = (characters: number, left: number, scored?: number) =>
    scoreWith(
      {
        kept: [
          { class: 'not_selected', reason: 'text_boxes', texts: 1, characters: left },
          { class: 'not_selected', reason: 'hidden', texts: 1, characters: 500 },
        ],
        unaccounted: 0,
      },
      characters,
      scored,
    );

  it.each([
    [95, 5, 0.9],
    [94, 6, 0.85],
    [20, 80, 0.18],
  ])('%i translated characters and %i that stay: %f', (characters, left, score) => {
    expect(scoreOf(characters, left)).toBe(score);
  });

  it('counts them without a scored segment, too', () => {
    expect(scoreOf(50, 50, 0)).toBe(0.5);
  });
});
