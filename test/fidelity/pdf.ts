import { plainText } from '#server/formats/inline-content.ts';
import { type LanguageCode, languageName } from '#server/languages.ts';
import { corpusNames } from '#test/corpus/files.ts';
import { hasPdftotext } from '#test/formats/golden-pdf-readers.ts';
import { comparisonTables } from './office.ts';
import { findTranslations } from './pdf/copied-text.ts';
import { type MeasuredFile, measureFile } from './pdf/measured-file.ts';
import { findOverlaps, overlappingWords } from './pdf/overlaps.ts';
import { columnsOf, NativeText, pseudoTranslate } from './pdf/target-texts.ts';
import { translateFile } from './pdf/translated-file.ts';
import type { Explained } from './pdf/word-exceptions.ts';
import { countEach, listCounts, type Section, sumCounts, type Table } from './report.ts';

const notes = `pdf.js compares the structure, pdf-lib the images, \`qpdf --check\` the file and poppler's \`pdftotext\` the words. Compared pages are in
the [gallery](gallery/README.md).`;

/** The names of the PDF files in the corpus. */
export const pdfNames: readonly string[] = corpusNames('pdf').filter((name) => name.endsWith('.pdf'));

/** @throws Error if pdftotext is not installed, because most of the section depends on it */
export async function pdfSection(): Promise<Section> {
  if (!hasPdftotext) throw new Error('the section of PDFs needs pdftotext (poppler-utils)');
  const files: MeasuredFile[] = [];
  for (const name of pdfNames) files.push(await measureFile(name));
  return {
    title: 'PDF',
    notes,
    tables: [
      wordsTable(files),
      ...structureTables(files),
      exceptionsTable(files),
      keptTable(files),
      await copyingTable(),
      await overlapsTable(),
    ],
  };
}

function structureTables(files: readonly MeasuredFile[]): Table[] {
  const [same, ...others] = comparisonTables(files);
  return [
    {
      ...same!,
      notes: `Pages have the same size, visible part, rotation and unit. Images have the same data. Links, annotations and fields have the same place,
target, name, type and value; signatures keep their look but become invalid.

${same!.notes}`,
    },
    ...others,
  ];
}

function wordsTable(files: readonly MeasuredFile[]): Table {
  return {
    title: 'Texts',
    notes: `*Found* is the share of pdftotext's words that are in a segment or a kept text. *Once* counts the segments whose translation pdftotext finds in
the result; *cut* translations had no room. *Left* counts words of the result that belong to no translation and no kept text. *Size* is output / input;
fonts make small files larger.`,
    head: ['file', 'words', 'found', 'segments', 'once', 'cut', 'left', 'size'],
    rows: files.map(({ name, segments, words, size, complaints }) => {
      const { total, missing, twice, translatedOnce, cut, left } = words!;
      const faults = [
        ...(complaints === '' ? [] : ['**not clean**']),
        ...(twice.length === 0 ? [] : [`**twice: ${[...new Set(twice)].slice(0, 10).join(', ')}**`]),
      ];
      return [
        [name.replace('.pdf', ''), ...faults].join(' '),
        `${total}`,
        total === 0 ? '' : percent(1 - missing.length / total),
        `${segments}`,
        translatedOnce + cut >= segments ? `${translatedOnce}` : `**${translatedOnce}**`,
        `${cut}`,
        `${left.length}`,
        size.toFixed(2),
      ];
    }),
  };
}

function exceptionsTable(files: readonly MeasuredFile[]): Table {
  const rows = files.flatMap(({ name, words }) => {
    const { missing, left } = words!;
    return [...Map.groupBy([...missing, ...left], ({ why }) => why)].map(([why, words]) => {
      const list = [...new Set(words.map(({ word }) => word))];
      const shown = list.slice(0, 4).join(', ') + (list.length > 4 ? ', …' : '');
      const count = (all: readonly Explained[]) => `${all.filter((one) => one.why === why).length}`;
      return [name.replace('.pdf', ''), count(missing), count(left), shown, why ?? '**unknown**'];
    });
  });
  return {
    title: 'Unmatched words',
    head: ['file', 'not found', 'left', 'examples', 'reason'],
    rows,
  };
}

function keptTable(files: readonly MeasuredFile[]): Table {
  const findings = files.map(({ findings }) => countEach(findings.map(({ code }) => code)));
  return {
    title: 'Kept texts and findings',
    notes: `Kept: numbers, list labels and single letters, identifiers, addresses, formulas, program listings, leaders before page numbers; text that is
invisible, covered, clipped, mirrored, vertical, or in a font without character codes.`,
    head: ['what', 'in all files'],
    rows: [
      ['kept', listCounts(sumCounts(files.map(({ kept }) => kept)))],
      ['findings', listCounts(sumCounts(findings))],
    ],
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
    const total = { found: 0, cut: 0, segments: 0 };
    for (const name of copiedFiles) {
      const native = new NativeText(language);
      const file = await translateFile(name, ({ source }) => native.translate(source), language);
      total.cut += file.findings.filter(({ code }) => code === 'text_truncated').length;
      total.found += findTranslations(file).copied.length;
      total.segments += file.segments.length;
    }
    rows.push([languageName(language), `${total.found} of ${total.segments}`, `${total.cut}`]);
  }
  return {
    title: 'Copying text out',
    notes: `Segments of ${copiedFiles.length} files, translated into text of the Universal Declaration of Human Rights, that \`pdftotext -raw\` finds as given,
except for spaces. Arabic is compared by word. *Cut* translations had no room at the smallest size.`,
    head: ['language', 'found', 'cut'],
    rows,
  };
}

const nonLatin = /[\p{Script=Han}\p{Script=Arabic}\p{Script=Thai}]/u;
const ratios = [1.2, 1.35];

async function overlapsTable(): Promise<Table> {
  const kinds = ['boxes', 'in the source', 'overlap', 'leave the page', 'words on words', 'smaller', 'cut'];
  const rows: string[][] = [];
  for (const ratio of ratios) {
    const totals = new Map<string, number>(kinds.map((kind) => [kind, 0]));
    const add = (kind: string, count: number) => totals.set(kind, (totals.get(kind) ?? 0) + count);
    for (const name of pdfNames) {
      const french = new NativeText('fr');
      const file = await translateFile(name, ({ source }) =>
        nonLatin.test(plainText(source))
          ? [french.take(ratio * columnsOf(plainText(source)))]
          : pseudoTranslate(source, ratio),
      );
      const { before, after } = await findOverlaps(file);
      const count = (code: string) => file.findings.filter((each) => each.code === code).length;
      add('boxes', after.boxes);
      add('in the source', before.overlapping.length + before.leaving.length);
      add('overlap', after.overlapping.length);
      add('leave the page', after.leaving.length);
      add('words on words', overlappingWords(file.bytes).length);
      add('smaller', count('text_shrunk'));
      add('cut', count('text_truncated'));
    }
    rows.push([`× ${ratio}`, ...totals.values().map(String)]);
  }
  return {
    title: 'Overlaps',
    notes: `Translated boxes that overlap another or leave the page by more than a point, for pseudo-translations as long as French (× 1.2) and German
(× 1.35). *Words on words* are pairs of words that overlap by nearly half of their height, by \`pdftotext -bbox\`.`,
    head: ['length', ...kinds],
    rows,
  };
}

function percent(value: number): string {
  return `${(100 * value).toFixed(2)}%`;
}
