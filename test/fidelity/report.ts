import { readFileSync, writeFileSync } from 'node:fs';

/** The results of one format. */
export interface Section {
  title: string;
  /** In Markdown. */
  notes: string;
  tables: Table[];
}

export interface Table {
  title: string;
  /** In Markdown. */
  notes?: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

export type Counts = ReadonlyMap<string, number>;

/** Counts how often each string occurs, in the order of the first occurrence. */
export function countEach(values: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

export function listCounts(counts: Counts): string {
  return [...counts].map(([kind, count]) => `${kind}: ${count}`).join(', ');
}

/** Adds the counts of each kind. */
export function sumCounts(all: Iterable<Counts>): Map<string, number> {
  const sums = new Map<string, number>();
  for (const counts of all) for (const [kind, count] of counts) sums.set(kind, (sums.get(kind) ?? 0) + count);
  return sums;
}

/** Results as they are stored in a file: sections without their explanations. */
export type StoredSection = Omit<Section, 'notes'>;

export function readResults(path: string): StoredSection[] {
  return JSON.parse(readFileSync(path, 'utf8')) as StoredSection[];
}

/** Prints sections, and stores them in place of the earlier sections with the same titles. */
export function publish(path: string, sections: readonly Section[]): void {
  const byTitle = new Map<string, StoredSection>(
    [...readResults(path), ...sections].map((section) => [section.title, section]),
  );
  writeResults(path, [...byTitle.values()]);
  console.log(sections.map(renderSection).join('\n\n'));
}

/** Writes results, with each row of a table in one line. */
function writeResults(path: string, sections: readonly StoredSection[]): void {
  const stored = sections.map(({ title, tables }) => ({ title, tables: tables.filter(isShown) }));
  const json = JSON.stringify(stored, null, 2).replace(
    /\[\n\s+("(?:[^"\\]|\\.)*"(?:,\n\s+"(?:[^"\\]|\\.)*")*)\n\s+\]/g,
    (_, cells: string) => `[${cells.replace(/",\n\s+"/g, '", "')}]`,
  );
  writeFileSync(path, `${json}\n`);
}

function isShown({ notes, rows }: Table): boolean {
  return notes !== undefined || rows.length > 0;
}

export function renderSection({ title, notes, tables }: Section): string {
  const parts = tables
    .filter(isShown)
    .map(({ title, notes, head, rows }) =>
      [`### ${title}`, ...(notes ? [notes] : []), ...(rows.length > 0 ? [renderTable(head, rows)] : [])].join(
        '\n\n',
      ),
    );
  return [`## ${title}`, notes, ...parts].join('\n\n');
}

/** Columns of numbers are aligned to the right. */
function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const isNumeric = (column: number): boolean => rows.every((row) => /^[\d*→ .%]+$/.test(row[column]!));
  const rule = `|${head.map((_, column) => (isNumeric(column) ? '--:|' : '---|')).join('')}`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

/** The tables of a section without the results of programs that are not installed everywhere. */
export function withoutJudges({ tables }: StoredSection): Table[] {
  return tables.filter(isShown).map((table) => ({
    ...table,
    rows: table.rows.filter(([what]) => !/^(opened|saved) by /.test(what!)),
  }));
}
