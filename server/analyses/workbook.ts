import { writeTable } from '#server/formats/table-writer.ts';
import type { LanguageCode } from '#server/languages.ts';
import { languageName } from '#server/languages.ts';
import type { FileFigures, Share } from '#server/translation/figures.ts';
import type { Analysis } from './schema.ts';

/** The columns with counts, each as segments, words and characters. */
const parts: readonly [name: string, of: (counts: FileFigures) => Share][] = [
  ['Total', (counts) => counts],
  ['Unchanged since the earlier version', ({ unchanged }) => unchanged],
  ['Repetitions in the file', (counts) => counts.repetitions],
  ['Repetitions across files', (counts) => counts.repetitions_across],
  ['In context', (counts) => counts.context_matches],
  ['Exact matches', (counts) => difference(counts.exact_matches, counts.context_matches)],
  ['Exact by sentences', (counts) => difference(counts.sentence_matches, counts.typography_matches)],
  ['Typography only', (counts) => counts.typography_matches],
  ...[95, 85, 75, 70].map((from, index): [string, (counts: FileFigures) => Share] => [
    `${['95–100', '85–94', '75–84', '70–74'][index]}%`,
    ({ fuzzy_matches }) => fuzzy_matches.by_similarity.find((band) => band.from === from)!,
  ]),
  ['New', (counts) => counts.no_match],
];

const difference = (all: Share, part: Share): Share => ({
  segments: all.segments - part.segments,
  words: all.words - part.words,
  characters: all.characters - part.characters,
});

/** The states of a file in a language, in words. */
const covered = {
  covered: 'Covered',
  reaches_limit: 'Reaches the limit',
  beyond: 'Beyond the limit',
};

const reviews = { second: 'Second review by a rule', policy: 'Review by policy', usual: '' };

const head = [
  'File',
  'Language',
  'Result',
  'Review',
  ...parts.flatMap(([name]) => [`${name}: segments`, `${name}: words`, `${name}: characters`]),
  'Billed characters',
  'Seconds',
];

/** Writes the table of an analysis as an Excel workbook: a row for each file and language, and the sums. */
export async function writeAnalysis(analysis: Analysis): Promise<{ file_name: string; content: string }> {
  const row = (
    file: string,
    language: string,
    result: string,
    review: string,
    counts: FileFigures,
    seconds: number | null,
  ) => [
    file,
    language,
    result,
    review,
    ...parts.flatMap(([, of]) => [of(counts).segments, of(counts).words, of(counts).characters]),
    counts.billable_characters,
    seconds ?? '',
  ];
  const nameOf = (code: string) => languageName(code as LanguageCode);
  const pages = analysis.files.map(({ name, refusal, state, languages }) =>
    state === 'refused'
      ? [[name, '', refusal ?? '']]
      : languages.map((cell) =>
          row(
            name,
            nameOf(cell.target_lang),
            covered[cell.covered],
            reviews[cell.review],
            cell,
            cell.seconds,
          ),
        ),
  );
  const { by_language, ...all } = analysis.totals;
  const sums = [
    ...by_language.map((sum) => row('All files', nameOf(sum.target_lang), '', '', sum, sum.seconds)),
    row('All files', 'All languages', '', '', all, all.seconds),
  ];
  const widths = [
    { columns: 1, width: 40 },
    { columns: 2, width: 20 },
    { columns: 1, width: 24 },
    { columns: head.length - 4, width: 12 },
  ];
  const pieces: Uint8Array[] = [];
  for await (const piece of writeTable({ name: 'Analysis', head, widths }, [...pages, sums]))
    pieces.push(piece);
  return {
    file_name: `analysis-${analysis.created_at.slice(0, 10)}.xlsx`,
    content: Buffer.concat(pieces).toString('base64'),
  };
}
