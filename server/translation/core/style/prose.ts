import { blanked, type Range } from '../integrity/found.ts';
import { findLinks } from '../integrity/links.ts';
import { findMarkup } from '../integrity/markup.ts';
import { findPlaceholders } from '../integrity/placeholders.ts';

/** Code between backticks, character references, drives and paths of Windows, emoji codes, and options such as `--force`. */
const code =
  /`[^`\n]{1,500}`|&#?\w{1,31};|\b[A-Z]:(?=[\s.,)]|$)|\b[A-Za-z]:[\\/][^\s"“”„«»<>|]{0,500}|\\\\[^\s"“”„«»<>|]{1,500}|(?<!\w):\w{2,40}:(?!\w)|(?<![\w-])--[A-Za-z][\w-]{1,60}/g;

/**
 * Returns a text in which everything that is not prose has a filler: markup, links, email addresses, placeholders and
 * code. Its length is that of the text. The filler is neither a letter, a digit nor a space.
 */
export function proseOf(text: string, language: string): string {
  const codes: Range[] = [...text.matchAll(code)].map(({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
  const withoutMarkup = blanked(text, [...findMarkup(text).ranges, ...codes]);
  const { urls, addresses } = findLinks(withoutMarkup);
  const withoutLinks = blanked(withoutMarkup, [...urls, ...addresses]);
  return blanked(withoutLinks, findPlaceholders(withoutLinks, language).ranges);
}
