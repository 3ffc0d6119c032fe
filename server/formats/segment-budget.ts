import { limits, overLimit } from './file-error.ts';
import { countCodePoints } from './text.ts';

/** Counts the segments and characters of one document, and rejects the document if it exceeds a limit. */
export class SegmentBudget {
  readonly #sources = new Set<string>();
  #segments = 0;
  #chars = 0;

  /**
   * Counts a segment.
   *
   * @param tagged the text with its tags, as the engine receives it. Segments with equal tagged texts are translated
   *   once
   * @throws {FileError} `too_large`
   */
  add(source: string, tagged = source): void {
    this.addChars(source);
    if (++this.#segments > limits.allSegments)
      throw overLimit('the number of texts of the file', limits.allSegments);
    this.#sources.add(tagged);
    if (this.#sources.size > limits.segments)
      throw overLimit('the number of different texts of the file', limits.segments);
  }

  /** Counts the characters of a segment without counting the segment. Used to check the limit of characters first. */
  addChars(source: string): void {
    this.#chars += countCodePoints(source);
    if (this.#chars > limits.textChars)
      throw overLimit('the number of characters of the file', limits.textChars);
  }
}
