import type { Finding } from '#server/formats/document.ts';
import { type Counts, countEach, listCounts, type Section } from './report.ts';

/** An Office format, whose translated files are compared with their sources part by part. */
export interface OfficeFormat {
  title: string;
  /** Says in Markdown what the columns of the tables mean. */
  notes: string;
  /** The program that opens the translated files. */
  judge: string;
  /** Translates each file of the corpus as the stub engine does, and compares the result with it. */
  measure(): Promise<FileFidelity[]>;
  /** Which of the files the judge opens and shows with every translated text; null if it is not installed. */
  open(files: readonly FileFidelity[]): Map<string, boolean> | null;
}

/** What the comparison of one file gave. */
export interface FileFidelity {
  name: string;
  translated: Uint8Array;
  /** Texts to translate that a walk over the source finds, without the engine. */
  found: number;
  /** How many of them stand in the translated file once, translated, at their place. */
  translatedOnce: number;
  /** Texts that stay as they are, by where they stand. */
  kept: Counts;
  parts: number;
  /** Parts whose compressed bytes differ. All others are the same. */
  changedParts: number;
  /** What is compared inside the changed parts. */
  comparisons: Comparison[];
  findings: Finding[];
}

/** Things of one kind, as lists that should be equal. */
export interface Comparison {
  kind: string;
  before: readonly string[];
  after: readonly string[];
}

export function isSame({ before, after }: Comparison): boolean {
  return before.length === after.length && before.every((each, index) => each === after[index]);
}

/** @param opened by name; null if the judge is not installed */
export function officeSection(
  { title, notes, judge }: OfficeFormat,
  files: readonly FileFidelity[],
  opened: ReadonlyMap<string, boolean> | null,
): Section {
  return {
    title,
    notes,
    tables: [
      {
        title: 'Texts',
        head: ['file', 'found', 'translated once', 'kept, by where they stand'],
        rows: [...files, totalOf(files)].map(({ name, found, translatedOnce, kept }) => [
          name,
          `${found}`,
          found === translatedOnce ? `${found}` : `**${translatedOnce}**`,
          listCounts(kept),
        ]),
      },
      {
        title: 'Parts',
        head: ['file', 'parts', 'changed', 'the same bytes', `opened by ${judge}`, 'findings'],
        rows: files.map(({ name, parts, changedParts, findings }) => [
          name,
          `${parts}`,
          `${changedParts}`,
          `${parts - changedParts}`,
          opened === null ? 'not tried' : opened.get(name) ? 'yes' : '**no**',
          listCounts(countEach(findings.map(({ code }) => code))),
        ]),
      },
      {
        title: 'What else is compared',
        head: ['file', ...files[0]!.comparisons.map(({ kind }) => kind)],
        rows: files.map(({ name, comparisons }) => [name, ...comparisons.map(countOfSame)]),
      },
    ],
  };
}

/** How many things are the same; both numbers if they are not. */
export function countOfSame(comparison: Comparison): string {
  const { before, after } = comparison;
  return isSame(comparison) ? `${before.length}` : `**${before.length} → ${after.length}**`;
}

function totalOf(
  files: readonly FileFidelity[],
): Pick<FileFidelity, 'name' | 'found' | 'translatedOnce' | 'kept'> {
  const sum = (key: 'found' | 'translatedOnce'): number =>
    files.reduce((total, file) => total + file[key], 0);
  const kept = new Map<string, number>();
  for (const file of files)
    for (const [kind, count] of file.kept) kept.set(kind, (kept.get(kind) ?? 0) + count);
  return { name: 'all', found: sum('found'), translatedOnce: sum('translatedOnce'), kept };
}
