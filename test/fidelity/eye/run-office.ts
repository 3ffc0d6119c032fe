import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Table } from '../report.ts';
import { percent } from './figures.ts';
import { judgeOffice, type OfficeFigures } from './office.ts';
import type { RunOptions } from './run.ts';
import { targets } from './word-map.ts';

/** The number of documents that LibreOffice converts in one run. */
const batch = 8;

/** Judges documents in the first of the targets. @returns null if LibreOffice is not installed */
export async function judgeOfficeFiles(
  paths: readonly string[],
  options: RunOptions,
): Promise<OfficeFigures[] | null> {
  const output = join(options.output, 'office');
  mkdirSync(output, { recursive: true });
  const target = targets.find(({ name }) => options.targets.includes(name))!;
  const results: OfficeFigures[] = [];
  for (let start = 0; start < paths.length; start += batch) {
    const some = paths.slice(start, start + batch);
    const judged = await judgeOffice(some, target, output, options.pages);
    if (!judged) return null;
    results.push(...judged);
  }
  return results;
}

const change = ([before, after]: readonly [number, number]): string =>
  before === after ? `${before}` : `**${before} → ${after}**`;

const columns: readonly [string, (figures: OfficeFigures) => string][] = [
  ['pages', ({ pages }) => change(pages)],
  ['blank', ({ blankPages }) => change(blankPages)],
  ['pictures', ({ pictures }) => change(pictures)],
  ['on lines', ({ crossed }) => change(crossed)],
  ['words', ({ words }) => `${words}`],
  [
    'untranslated',
    ({ letters, untranslatedLetters }) => percent(letters === 0 ? 0 : untranslatedLetters / letters),
  ],
  ['lost', ({ lost }) => `${lost}`],
  ['style', ({ style }) => `${style}`],
  ['size', ({ size }) => `${size}`],
  ['face', ({ face }) => `${face}`],
];

/** The figures of all documents: one row for each, and one for all. */
export function officeTables(results: readonly OfficeFigures[]): Table[] {
  const judged = results.filter(({ problem }) => problem === undefined);
  return [
    {
      title: 'Documents by LibreOffice',
      notes: `Source and translation, in ${judged[0]?.target ?? 'no'} script, are opened by LibreOffice. *Blank* pages have neither text nor drawings. *On lines* are
words through which a vertical ruled line goes. *Untranslated* is the share of letters, with text that is kept by default, such as footnotes.
*Style* are translated words whose weight or slant changed; *size* and *face* those with another size or typeface.`,
      head: ['file', ...columns.map(([name]) => name)],
      rows: [...judged, ...(judged.length > 0 ? [sumOf(judged)] : [])].map((figures) => [
        basename(figures.path),
        ...columns.map(([, value]) => value(figures)),
      ]),
    },
    {
      title: 'Documents without a result',
      head: ['file', 'reason'],
      rows: results.flatMap(({ path, problem }) => (problem ? [[basename(path), problem]] : [])),
    },
  ];
}

function sumOf(all: readonly OfficeFigures[]): OfficeFigures {
  const sum = (value: (figures: OfficeFigures) => number) =>
    all.reduce((total, each) => total + value(each), 0);
  const both = (key: 'pages' | 'blankPages' | 'pictures' | 'crossed'): [number, number] => [
    sum((figures) => figures[key][0]),
    sum((figures) => figures[key][1]),
  ];
  return {
    path: 'all',
    target: all[0]!.target,
    pages: both('pages'),
    blankPages: both('blankPages'),
    pictures: both('pictures'),
    crossed: both('crossed'),
    words: sum(({ words }) => words),
    letters: sum(({ letters }) => letters),
    untranslatedLetters: sum(({ untranslatedLetters }) => untranslatedLetters),
    lost: sum(({ lost }) => lost),
    style: sum(({ style }) => style),
    size: sum(({ size }) => size),
    face: sum(({ face }) => face),
  };
}
