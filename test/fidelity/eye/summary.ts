import { basename } from 'node:path';
import type { Section, Table } from '../report.ts';
import { columns, rowOf } from './figures.ts';
import type { PageFigures } from './judge-page.ts';
import type { OfficeFigures } from './office.ts';
import type { FileResult } from './run-file.ts';
import { officeTables } from './run-office.ts';

const notes = `Each word is replaced by another that names it, in five scripts, with the lengths of real translations. Poppler then reads source
and result, and each word is compared with the word that it stands for. *IoU* is the common area of a text and its translation, *tau* the
agreement of their order in the content. *Untranslated* is the share of letters, except in addresses, identifiers and code. In form-xfa, they are
the hidden part of a field's value, in mixed-scripts-type3 a text that covers another one, and in form-xobject-text a font without a character
map; the quality reports name them. *Small* are words below 84% of their size. *Run together* is the share of borders between texts that have lost their gap. *Split sentence* and *wrong characters*, which need
Debian's wamerican, are faults of the text that is translated. All other columns count words.`;

/** The figures of all files: by script, and by file. */
export function summaryOf(results: readonly FileResult[], documents: readonly OfficeFigures[] = []): Section {
  const judged = results.flatMap((result) => result.judged);
  const all = judged.flatMap(({ pages }) => pages);
  const head = columns.map(([name]) => name);
  const byTarget = Map.groupBy(judged, ({ target }) => target);
  const rows = (groups: Iterable<readonly [string, readonly PageFigures[]]>) =>
    [...groups].map(([name, pages]) => [name, ...rowOf(pages)]);
  const tables: Table[] = [
    {
      title: 'By script',
      head: ['script', ...head],
      rows: rows([
        ...[...byTarget].map(([name, files]) => [name, files.flatMap(({ pages }) => pages)] as const),
        ['all', all] as const,
      ]),
    },
    {
      title: 'By file',
      head: ['file', ...head],
      rows: rows(
        results
          .filter(({ judged }) => judged.length > 0)
          .map(({ path, judged }) => [basename(path), judged.flatMap(({ pages }) => pages)] as const),
      ),
    },
    failures(results),
    pageTable(results),
    ...(documents.length > 0 ? officeTables(documents) : []),
  ];
  return { title: 'The eye', notes, tables };
}

const sampleNotes = `Pages of strangers' files, in Latin script, which [sample.tsv](sample.tsv) lists. The columns are those of the corpus.`;

/**
 * The figures of the sample: of each page, of each kind of page, and of all.
 *
 * @param kindOf returns the kind that sample.tsv states for a page
 */
export function sampleSummary(
  results: readonly FileResult[],
  kindOf: (result: FileResult) => string,
): Section {
  const table = pageTable(results);
  const pagesOf = ({ judged }: FileResult) => judged.flatMap(({ pages }) => pages);
  const total = ['all', ...rowOf(results.flatMap(pagesOf)).slice(1)];
  const kinds = [...Map.groupBy(results, kindOf)].map(([kind, own]) => [
    kind,
    ...rowOf(own.flatMap(pagesOf)),
  ]);
  return {
    title: 'The sample',
    notes: sampleNotes,
    tables: [
      { ...table, rows: [...table.rows, total] },
      { title: 'By kind of page', head: ['kind', ...columns.map(([name]) => name)], rows: kinds },
      failures(results),
    ],
  };
}

/** The figures of each page in Latin script. */
function pageTable(results: readonly FileResult[]): Table {
  return {
    title: 'By page',
    head: ['page', ...columns.slice(1).map(([name]) => name)],
    rows: results.flatMap(({ path, judged }) =>
      judged
        .filter(({ target }) => target === 'Latin')
        .flatMap(({ pages }) =>
          pages.map((page) => [`${basename(path)} ${page.page}`, ...rowOf([page]).slice(1)]),
        ),
    ),
  };
}

function failures(results: readonly FileResult[]): Table {
  return {
    title: 'Without a result',
    head: ['file', 'reason'],
    rows: results.flatMap(({ path, problem }) => (problem ? [[basename(path), problem]] : [])),
  };
}
