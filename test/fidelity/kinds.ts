import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainText } from '#server/formats/inline-content.ts';
import { leftShare } from '#server/formats/left-share.ts';
import { countCharacters } from '#server/formats/text-tally.ts';
import { percent } from './eye/figures.ts';
import { judgeFile, readSource, withDirectory } from './eye/judge-file.ts';
import type { FaultKind, PageFigures } from './eye/judge-page.ts';
import { targets } from './eye/word-map.ts';
import type { Section } from './report.ts';

/** The number of pages of a file that are measured, so that a long file does not decide about its kind. */
const maxPages = 3;

const notes = `kinds.tsv states the kind of each file, because a kind that the service found would change with it. The first ${maxPages} pages of a
file are translated in Latin script with the lengths of real translations. *Uneven* are texts whose size differs within their row, column or list,
*overlaps* words on other words. *Kept* is the share of the characters with words that stay.`;

/** A PDF of the corpus with its kind. */
export interface KindOfFile {
  kind: string;
  /** The path in the corpus. */
  file: string;
}

export function readKinds(): KindOfFile[] {
  const [, ...lines] = readFileSync(join(import.meta.dirname, 'kinds.tsv'), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => {
    const [kind, file] = line.split('\t') as [string, string];
    return { kind, file };
  });
}

/** The figures of one file, or of all files of a kind. */
export interface KindFigures {
  pages: number;
  texts: number;
  shrunk: number;
  truncated: number;
  uneven: number;
  lostEdges: number;
  overlaps: number;
  /** The number of characters in segments and in texts that stay although they have words. */
  characters: number;
  left: number;
}

/** Measures the first pages of a file. */
async function measureKind(file: string): Promise<KindFigures> {
  const target = targets.find(({ name }) => name === 'Latin')!;
  const source = await readSource(join(import.meta.dirname, '../corpus', file), maxPages);
  const { judged, opened, findings } = await withDirectory((directory) =>
    judgeFile(source, target, join(directory, 'result.pdf'), { pages: [`1-${source.pages.length}`] }),
  );
  const count = (code: string) => findings.filter((one) => one.code === code).length;
  const faults = (kind: FaultKind) =>
    judged.pages.reduce(
      (sum, page: PageFigures) => sum + page.faults.filter((one) => one.kind === kind).length,
      0,
    );
  const characters = opened.segments.reduce((sum, { source }) => sum + countCharacters(plainText(source)), 0);
  const { kinds } = leftShare(opened.outcome!, characters);
  const reasons = new Set(kinds.map(({ reason }) => reason));
  const left = opened.outcome!.kept.filter(({ reason }) => reasons.has(reason));
  return {
    pages: judged.pages.length,
    texts: opened.segments.length,
    shrunk: count('text_shrunk'),
    truncated: count('text_truncated'),
    uneven: faults('uneven size'),
    lostEdges: faults('lost edge'),
    overlaps: faults('words on words'),
    characters,
    left: left.reduce((sum, one) => sum + one.characters, 0),
  };
}

/** Adds the figures of several files. */
export function sumFigures(all: readonly KindFigures[]): KindFigures {
  const names = Object.keys(all[0]!) as (keyof KindFigures)[];
  const sums = names.map((name) => [name, all.reduce((sum, one) => sum + one[name], 0)]);
  return Object.fromEntries(sums) as unknown as KindFigures;
}

/** Measures the PDF files of the corpus, and returns a table by kind of page. */
export async function kindSection(files: readonly KindOfFile[] = readKinds()): Promise<Section> {
  const byKind = new Map<string, KindFigures[]>();
  for (const { kind, file } of files)
    byKind.set(kind, [...(byKind.get(kind) ?? []), await measureKind(file)]);
  const rows = [...byKind, ['all', [...byKind.values()].flat()] as const].map(([kind, all]) => {
    const { pages, texts, shrunk, truncated, uneven, lostEdges, overlaps, characters, left } =
      sumFigures(all);
    const counts = [all.length, pages, texts, shrunk, truncated, uneven, lostEdges, overlaps];
    return [kind, ...counts.map(String), percent(left / Math.max(1, characters + left))];
  });
  const head = [
    'kind',
    'files',
    'pages',
    'texts',
    'smaller',
    'cut',
    'uneven',
    'lost edges',
    'overlaps',
    'kept',
  ];
  return { title: 'PDF pages by kind', notes, tables: [{ title: 'By kind of page', head, rows }] };
}
