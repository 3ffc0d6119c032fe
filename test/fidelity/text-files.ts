import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { FileError } from '#server/formats/file-error.ts';
import { kindOfExtension, type LayoutKind, layoutKinds } from '#server/formats/layout-kinds.ts';
import { judgeFiles, translateFile } from './text-judge.ts';

/**
 * Translates real text files, and judges them by independent parsers (`text-judge.py`):
 * `node test/fidelity/text-files.ts FOLDER...`. Prints a row of a Markdown table for each format, and the faults.
 */

/** Formats that have the source and the translation: equal translations are written, too. */
const bilingual: readonly LayoutKind[] = ['po', 'xcstrings', 'xliff'];

/** The text files of a folder with their formats, at most `most` of each format: every second or third one if there are more. */
function findFiles(folder: string, most: number): { path: string; kind: LayoutKind }[] {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .flatMap((path) => {
      const kind = kindOfExtension(extname(path).slice(1).toLowerCase());
      return kind && /^(?:text|markdown)$/.test(layoutKinds[kind].reader) ? [{ path, kind }] : [];
    });
  return [...Map.groupBy(found, ({ kind }) => kind).values()].flatMap((files) => {
    const step = Math.max(1, files.length / most);
    return Array.from({ length: Math.min(files.length, most) }, (_, at) => files[Math.floor(at * step)]!);
  });
}

interface Sums {
  files: number;
  refused: number;
  texts: number;
  translated: number;
  broken: number;
  lost: number;
}

async function judge(path: string, kind: LayoutKind, sums: Sums): Promise<void> {
  const source = readFileSync(path);
  sums.files++;
  const report = (fault: string) => console.error(`  ${path}: ${fault}`);
  const file = await translateFile(path, source).catch((error: unknown) => {
    if (!(error instanceof FileError)) throw error;
    sums.refused++;
    report(`refused: ${error.message}`);
  });
  if (!file) return;
  const [verdict] = judgeFiles([{ ...file, name: path, source }]);
  const { broken, lost, texts, translated } = verdict!;
  if (file.unaccounted > 0) lost.push(`${file.unaccounted} characters are unaccounted`);
  if (!bilingual.includes(kind) && /\.(?:html?|xhtml|mdx?|json)$/.test(path) && file.segments === 0)
    if (Buffer.compare(source, file.identity) !== 0) broken.push('a file without texts differs');
  sums.texts += texts;
  sums.translated += translated;
  if (broken.length > 0) sums.broken++;
  if (lost.length > 0) sums.lost++;
  for (const fault of [...broken, ...lost].slice(0, 10)) report(fault);
}

console.log(
  '| format | files | refused | texts | translated | files with broken code | files with lost texts |',
);
console.log('|---|--:|--:|--:|--:|--:|--:|');
const files = process.argv.slice(2).flatMap((folder) => findFiles(folder, 60));
for (const [kind, own] of Map.groupBy(files, (one) => one.kind)) {
  const sums: Sums = { files: 0, refused: 0, texts: 0, translated: 0, broken: 0, lost: 0 };
  for (const { path } of own) await judge(path, kind, sums);
  console.log(`| ${kind} | ${Object.values(sums).join(' | ')} |`);
}
