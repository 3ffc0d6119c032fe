import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { layoutFormats } from '#server/formats/layout-formats.ts';
import { kindOfExtension, type LayoutKind } from '#server/formats/layout-kinds.ts';
import { protectText } from '#server/translation/core/pipeline/protected-words.ts';

/** Translates text files, and has `text-judge.py` compare them with their sources and receipts. */

const python = '/usr/bin/python3';
const options = { sourceLanguage: 'en', targetLanguage: 'de' };

/** Whether the parsers of the judge are installed. */
export const hasTextJudge = spawnSync(python, ['-c', 'import yaml, polib, lxml, markdown_it']).status === 0;

/** Adds a mark to each letter, as an engine that changes all words. It gets placeholders as tags, and keeps elements. */
function marked(content: InlineContent): InlineContent {
  return content.map((item) => {
    if (typeof item !== 'string') return item;
    const given = protectText(item, options.sourceLanguage, []);
    const parts = (given?.text ?? item).split(/(<\/?\w(?:[^<>]|<\d+\/>)*>|https?:[^\s<>)"']+|&\w+;)/);
    const reply = parts.map((part, at) => (at % 2 ? part : part.replace(/\p{L}/gu, '$&\u0359'))).join('');
    return given ? given.restore(reply)! : reply;
  });
}

export interface TranslatedFile {
  kind: LayoutKind;
  segments: number;
  /** The file with translations, and with translations that equal their sources. */
  bytes: Uint8Array;
  identity: Uint8Array;
  /** The characters that stay, by reason. */
  counted: Record<string, number>;
  unaccounted: number;
}

/** @throws {FileError} for a file that is rejected */
export async function translateFile(name: string, bytes: Uint8Array): Promise<TranslatedFile> {
  const kind = kindOfExtension(extname(name).slice(1).toLowerCase())!;
  const { extract, rebuild } = await layoutFormats[kind]();
  const { segments, outcome } = await extract(bytes, options);
  const write = async (change: (source: InlineContent) => InlineContent) => {
    const translations = segments.map(({ regionId, cellId, source }) => ({
      ...{ regionId, cellId },
      target: change(source),
    }));
    return (await rebuild(bytes, translations, options)).bytes;
  };
  return {
    kind,
    segments: segments.length,
    bytes: await write(marked),
    identity: await write((source) => source),
    counted: Object.fromEntries(outcome!.kept.map(({ reason, characters }) => [reason, characters])),
    unaccounted: outcome!.unaccounted,
  };
}

export interface Verdict {
  /** The changes of code that a program reads. */
  broken: string[];
  /** The texts that are neither translated nor counted. */
  lost: string[];
  texts: number;
  translated: number;
}

/** Judges translated files. */
export function judgeFiles(
  files: readonly (Pick<TranslatedFile, 'kind' | 'bytes' | 'counted'> & {
    name: string;
    source: Uint8Array;
  })[],
): Verdict[] {
  const folder = mkdtempSync(join(tmpdir(), 'text-judge-'));
  const save = (name: string, bytes: Uint8Array) => {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
  };
  const input = files.map(({ name, kind, source, bytes, counted }, at) => ({
    kind,
    source: save(`${at}-source-${basename(name)}`, source),
    result: save(`${at}-result-${basename(name)}`, bytes),
    counted,
  }));
  const script = join(import.meta.dirname, 'text-judge.py');
  const output = execFileSync(python, [script], {
    input: JSON.stringify(input),
    maxBuffer: 1e9,
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  return JSON.parse(output);
}
