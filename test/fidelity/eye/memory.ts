import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Human translations of the paragraphs of a document, by the normalized text of the source. */
export type Memory = ReadonlyMap<string, string>;

/** The spaces, letter case and marks of a text differ between a file and the text that it was made from. */
export function normalized(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\u00ad]+/g, ' ')
    .trim();
}

/** A paragraph, or the cells of a row, without the marks of Markdown. */
function textsOf(line: string): string[] {
  const text = line
    .replace(/^\s*(?:#+|[-*+]|\d+\.)\s+/, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|__|`|<[^>]*>/g, '')
    .replace(/(?<!\w)[*_]([^*_]+)[*_](?!\w)/g, '$1');
  const cells = text.includes('|') ? text.split('|') : [text];
  return cells.map((cell) => cell.trim());
}

/**
 * Aligns two Markdown files line by line. If they have different numbers of lines, only rows of tables are aligned, by
 * their first cells.
 */
export function alignMarkdown(source: string, target: string): [source: string, target: string][] {
  const [sources, targets] = [source, target].map((text) => text.split('\n').map(textsOf));
  const rows = new Map(targets!.filter(({ length }) => length > 2).map((cells) => [cells[1]!, cells]));
  const isAligned = sources!.length === targets!.length;
  return sources!.flatMap((cells, index) => {
    const other = isAligned ? targets![index]! : (rows.get(cells[1] ?? '') ?? []);
    if (cells.length !== other.length) return [];
    return cells.flatMap((cell, place): [string, string][] =>
      /\p{L}/u.test(cell) && other[place] !== '' ? [[cell, other[place]!]] : [],
    );
  });
}

/** Reads the Markdown files of two languages, which have a directory each. Files with the same name are aligned. */
export function readMemory(directory: string, from: string, to: string): Memory {
  const memory = new Map<string, string>();
  for (const name of readdirSync(join(directory, from)).filter((name) => name.endsWith('.md'))) {
    const [source, target] = [from, to].map((language) => join(directory, language, name));
    if (!existsSync(target!)) continue;
    for (const [text, translation] of alignMarkdown(
      readFileSync(source!, 'utf8'),
      readFileSync(target!, 'utf8'),
    ))
      memory.set(normalized(text), translation);
  }
  return memory;
}

/** Parts of paragraphs with fewer letters occur in many paragraphs. */
const shortest = 30;

/**
 * Finds the translation of a paragraph. A part of a paragraph, such as its end on the next page, has the same part of
 * the translation.
 */
export function findInMemory(memory: Memory, text: string): string | null {
  const wanted = normalized(text);
  const found = memory.get(wanted);
  if (found !== undefined || wanted.length < shortest) return found ?? null;
  for (const [source, target] of memory) {
    const at = source.indexOf(wanted);
    if (at === -1) continue;
    const words = target.split(/(?<=\s)/);
    const share = (offset: number) => Math.round((offset / source.length) * words.length);
    return (
      words
        .slice(share(at), share(at + wanted.length))
        .join('')
        .trim() || null
    );
  }
  return null;
}
