import { formatTagged } from '../inline-content.ts';
import type { PlacedText } from '../office/paragraph/placed-texts.ts';

/**
 * Finds the texts that a file has twice: those of a diagram, which are in its data and in its drawing, and those of
 * shapes that older programs show in another form. A copy has the key of the text that it repeats.
 */
export class Copies {
  /** The texts that may be repeated, by their tagged texts, in the order of the file. */
  readonly #originals = new Map<string, PlacedText[]>();

  add(texts: readonly PlacedText[]): void {
    for (const text of texts) {
      const tagged = formatTagged(text.content.source);
      const known = this.#originals.get(tagged);
      if (known) known.push(text);
      else this.#originals.set(tagged, [text]);
    }
  }

  /** Returns the texts of a paragraph with the keys of the texts that they repeat, if all of them are copies. */
  match(texts: PlacedText[]): { texts: PlacedText[]; isRepeated: boolean } {
    const found = texts.map(({ content }) => this.#originals.get(formatTagged(content.source)));
    if (found.some((originals) => originals === undefined)) return { texts, isRepeated: false };
    return {
      texts: texts.map((text, index) => {
        const originals = found[index]!;
        const { regionId, cellId, place } = originals.length > 1 ? originals.shift()! : originals[0]!;
        return { ...text, regionId, cellId, place };
      }),
      isRepeated: true,
    };
  }
}
