import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { FileError } from '#server/formats/file-error.ts';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { extract, rebuild } from '#server/formats/pptx.ts';
import type { Includable } from '#server/formats/selection.ts';

/**
 * Translates real presentations, and compares them with their sources by python-pptx (`slides-judge.py`):
 * `node test/fidelity/slides.ts FOLDER...`. Prints a row of a Markdown table, and the faults. If python-pptx is not
 * installed, PYTHONPATH may name its folder. Without it or without files, the program prints the reason and ends.
 */

const [open, close] = ['⟦', '⟧'];
const include: Includable[] = ['comments', 'masters', 'hidden'];
const options = { sourceLanguage: 'en', targetLanguage: 'de', include };
const python = '/usr/bin/python3';

interface Measured {
  path: string;
  segments: number;
  refused?: string;
  faults: string[];
  /** The texts of the source and of the translation. */
  before: string[];
  after: string[];
}

function judge(paths: readonly string[]): (string[] | string)[] {
  const script = join(import.meta.dirname, 'slides-judge.py');
  const input = paths.map((path) => `${path}\n`).join('');
  const output = execFileSync(python, [script], { input, maxBuffer: 1e9, encoding: 'utf8' });
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function translate(path: string, marked: string): Promise<Measured> {
  const measured: Measured = { path, segments: 0, faults: [], before: [], after: [] };
  try {
    const bytes = readFileSync(path);
    const { segments, outcome } = await extract(bytes, options);
    measured.segments = segments.length;
    const write = async (target: (source: InlineContent) => InlineContent) =>
      (
        await rebuild(
          bytes,
          segments.map(({ regionId, cellId, source }) => ({ regionId, cellId, target: target(source) })),
          options,
        )
      ).bytes;
    const same = await write((source) => source);
    if (Buffer.compare(same, bytes) !== 0) measured.faults.push('the identity differs');
    if (outcome?.unaccounted) measured.faults.push(`${outcome.unaccounted} characters are unaccounted`);
    writeFileSync(marked, await write((source) => [open, ...source, close]));
  } catch (error) {
    if (error instanceof FileError) measured.refused = error.message;
    else measured.faults.push(String(error));
  }
  return measured;
}

/** A text without marks. Spaces that form columns become fewer if the text before them grows, so their number is ignored. */
const plainOf = (text: string): string =>
  text.replaceAll(/[⟦⟧\u00ad]/g, '').replaceAll(/[ \u00a0]{2,}/g, '  ');

/** Compares the texts of the translation with those of the source. */
function compare(one: Measured, counts: { once: number; kept: number; wrong: number }): void {
  if (one.before.length !== one.after.length)
    one.faults.push(`${one.before.length} paragraphs became ${one.after.length}`);
  for (const [index, text] of one.after.entries()) {
    const outside = text.replaceAll(/⟦[^⟦⟧]*⟧/g, '');
    const before = one.before[index] ?? '';
    if (/[⟦⟧]/.test(outside) || plainOf(text) !== plainOf(before)) {
      counts.wrong++;
      one.faults.push(`wrong: ${JSON.stringify(before)} became ${JSON.stringify(text)}`);
    } else if (/\p{L}/u.test(outside)) {
      counts.kept++;
      one.faults.push(`kept: ${JSON.stringify(text)}`);
    } else if (text !== outside) counts.once++;
  }
}

async function main(folders: readonly string[]): Promise<void> {
  const files = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, `${name}`)))
    .filter((path) => path.endsWith('.pptx'))
    .sort();
  if (files.length === 0) return console.log('skipped: no PPTX file in the folders');
  if (spawnSync(python, ['-c', 'import pptx']).status !== 0)
    return console.log('skipped: python-pptx is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'slides-'));
  const measured: Measured[] = [];
  const pathOf = (index: number): string => join(folder, `${index}.pptx`);
  for (const [index, path] of files.entries()) measured.push(await translate(path, pathOf(index)));
  const read = measured.flatMap((one, index) =>
    existsSync(pathOf(index)) ? [{ one, marked: pathOf(index) }] : [],
  );
  const texts = judge(read.flatMap(({ one, marked }) => [one.path, marked]));
  const counts = { once: 0, kept: 0, wrong: 0 };
  let unread = 0;
  for (const [index, { one }] of read.entries()) {
    const [before, after] = [texts[2 * index]!, texts[2 * index + 1]!];
    if (typeof before === 'string') unread++;
    else if (typeof after === 'string') one.faults.push(`the result cannot be read: ${after}`);
    else {
      Object.assign(one, { before, after });
      compare(one, counts);
    }
  }
  rmSync(folder, { recursive: true });
  const refused = measured.filter((one) => one.refused !== undefined);
  const faulty = measured.filter(({ faults }) => faults.length > 0);
  const segments = measured.reduce((sum, one) => sum + one.segments, 0);
  console.log(
    '| files | refused | not read by the judge | segments | texts translated once | kept | wrong | files with faults |',
  );
  console.log('|---|---|---|---|---|---|---|---|');
  console.log(
    `| ${read.length} | ${refused.length} | ${unread} | ${segments} | ${counts.once} | ${counts.kept} | ${counts.wrong} | ${faulty.length} |`,
  );
  for (const { path, faults } of faulty)
    console.error(`  ${basename(path)}: ${faults.slice(0, 3).join('; ').slice(0, 500)}`);
  for (const one of refused) console.error(`  refused ${basename(one.path)}: ${one.refused}`);
}

await main(process.argv.slice(2));
