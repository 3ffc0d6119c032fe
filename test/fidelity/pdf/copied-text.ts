import { type InlineContent, plainText } from '#server/formats/inline-content.ts';
import { partsOf } from '#server/formats/pdf/continuations.ts';
import { pageOfBlock } from '#server/formats/pdf/text-block.ts';
import { textByPdftotext } from '#test/formats/golden-pdf-readers.ts';
import type { TranslatedFile, TranslatedSegment } from './translated-file.ts';
import { wordsOf } from './words.ts';

/** The translations that pdftotext finds in a file. */
export interface CopiedText {
  /** Segments whose translation is on their page. Each segment needs its own occurrence. */
  copied: TranslatedSegment[];
  missed: TranslatedSegment[];
}

const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;

/**
 * Searches for each translation in the text of its page, in the order of the content. Spaces are ignored, because line
 * ends change them. Found text is removed from the page, so that each segment needs its own occurrence. The longest
 * translations are searched first, because they may contain others. In lines of right-to-left text, Poppler returns the
 * words from left to right, so these translations are searched word by word.
 */
export function findTranslations({ bytes, segments }: TranslatedFile): CopiedText {
  const pages = textByPdftotext(bytes, '-raw').split('\f');
  const rests = pages.map(withoutSpaces);
  const words = pages.map((page) => wordsOf(withoutMarks(page)));
  const found = (segment: TranslatedSegment): boolean => {
    const text = plainText(segment.target);
    const at = segment.page - 1;
    const parts = partsOf(segment.regionId);
    if (parts.length > 1 && takeParts(rests, withoutSpaces(text), parts)) return true;
    if (rightToLeft.test(text)) return takeWords(words[at] ?? [], wordsOf(withoutMarks(text)));
    const rest = rests[at] ?? '';
    const match =
      new RegExp(escaped(text), 'u').exec(rest) ??
      patternOf(segment.target).exec(rest) ??
      // Small capitals are read as capitals.
      new RegExp(escaped(text.toUpperCase()), 'u').exec(rest);
    if (!match) return false;
    rests[at] = `${rests[at]!.slice(0, match.index)}\f${rests[at]!.slice(match.index + match[0].length)}`;
    return true;
  };
  const longestFirst = segments.toSorted(
    (one, other) => plainText(other.target).length - plainText(one.target).length,
  );
  const copied = new Set(longestFirst.filter(found));
  return {
    copied: segments.filter((segment) => copied.has(segment)),
    missed: segments.filter((segment) => !copied.has(segment)),
  };
}

/** The text of a translation. Programs read the signs of a formula, which is a void tag, in different orders. */
function patternOf(target: InlineContent): RegExp {
  const parts = [''];
  for (const item of target) {
    if (typeof item === 'string') parts[parts.length - 1] += item;
    else if (item.type === 'void') parts.push('');
  }
  return new RegExp(parts.map(escaped).join('[^\\f]{0,80}?'), 'u');
}

/** A pattern for a text without its spaces. */
function escaped(text: string): string {
  return withoutSpaces(text).replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
}

/** Removes the parts of a text from the pages of these blocks, if each has a part of it. */
function takeParts(rests: string[], text: string, blocks: readonly string[]): boolean {
  const changed = [...rests];
  let rest = text;
  for (const block of blocks) {
    const at = pageOfBlock(block) - 1;
    let [found, most] = [0, rest.length];
    while (found < most) {
      const middle = Math.ceil((found + most) / 2);
      if (changed[at]!.includes(rest.slice(0, middle))) found = middle;
      else most = middle - 1;
    }
    changed[at] = changed[at]!.replace(rest.slice(0, found), '\f');
    rest = rest.slice(found);
  }
  if (rest !== '') return false;
  rests.splice(0, rests.length, ...changed);
  return true;
}

/** Removes the words from a page if the page contains all of them. */
function takeWords(page: string[], words: readonly string[]): boolean {
  const rest = [...page];
  for (const word of words) {
    const index = rest.indexOf(word);
    if (index === -1) return false;
    rest.splice(index, 1);
  }
  page.splice(0, page.length, ...rest);
  return true;
}

/** Removes spaces, soft hyphens and zero-width characters, which are all invisible. */
function withoutSpaces(text: string): string {
  return withoutMarks(text)
    .normalize('NFKC')
    .replace(/[\s\u00ad]+/gu, '');
}

function withoutMarks(text: string): string {
  return text.replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, '');
}
