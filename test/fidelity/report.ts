/** What the page says of one format. */
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

/** Counts equal strings, in the order of their first occurrence. */
export function countEach(values: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

export function listCounts(counts: Counts): string {
  return [...counts].map(([kind, count]) => `${kind}: ${count}`).join(', ');
}

const introduction = `# Fidelity

What a translated file has in common with its source, for every file of the corpus ([test/corpus](../test/corpus/README.md)).
\`npm run fidelity\` writes this page. It translates each file with the stub engine, which puts \`[fr]\` before each text, and compares
the result with the source. What compares them shares no code with the format engines. \`test/docs/fidelity.test.ts\` fails when the
page says something else of an Office file than the code gives; \`test/formats/pdf-corpus.test.ts\` holds what is said of PDFs.

Where things of one kind are counted, a number is how many of them are the same before and after. Where any of them differ, both
numbers are there, in bold.`;

/** Writes the page. */
export function renderReport(sections: readonly Section[]): string {
  return `${[introduction, ...sections.map(renderSection)].join('\n\n')}\n`;
}

export function renderSection({ title, notes, tables }: Section): string {
  const parts = tables.map(({ title, notes, head, rows }) =>
    [`### ${title}`, ...(notes ? [notes] : []), renderTable(head, rows)].join('\n\n'),
  );
  return [`## ${title}`, notes, ...parts].join('\n\n');
}

/** Columns of numbers are set right. */
function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const isNumeric = (column: number): boolean => rows.every((row) => /^[\d*→ .%]+$/.test(row[column]!));
  const rule = `|${head.map((_, column) => (isNumeric(column) ? '--:|' : '---|')).join('')}`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

/** The page without what the judges found: they are not installed everywhere. */
export function withoutJudges(page: string): string {
  return page.replace(/\| (?:yes|\*\*no\*\*|not tried) \|/g, '| … |');
}
