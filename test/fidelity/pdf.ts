import { plainText } from '#server/formats/inline-content.ts';
import { type LanguageCode, languageName } from '#server/languages.ts';
import { corpusNames } from '#test/corpus/files.ts';
import { hasPdftotext } from '#test/formats/golden-pdf-readers.ts';
import { countOfSame } from './office.ts';
import { findTranslations } from './pdf/copied-text.ts';
import { type MeasuredFile, measureFile } from './pdf/measured-file.ts';
import { findOverlaps, type Overlaps, overlappingWords } from './pdf/overlaps.ts';
import { columnsOf, NativeText, pseudoTranslate } from './pdf/target-texts.ts';
import { translateFile } from './pdf/translated-file.ts';
import type { Explained } from './pdf/word-exceptions.ts';
import { countEach, listCounts, type Section, type Table } from './report.ts';

const notes = `The judges are pdf.js for what a document has besides text, pdf-lib for images, \`qpdf --check\`, and poppler's \`pdftotext\` for
words. pdf.js and pdf-lib also serve the engine, but no code of the engine is between them and this page. Pages side by side are in
the [gallery](gallery/README.md).`;

/** Names of the PDFs of the corpus. */
export const pdfNames: readonly string[] = corpusNames('pdf').filter((name) => name.endsWith('.pdf'));

/** @throws if pdftotext is not installed: most of the section is what it finds */
export async function pdfSection(): Promise<Section> {
  if (!hasPdftotext) throw new Error('the section of PDFs needs pdftotext (poppler-utils)');
  const files: MeasuredFile[] = [];
  for (const name of pdfNames) files.push(await measureFile(name));
  return {
    title: 'PDF',
    notes,
    tables: [
      structureTable(files),
      wordsTable(files),
      exceptionsTable(files),
      keptTable(files),
      await copyingTable(),
      await overlapsTable(),
    ],
  };
}

function structureTable(files: readonly MeasuredFile[]): Table {
  return {
    title: 'What stays as it is',
    notes: `*Pages* have the same size, visible part, rotation and unit. *Images* are compared by the data that they unpack to, page by
page. Links, other annotations and fields have the same place, target, name, type and value; the look of signatures stays, and they
lose their value. *Size* is that of the result as a share of the source's; the made files are small beside the fonts that are put in.`,
    head: ['file', ...files[0]!.comparisons.map(({ kind }) => kind), '`qpdf --check`', 'size'],
    rows: files.map(({ name, comparisons, complaints, size }) => [
      name,
      ...comparisons.map(countOfSame),
      complaints === '' ? 'clean' : '**not clean**',
      size.toFixed(2),
    ]),
  };
}

function wordsTable(files: readonly MeasuredFile[]): Table {
  return {
    title: 'Texts',
    notes: `*Words* are those that pdftotext finds in the source, and *found* how many of them are in a segment or in a text that is kept,
page by page and each as often as it is there. *Too often* are words of segments that the page has less often. *Translated once* are
the segments whose translation pdftotext finds in the result, once for each of them; a translation that had to be *cut* is not whole.
*Left behind* are words of the result that belong to no translation and to nothing that is kept. What differs is explained below.`,
    head: [
      'file',
      'words',
      'found',
      'share',
      'too often',
      'segments',
      'translated once',
      'cut',
      'left behind',
    ],
    rows: files.map(({ name, segments, words }) => {
      const { total, missing, twice, translatedOnce, cut, left } = words!;
      const found = total - missing.length;
      return [
        name,
        `${total}`,
        `${found}`,
        total === 0 ? '' : percent(found / total),
        zero(twice),
        `${segments}`,
        translatedOnce + cut >= segments ? `${translatedOnce}` : `**${translatedOnce}**`,
        `${cut}`,
        `${left.length}`,
      ];
    }),
  };
}

function exceptionsTable(files: readonly MeasuredFile[]): Table {
  const rows = files.flatMap(({ name, words }) => {
    const { missing, left } = words!;
    return [...rowsOf(name, 'not found', missing), ...rowsOf(name, 'left behind', left)];
  });
  return {
    title: 'Words in which pdftotext and the engine differ',
    head: ['file', '', 'words', 'which', 'why'],
    rows,
  };
}

function rowsOf(file: string, kind: string, words: readonly Explained[]): string[][] {
  return [...Map.groupBy(words, ({ why }) => why)].map(([why, own]) => {
    const list = [...new Set(own.map(({ word }) => word))];
    const shown = list.slice(0, 20).join(', ') + (list.length > 20 ? ', …' : '');
    return [file, kind, `${own.length}`, shown, why ?? '**nobody knows**'];
  });
}

function keptTable(files: readonly MeasuredFile[]): Table {
  return {
    title: 'What is not translated, and findings',
    notes: `*Kept* are texts that stay as they are: numbers, labels of lists and single letters, identifiers (mostly digits), addresses, formulas,
listings of programs, leaders up to a page number, and what is invisible, covered, clipped, mirrored, written from top to bottom or in a
font that does not tell its characters.`,
    head: ['file', 'kept', 'findings'],
    rows: files.map(({ name, kept, findings }) => [
      name,
      listCounts(kept),
      listCounts(countEach(findings.map(({ code }) => code))),
    ]),
  };
}

const copied: readonly LanguageCode[] = ['fr', 'ru', 'el', 'ar', 'hi', 'th', 'zh-Hans', 'ja', 'ko'];
const copiedFiles = [
  'encrypted-owner-only.pdf',
  'made-rotations-labels-links.pdf',
  'rotated-90-table.pdf',
  'two-column-labels-links.pdf',
];

async function copyingTable(): Promise<Table> {
  const rows: string[][] = [];
  for (const language of copied) {
    const row = [languageName(language)];
    for (const name of copiedFiles) {
      const native = new NativeText(language);
      const file = await translateFile(name, ({ source }) => native.translate(source), language);
      const cut = file.findings.filter(({ code }) => code === 'text_truncated').length;
      const found = findTranslations(file).copied.length;
      row.push(`${found} of ${file.segments.length}${cut > 0 ? `, ${cut} cut` : ''}`);
    }
    rows.push(row);
  }
  return {
    title: 'Copying text out',
    notes: `The segments are translated into text of the Universal Declaration of Human Rights of about their length. In the table are those that
\`pdftotext -raw\` finds in the result as they were given, but for spaces. Arabic is compared word by word, as poppler gives lines from left
to right. *Cut* are translations for which there is no room at the smallest size.`,
    head: ['language', ...copiedFiles],
    rows,
  };
}

const nonLatin = /[\p{Script=Han}\p{Script=Arabic}\p{Script=Thai}]/u;
const ratios = [1.2, 1.35];

async function overlapsTable(): Promise<Table> {
  const rows: string[][] = [];
  const totals: Overlaps[][] = ratios.map(() => []);
  for (const name of pdfNames) {
    const row = [name];
    for (const [index, ratio] of ratios.entries()) {
      const french = new NativeText('fr');
      const file = await translateFile(name, ({ source }) =>
        nonLatin.test(plainText(source))
          ? [french.take(ratio * columnsOf(plainText(source)))]
          : pseudoTranslate(source, ratio),
      );
      const { before, after } = await findOverlaps(file);
      totals[index]!.push(after);
      const count = (code: string): string => `${file.findings.filter((each) => each.code === code).length}`;
      if (index === 0) {
        const words = overlappingWords(file.source).length;
        row.push(`${after.boxes}`, `${before.overlapping.length + before.leaving.length}`, `${words}`);
      }
      row.push(`${after.overlapping.length}`, `${after.leaving.length}`);
      row.push(`${overlappingWords(file.bytes).length}`, count('text_shrunk'), count('text_truncated'));
    }
    rows.push(row);
  }
  const head = ['file', 'boxes', 'in the source', 'words on words'];
  for (const ratio of ratios)
    head.push(
      ...['overlap', 'leave the page', 'words on words', 'smaller', 'cut'].map(
        (name) => `× ${ratio}: ${name}`,
      ),
    );
  return {
    title: 'Overlaps',
    notes: `The translated boxes that overlap another translated box, or leave the page, by more than a point in both directions, for texts as long as
French (× 1.2) and German (× 1.35) ones: the letters have accents and vowels are repeated, so that words are as long as theirs. Of all
boxes these are ${ratios.map((ratio, index) => `${share(totals[index]!)} at × ${ratio}`).join(' and ')}. *Words on words* are
pairs of any words that stand on each other by nearly half of their height, by the boxes that \`pdftotext -bbox\` gives.`,
    head,
    rows,
  };
}

function share(files: readonly Overlaps[]): string {
  const sum = (of: (file: Overlaps) => number): number => files.reduce((total, file) => total + of(file), 0);
  return percent(
    sum(({ overlapping, leaving }) => overlapping.length + leaving.length) / sum(({ boxes }) => boxes),
  );
}

function percent(value: number): string {
  return `${(100 * value).toFixed(2)} %`;
}

function zero(words: readonly string[]): string {
  return words.length === 0 ? '0' : `**${words.length}**: ${[...new Set(words)].slice(0, 10).join(', ')}`;
}
