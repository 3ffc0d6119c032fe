/** The section of the page about one format. */
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

const introduction = `# Fidelity

How translated documents compare with their sources, for all files of the corpus ([test/corpus](../test/corpus/README.md)).

\`npm run fidelity\` writes this page. The stub engine translates each file by putting \`[fr]\` before each text. The code that compares source and
result is independent of the format engines. \`test/docs/fidelity.slow.test.ts\` checks the figures of Office files,
\`test/formats/pdf-corpus.slow.test.ts\` those of PDFs. Differences are **bold**.`;

/** Renders the complete page. */
export function renderReport(sections: readonly Section[]): string {
  return `${[introduction, ...sections.map(renderSection)].join('\n\n')}\n`;
}

export function renderSection({ title, notes, tables }: Section): string {
  const parts = tables
    .filter(({ notes, rows }) => notes || rows.length > 0)
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

/** The page without the results of programs that are not installed everywhere. */
export function withoutJudges(page: string): string {
  return page.replace(/^(\| opened by \w+ \|).*$/gm, '$1 … |').replace(/^\| saved by .*\n/gm, '');
}
