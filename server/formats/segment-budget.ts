import { FileError, limits, overLimit } from './file-error.ts';
import { formatTagged, type InlineContent, plainText } from './inline-content.ts';
import { countCodePoints } from './text.ts';

/** Characters that no text has and the database cannot store: NUL, and half of a surrogate pair. Escapes can contain them. */
const forbidden = /[\0\p{Cs}]/u;

/**
 * Counts the segments, characters and tags of one document, and rejects the document if it exceeds a limit or a text has
 * characters that cannot be stored.
 */
export class SegmentBudget {
  readonly #sources = new Set<string>();
  #segments = 0;
  #chars = 0;

  /**
   * Counts a segment. Segments with equal texts and tags are translated once.
   *
   * @throws {FileError} `too_large` or `not_text`
   */
  add(source: InlineContent): void {
    this.addText(source);
    if (++this.#segments > limits.allSegments)
      throw overLimit('the number of texts of the file', limits.allSegments);
    this.#sources.add(formatTagged(source));
    if (this.#sources.size > limits.segments)
      throw overLimit('the number of different texts of the file', limits.segments);
  }

  /**
   * Counts the characters and tags of a segment without counting the segment. Used to check these limits first.
   *
   * @returns the text of the segment without its tags
   * @throws {FileError} `too_large` or `not_text`
   */
  addText(source: InlineContent): string {
    const text = plainText(source);
    requireCharacters(text);
    const chars = countCodePoints(text);
    if (chars > limits.oneTextChars)
      throw overLimit('the number of characters in one text of the file', limits.oneTextChars);
    this.#chars += chars;
    if (this.#chars > limits.textChars)
      throw overLimit('the number of characters of the file', limits.textChars);
    if (source.filter((item) => typeof item !== 'string').length > limits.oneTextTags)
      throw overLimit('the number of tags in one text of the file', limits.oneTextTags);
    return text;
  }
}

/**
 * @param place the place in the file, such as `line 3`
 * @throws {FileError} `not_text` if the text has a NUL character or half of a surrogate pair
 */
export function requireCharacters(text: string, place = 'the file'): void {
  const [found] = forbidden.exec(text) ?? [];
  if (found === undefined) return;
  const what =
    found === '\0' ? 'a NUL character' : 'half of a character outside of the BMP (a lone surrogate)';
  throw new FileError('not_text', `${place}: a text has ${what}`);
}
