import { type InlineContent, plainText } from '../inline-content.ts';
import { isUnchanged } from '../office/paragraph/paragraph-writer.ts';
import type { PlacedText } from '../office/paragraph/placed-texts.ts';
import type { Token } from '../office/paragraph/tokens.ts';
import { letter } from '../text.ts';

/*
 * Drop caps. Word has the large letters at the beginning of a paragraph in a separate paragraph with a frame, which
 * precedes the rest. Both are one text.
 */

/** The maximum length of large letters. They are usually one letter, or the first word. */
const maxOpening = 40;

const frame = /<(?:[\w.-]+:)?framePr\b[^<>]*/;
const dropCap = /\bdropCap\s*=\s*["'](?:drop|margin)["']/;

/**
 * Whether a paragraph holds the large letters of the next one.
 *
 * @param properties the XML of its `pPr` element
 * @param tokens its content, which may have nothing but text
 * @param isOfStyle whether its style has such a frame
 */
export function isDropCap(properties: string, tokens: readonly Token[], isOfStyle: boolean): boolean {
  const [current = ''] = properties.split(/<[\w.-]*:?pPrChange\b/, 1);
  const own = frame.exec(current)?.[0];
  return (
    (own === undefined ? isOfStyle : dropCap.test(own)) &&
    tokens.every(({ type }) => type === 'text' || type === 'marker') &&
    openingOf(tokens).trim().length <= maxOpening
  );
}

function openingOf(tokens: readonly Token[]): string {
  return tokens.map(({ type, text }) => (type === 'text' ? text : '')).join('');
}

/**
 * Returns the content of a paragraph with its large letters, as a text that is written as nothing; undefined if the
 * paragraph does not begin with text.
 *
 * @param large the content of the paragraph before it, which holds the large letters
 */
export function withOpening(large: readonly Token[], tokens: readonly Token[]): Token[] | undefined {
  const at = tokens.findIndex(({ type }) => type !== 'marker' && type !== 'open');
  const first = tokens[at];
  if (first?.type !== 'text' || !tokens.some(({ type, text }) => type === 'text' && letter.test(text)))
    return undefined;
  const opening = openingOf(large);
  const { start, page } = large[0]!;
  const text = /^\s/.test(first.text) ? opening.trimEnd() : opening;
  return [...tokens.slice(0, at), { ...first, raw: '', text, start, page }, ...tokens.slice(at)];
}

/** The letters and signs of scripts whose letters are joined, so that a single letter would have another form. */
const joined = /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Adlam}]/u;
/** Signs before the first letter, such as quotation marks, and a word. */
const signs = /^[\p{P}\p{S}\p{Z}]{0,4}/u;
const word = /^[\p{L}\p{M}\p{N}\u200c\u200d]{1,40}/u;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The translation of a paragraph with large letters. */
interface SplitTarget {
  /** The translation of the large letters. */
  opening: InlineContent;
  /** The paragraph's first text and its translation after the large letters. */
  text: PlacedText;
  rest: InlineContent;
}

/**
 * Splits the translation of a paragraph with large letters.
 *
 * @param large the large letters of the source
 * @param text the first text of the paragraph, with the large letters
 * @param target the translation of the text
 * @param keepsUnchanged whether a text stays that equals its source
 * @returns undefined if the text has no translation, or stays
 */
export function splitDropCap(
  large: PlacedText,
  text: PlacedText,
  target: InlineContent | undefined,
  keepsUnchanged: boolean,
): SplitTarget | undefined {
  if (!target || (keepsUnchanged && isUnchanged(text.content, target))) return undefined;
  const source = plainText(large.content.source);
  const next = plainText(text.content.source).slice(source.length);
  const isWord = letters(source).length > 1 && !/^[\p{L}\p{M}]/u.test(next);
  const { opening, rest } = splitAfter(target, isWord);
  const [first] = rest;
  const leadingSpace = typeof first === 'string' ? /^\s*/.exec(first)![0] : '';
  return { opening: [opening], text: { ...text, content: { ...text.content, leadingSpace } }, rest };
}

function letters(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * Splits a translation after its first letter or its first word. Letters of a script that joins them stay together.
 * Quotation marks before the first letter are large, too.
 */
function splitAfter(target: InlineContent, isWord: boolean): { opening: string; rest: InlineContent } {
  const index = target.findIndex((item) => typeof item === 'string' && item.trim() !== '');
  const first = target[index];
  if (typeof first !== 'string') return { opening: '', rest: [...target] };
  const text = first.trimStart();
  const before = signs.exec(text)![0];
  const after = text.slice(before.length, before.length + 100);
  const ofWord = isWord || joined.test(after.slice(0, 2)) ? word.exec(after)?.[0] : undefined;
  const [grapheme] = graphemes.segment(after);
  const opening = before + (ofWord ?? grapheme?.segment ?? '');
  const rest = text.slice(opening.length);
  return {
    opening,
    rest: target.flatMap((item, at) => (at !== index ? [item] : rest === '' ? [] : [rest])),
  };
}
