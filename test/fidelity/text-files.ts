import { extname } from 'node:path';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { kindOfExtension, type LayoutKind, layoutKinds } from '#server/formats/layout-kinds.ts';
import { protectText } from '#server/translation/pipeline/protected-words.ts';
import { openFile } from './opened-file.ts';
import { type FolderJudge, hasModules, runJudge, withSaved } from './strangers.ts';

const options = { sourceLanguage: 'en', targetLanguage: 'de' };

/** Whether the parsers of the judge are installed. */
export const hasTextJudge = hasModules('yaml, polib, lxml, markdown_it');

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
  const kind = kindOf(name)!;
  const file = await openFile(kind, bytes, options);
  const write = async (change: (source: InlineContent) => InlineContent) =>
    (await file.write(({ source }) => change(source), options)).bytes;
  const { kept, unaccounted } = file.outcome!;
  return {
    kind,
    segments: file.segments.length,
    bytes: await write(marked),
    identity: await write((source) => source),
    counted: Object.fromEntries(kept.map(({ reason, characters }) => [reason, characters])),
    unaccounted,
  };
}

const kindOf = (path: string) => kindOfExtension(extname(path).slice(1).toLowerCase());

export interface Verdict {
  /** The changes of code that a program reads. */
  broken: string[];
  /** The texts that are neither translated nor counted. */
  lost: string[];
  texts: number;
  translated: number;
}

/** Has `text-judge.py` compare a translated file with its source and its receipt. */
export function judgeText(
  name: string,
  source: Uint8Array,
  { kind, bytes, counted }: Pick<TranslatedFile, 'kind' | 'bytes' | 'counted'>,
): Verdict {
  const files = [
    [name, source],
    [name, bytes],
  ] as const;
  return withSaved(
    files,
    ([source, result]) =>
      JSON.parse(runJudge('text-judge.py', JSON.stringify([{ kind, source, result, counted }])))[0],
  );
}

/** Formats that have the source and the translation: equal translations are written, too. */
const bilingual: readonly LayoutKind[] = ['po', 'xcstrings', 'xliff'];

/** Text files, judged by independent parsers. */
export const textFiles: FolderJudge<LayoutKind> = {
  title: 'Text files',
  missing: () => (hasTextJudge ? undefined : 'the judge needs python3-polib and others'),
  kindOf: (path) => {
    const kind = kindOf(path);
    return kind && /^(?:text|markdown)$/.test(layoutKinds[kind].reader) ? kind : undefined;
  },
  most: 60,
  counts: ['texts', 'translated', 'with broken code', 'with lost texts'],
  async judge(path, source, kind) {
    const file = await translateFile(path, source);
    const { broken, lost, texts, translated } = judgeText(path, source, file);
    if (file.unaccounted > 0) lost.push(`${file.unaccounted} characters are unaccounted`);
    if (!bilingual.includes(kind) && /\.(?:html?|xhtml|mdx?|json)$/.test(path) && file.segments === 0)
      if (Buffer.compare(source, file.identity) !== 0) broken.push('a file without texts differs');
    const counts = [texts, translated, Math.min(1, broken.length), Math.min(1, lost.length)];
    return { counts, faults: [...broken, ...lost] };
  },
};
