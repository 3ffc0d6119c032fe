import { onlyPositionOf } from '../inline-content.ts';
import { readPositionedXml } from '../office/xml-reader.ts';
import { decodeCellText, textElement } from './cell-text.ts';

/** A run of a rich text: a text with one formatting. */
interface Run {
  /** The XML of the `rPr` element; '' if the run has none. */
  properties: string;
  text: string;
}

/** The new content of a string item. */
export interface RichText {
  xml: string;
  /** Whether words of the new text lack the formatting that the old text has. */
  hasLostFormat: boolean;
}

/** The maximum number of runs whose formatting is kept. */
const maxRuns = 50;

/**
 * Returns the XML of a string item with a new text. The text gets the formatting that most of the old characters have.
 * Other formatting stays on the words that are in both texts, such as the raised figure of `m2` or a name.
 *
 * @param old the XML inside of the old item
 * @param prefix the namespace prefix of its elements, with the colon
 */
export function richText(old: string, prefix: string, text: string): RichText {
  const runs = runsOf(old, prefix);
  if (runs.length === 0) return { xml: textElement(prefix, text), hasLostFormat: false };
  const usual = usualProperties(runs);
  const formatted = runs.filter(({ properties, text: own }) => properties !== usual && own.trim() !== '');
  const spans: { start: number; end: number; properties: string }[] = [];
  for (const run of formatted.slice(0, maxRuns)) {
    const words = run.text.trim();
    const start = placeOf(text, words, contextOf(runs, run));
    const end = start + words.length;
    if (start >= 0 && !spans.some((span) => start < span.end && span.start < end))
      spans.push({ start, end, properties: run.properties });
  }
  const hasLostFormat = spans.length < formatted.length;
  if (spans.length === 0 && usual === '') return { xml: textElement(prefix, text), hasLostFormat };
  spans.sort((one, other) => one.start - other.start);
  let xml = '';
  let at = 0;
  const append = (end: number, properties: string): void => {
    if (end > at) xml += `<${prefix}r>${properties}${textElement(prefix, text.slice(at, end))}</${prefix}r>`;
    at = end;
  };
  for (const { start, end, properties } of spans) {
    append(start, usual);
    append(end, properties);
  }
  append(text.length, usual);
  return { xml, hasLostFormat };
}

/** Returns the word before a run if the run continues this word, such as `m` before a raised 2; otherwise ''. */
function contextOf(runs: readonly Run[], run: Run): string {
  const before = runs[runs.indexOf(run) - 1]?.text ?? '';
  return /^\s/.test(run.text) ? '' : /[\p{L}\p{N}]{0,20}$/u.exec(before)![0];
}

function placeOf(text: string, words: string, context: string): number {
  const at = onlyPositionOf(text, context + words);
  if (at >= 0) return at + context.length;
  return context === '' ? -1 : onlyPositionOf(text, words);
}

function usualProperties(runs: readonly Run[]): string {
  const lengths = new Map<string, number>();
  for (const { properties, text } of runs)
    lengths.set(properties, (lengths.get(properties) ?? 0) + text.length);
  let usual = '';
  let most = -1;
  for (const [properties, length] of lengths) if (length > most) [usual, most] = [properties, length];
  return usual;
}

/** Reads the runs of a string item. An item with plain text has none. */
function runsOf(xml: string, prefix: string): Run[] {
  const runs: Run[] = [];
  if (!xml.includes(`<${prefix}r>`)) return runs;
  let depth = 0;
  let start = 0;
  let inRun = false;
  let isText = false;
  let written = '';
  const source = `<item>${xml}</item>`;
  readPositionedXml(source, {
    openTag: (tag) => {
      depth++;
      // Phonetic runs have texts, too, but they are not part of the text.
      if (depth === 2) inRun = tag.name === `${prefix}r`;
      if (depth === 2 && inRun) runs.push({ properties: '', text: '' });
      if (depth === 3 && tag.name === `${prefix}rPr`) start = tag.start;
      isText = inRun && depth === 3 && tag.name === `${prefix}t`;
      written = '';
    },
    closeTag: (tag) => {
      const run = runs.at(-1);
      if (run && inRun && depth === 3 && tag.name === `${prefix}rPr`)
        run.properties = source.slice(start, tag.end);
      if (run && depth === 3 && isText) run.text += decodeCellText(written);
      isText = false;
      depth--;
    },
    text: (text) => {
      if (isText) written += text;
    },
  });
  return runs;
}
