import { type Counts, countEach, type FileFidelity, type FormatFidelity, isSame } from './format-fidelity.ts';

/** What was measured of one format. */
export interface FormatResult {
  format: FormatFidelity;
  files: readonly FileFidelity[];
  /** By name; null if the judge is not installed. */
  opened: ReadonlyMap<string, boolean> | null;
}

const introduction = `# Fidelity

What a translated file has in common with its source, for every file of the corpus ([test/corpus](../test/corpus/README.md)).
\`npm run fidelity\` writes this page. It translates each file with the stub engine, which puts \`[fr]\` before each text, and compares
the result with the source. The walks over the XML share no code with the format engines. \`test/docs/fidelity.test.ts\` fails when
the page says something else than the code gives.

A number in the last table of a format is how many things of a kind are the same before and after. Where any of them differ, both
numbers are there, in bold.`;

/** Writes the page. */
export function renderReport(results: readonly FormatResult[]): string {
  return `${[introduction, ...results.map(renderFormat)].join('\n\n')}\n`;
}

function renderFormat({ format, files, opened }: FormatResult): string {
  const kinds = files[0]!.comparisons.map(({ kind }) => kind);
  return [
    `## ${format.title}`,
    format.notes,
    '### Texts',
    table(
      ['file', 'found', 'translated once', 'kept, by where they stand'],
      [...files, totalOf(files)].map(({ name, found, translatedOnce, kept }) => [
        name,
        `${found}`,
        found === translatedOnce ? `${found}` : `**${translatedOnce}**`,
        listCounts(kept),
      ]),
    ),
    '### Parts',
    table(
      ['file', 'parts', 'changed', 'the same bytes', `opened by ${format.judge}`, 'findings'],
      files.map(({ name, parts, changedParts, findings }) => [
        name,
        `${parts}`,
        `${changedParts}`,
        `${parts - changedParts}`,
        opened === null ? 'not tried' : opened.get(name) ? 'yes' : '**no**',
        listCounts(countEach(findings.map(({ code }) => code))),
      ]),
    ),
    '### What else is compared',
    table(
      ['file', ...kinds],
      files.map(({ name, comparisons }) => [
        name,
        ...comparisons.map((comparison) =>
          isSame(comparison)
            ? `${comparison.before.length}`
            : `**${comparison.before.length} → ${comparison.after.length}**`,
        ),
      ]),
    ),
  ].join('\n\n');
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

function listCounts(counts: Counts): string {
  return [...counts].map(([kind, count]) => `${kind}: ${count}`).join(', ');
}

/** Columns of numbers are set right. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const isNumeric = (column: number): boolean => rows.every((row) => /^[\d*→ ]+$/.test(row[column]!));
  const rule = `|${head.map((_, column) => (isNumeric(column) ? '--:|' : '---|')).join('')}`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

/** The page without what the judges found: they are not installed everywhere. */
export function withoutJudges(page: string): string {
  return page.replace(/\| (?:yes|\*\*no\*\*|not tried) \|/g, '| … |');
}
