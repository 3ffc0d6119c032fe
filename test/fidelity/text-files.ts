import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { FileError } from '#server/formats/file-error.ts';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { layoutFormats } from '#server/formats/layout-formats.ts';
import { kindOfExtension, type LayoutKind } from '#server/formats/layout-kinds.ts';

/**
 * Translates real text files, and compares them with their sources by independent parsers (`text-judge.py`):
 * `node test/fidelity/text-files.ts FOLDER...`. Prints a row of a Markdown table for each format, and the faults.
 */

const [open, close] = ['⟦', '⟧'];

interface Measured {
  path: string;
  kind: LayoutKind;
  /** `same`: without translations, the file is as it was. */
  fault: string | null;
  refused: string | null;
  segments: number;
  before: string[];
  after: string[];
}

/** The formats that other programs measure. */
const elsewhere: readonly LayoutKind[] = ['pdf', 'docx', 'xlsx', 'pptx'];

/** The files of a folder with their formats, at most `most` of each format: every second or third one if there are more. */
function findFiles(folder: string, most: number): { path: string; kind: LayoutKind }[] {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .flatMap((path) => {
      const kind = kindOfExtension(extname(path).slice(1).toLowerCase());
      return kind && !elsewhere.includes(kind) ? [{ path, kind }] : [];
    });
  return [...Map.groupBy(found, ({ kind }) => kind).values()].flatMap((files) => {
    const step = Math.max(1, files.length / most);
    return Array.from({ length: Math.min(files.length, most) }, (_, at) => files[Math.floor(at * step)]!);
  });
}

const options = { sourceLanguage: 'en', targetLanguage: 'de' };

async function translate(kind: LayoutKind, bytes: Uint8Array) {
  const { extract, rebuild } = await layoutFormats[kind]();
  const { segments, outcome } = await extract(bytes, options);
  const write = async (target: (source: InlineContent) => InlineContent) =>
    (
      await rebuild(
        bytes,
        segments.map(({ regionId, cellId, source }) => ({ regionId, cellId, target: target(source) })),
        options,
      )
    ).bytes;
  const untouched = (await rebuild(bytes, [], options)).bytes;
  return {
    segments: segments.length,
    unaccounted: outcome?.unaccounted ?? 0,
    untouched,
    identity: await write((source) => source),
    marked: await write((source) => [open, ...source, close]),
  };
}

function judge(files: readonly { kind: LayoutKind; path: string }[]): (string[] | string)[] {
  const input = files.map(({ kind, path }) => `${kind}\t${path}\n`).join('');
  const script = join(import.meta.dirname, 'text-judge.py');
  const output = execFileSync('/usr/bin/python3', [script], { input, maxBuffer: 1e9, encoding: 'utf8' });
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Formats that have the source and the translation: equal translations are written, too. */
const bilingual: readonly LayoutKind[] = ['po', 'xcstrings', 'xliff'];

async function measure(files: readonly { path: string; kind: LayoutKind }[]): Promise<Measured[]> {
  const folder = mkdtempSync(join(tmpdir(), 'text-files-'));
  const measured: Measured[] = [];
  const sources = judge(files);
  for (const [at, { path, kind }] of files.entries()) {
    const one: Measured = { path, kind, fault: null, refused: null, segments: 0, before: [], after: [] };
    measured.push(one);
    const bytes = readFileSync(path);
    try {
      const { segments, unaccounted, untouched, identity, marked } = await translate(kind, bytes);
      one.segments = segments;
      if (!bilingual.includes(kind) && Buffer.compare(untouched, identity) !== 0)
        one.fault = 'the identity differs';
      if (unaccounted > 0) one.fault = `${unaccounted} characters are unaccounted`;
      const written = join(folder, `${at}${extname(path)}`);
      writeFileSync(written, marked);
      const before = sources[at]!;
      const [after] = judge([{ kind, path: written }]) as [string[] | string];
      if (typeof before === 'string') one.refused = `judge: ${before}`;
      else if (typeof after === 'string') one.fault = `the result cannot be read: ${after}`;
      else Object.assign(one, { before, after });
    } catch (error) {
      if (error instanceof FileError) one.refused = error.message;
      else one.fault = String(error);
    }
  }
  rmSync(folder, { recursive: true });
  return measured;
}

function report(kind: LayoutKind, files: readonly Measured[]): void {
  const read = files.filter(({ refused }) => refused === null);
  let [once, wrong, kept, lost] = [0, 0, 0, 0];
  for (const file of read) {
    // A sentence may run over several cues, and a plural form may be added or removed.
    const isMarkup = kind === 'html' || kind === 'md';
    const isJoined = kind === 'srt' || kind === 'vtt';
    if (isJoined && file.before.length !== file.after.length) {
      lost++;
      console.error(`  ${file.path}: ${file.before.length} cues became ${file.after.length}`);
    }
    for (const text of isJoined ? [file.after.join('\n')] : file.after) {
      const outside = text.replaceAll(/⟦[^⟦⟧]*⟧/g, '');
      const found = text.split(open).length - 1;
      const isLeft = /\p{L}/u.test(outside.replaceAll(/<[^<>]*>|\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g, ''));
      if (/[⟦⟧]/.test(outside)) wrong++;
      // The rest of an ICU message is its syntax.
      else once += found;
      if (isLeft && (found === 0 || isJoined || isMarkup)) kept++;
    }
  }
  const faults = read.filter(({ fault }) => fault !== null);
  const refused = files.length - read.length;
  console.log(
    `| ${kind} | ${read.length} | ${refused} | ${once + wrong + kept} | ${once} | ${kept} | ${wrong} | ${faults.length + lost} |`,
  );
  for (const { path, fault } of faults.slice(0, 10)) console.error(`  ${path}: ${fault}`);
  for (const { path, refused } of files.filter(({ refused }) => refused !== null).slice(0, 10))
    console.error(`  refused ${path}: ${refused}`);
}

const files = process.argv.slice(2).flatMap((folder) => findFiles(folder, 60));
console.log(
  '| format | files | refused | texts | translated once | kept | wrong | files with faults |\n|---|---|---|---|---|---|---|---|',
);
for (const [kind, own] of Map.groupBy(await measure(files), ({ kind }) => kind)) report(kind, own);
