import type { Finding } from '#server/formats/document.ts';
import { type Counts, countEach, listCounts, type Section, sumCounts, type Table } from './report.ts';
import type { RoundTrip } from './round-trip.ts';

/** An Office format. Its translated files are compared with their sources part by part. */
export interface OfficeFormat {
  title: string;
  /** An explanation of the columns in the tables, as Markdown. */
  notes: string;
  /** The program that opens the translated files. */
  judge: string;
  /** Translates each file of the corpus with the stub engine, and compares the result with the source. */
  measure(): Promise<FileFidelity[]>;
  /** Whether the program opens each file and shows all translated texts; null if the program is not installed. */
  open(files: readonly FileFidelity[]): Map<string, boolean> | null;
}

/** The result of comparing one file. */
export interface FileFidelity {
  name: string;
  translated: Uint8Array;
  /** The number of texts that should be translated, counted in the source without the engine. */
  found: number;
  /** The number of these texts whose translation is in the translated file once and in the right place. */
  translatedOnce: number;
  /** The number of unchanged texts, by place. */
  kept: Counts;
  parts: number;
  /** The number of parts whose compressed bytes differ. All other parts are equal. */
  changedParts: number;
  /** Comparisons of the content of the changed parts. */
  comparisons: Comparison[];
  findings: Finding[];
}

/** All things of one kind in the source and in the translation. The two lists should be equal. */
export interface Comparison {
  kind: string;
  before: readonly string[];
  after: readonly string[];
}

export function isSame({ before, after }: Comparison): boolean {
  return before.length === after.length && before.every((each, index) => each === after[index]);
}

/** Changes by opening and saving the sources and the translations, by name; null for a file that is not saved. */
export interface RoundTrips {
  before: ReadonlyMap<string, RoundTrip | null>;
  after: ReadonlyMap<string, RoundTrip | null>;
}

/**
 * @param opened the results of opening the files, by name; null if the program is not installed
 * @param trips undefined if the program is not installed
 */
export function officeSection(
  { title, notes, judge }: OfficeFormat,
  files: readonly FileFidelity[],
  opened: ReadonlyMap<string, boolean> | null,
  trips?: RoundTrips,
): Section {
  const sum = (key: 'found' | 'translatedOnce' | 'parts' | 'changedParts') =>
    files.reduce((total, file) => total + file[key], 0);
  const [found, once] = [sum('found'), sum('translatedOnce')];
  const good = files.filter(({ name }) => opened?.get(name)).length;
  const findings = files.map(({ findings }) => countEach(findings.map(({ code }) => code)));
  return {
    title,
    notes,
    tables: [
      {
        title: 'Result',
        head: ['what', 'figure'],
        rows: [
          ['files', `${files.length}`],
          [`opened by ${judge}`, opened === null ? 'not tried' : shareOf(good, files.length)],
          ...(trips ? roundTripRows(judge, trips) : []),
          ['texts found', `${found}`],
          ['translated once', shareOf(once, found)],
          ['texts kept', listCounts(sumCounts(files.map(({ kept }) => kept)))],
          ['findings', listCounts(sumCounts(findings))],
          ['parts', `${sum('parts')}, of which ${sum('changedParts')} changed`],
        ],
      },
      ...comparisonTables(files),
    ],
  };
}

/** Compares what the program changes in translations with what it changes in their sources. */
function roundTripRows(judge: string, { before, after }: RoundTrips): string[][] {
  const sum = (trips: RoundTrips['after'], key: keyof RoundTrip) =>
    [...trips.values()].reduce((total, trip) => total + (trip?.[key] ?? 0), 0);
  const row = (what: string, key: keyof RoundTrip): string[] => {
    const [source, result] = [sum(before, key), sum(after, key)];
    const figure = `${result}, in the sources ${source}`;
    return [`saved by ${judge}: ${what}`, result > source ? `**${figure}**` : figure];
  };
  const rows = [
    row('texts that it changes', 'lost'),
    row('texts whose formatting it changes', 'reformatted'),
  ];
  return sum(before, 'pages') > 0 ? [...rows, row('pages', 'pages')] : rows;
}

/** Tables of the kinds that are equal in all files, and of differences in each file. */
export function comparisonTables(
  files: readonly { name: string; comparisons: readonly Comparison[] }[],
): Table[] {
  const kinds = files[0]!.comparisons.map(({ kind }) => kind);
  const every = files.flatMap(({ name, comparisons }) => comparisons.map((one) => ({ name, ...one })));
  const same = (kind: string) =>
    every
      .filter((one) => one.kind === kind && isSame(one))
      .reduce((total, { before }) => total + before.length, 0);
  return [
    {
      title: 'Unchanged',
      notes: `${kinds.map((kind) => `${kind}: ${same(kind)}`).join('; ')}.`,
      head: [],
      rows: [],
    },
    {
      title: 'Differences',
      head: ['file', 'kind', 'before → after'],
      rows: every
        .filter((one) => !isSame(one))
        .map(({ name, kind, before, after }) => [name, kind, `**${before.length} → ${after.length}**`]),
    },
  ];
}

function shareOf(count: number, all: number): string {
  return count === all ? `${count} of ${all}` : `**${count} of ${all}**`;
}
