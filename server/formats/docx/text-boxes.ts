import { formatTagged } from '../inline-content.ts';
import type { Numbering } from '../office/numbering.ts';
import type { PlacedText } from '../office/paragraph/placed-texts.ts';
import type { XmlStartTag } from '../office/xml-reader.ts';

/** An `AlternateContent` element around the current position. Each of its branches shows the same content. */
interface Alternatives {
  depth: number;
  /** The number of the current branch, from 1; 0 before the first. */
  branch: number;
  /** The text boxes of the first branch, and the number of them that have had a copy in the current branch. */
  boxes: Numbering[];
  copied: number;
}

/** A text box whose paragraphs are read. */
interface TextBox {
  numbering: Numbering;
  /** The number of the copy, from 1; 0 for a text box that is not a copy. */
  copy: number;
  /** Whether only programs that do not know the first branch show the text box. */
  isFallback: boolean;
}

/**
 * Numbers the text boxes of a story. Word writes a text box twice: as a shape, and for older programs as a picture in
 * VML. Both have the same text, which is one segment.
 */
export class TextBoxes {
  readonly #alternatives: Alternatives[] = [];
  /** The texts of boxes that may have a copy, by their keys. */
  readonly #texts = new Map<string, string>();
  #copies = 0;

  open({ local }: XmlStartTag, depth: number): void {
    const parent = this.#alternatives.at(-1);
    if (local === 'AlternateContent') this.#alternatives.push({ depth, branch: 0, boxes: [], copied: 0 });
    else if (parent && depth === parent.depth + 1 && (local === 'Choice' || local === 'Fallback'))
      Object.assign(parent, { branch: parent.branch + 1, copied: 0 });
  }

  close(depth: number): void {
    if (this.#alternatives.at(-1)?.depth === depth) this.#alternatives.pop();
  }

  /** Returns the text box that begins at the current position. */
  start(numbering: Numbering): TextBox {
    const copying = this.#alternatives.find(({ branch }) => branch > 1);
    const original = copying?.boxes[copying.copied++];
    const isFallback = copying !== undefined;
    if (original) return { numbering: original.again(), copy: ++this.#copies, isFallback };
    const inside = numbering.inside('box', 'text box');
    for (const { branch, boxes } of this.#alternatives) if (branch === 1) boxes.push(inside);
    return { numbering: inside, copy: 0, isFallback };
  }

  /**
   * Returns the texts of a paragraph of a text box with their keys, and whether they are those of the same paragraph in
   * the first branch. Texts that differ get their own keys.
   */
  match(texts: readonly PlacedText[], copy: number): { texts: PlacedText[]; isRepeated: boolean } {
    const written = texts.map(({ content }) => formatTagged(content.source));
    const keys = texts.map(({ regionId, cellId }) => `${regionId} ${cellId}`);
    if (copy === 0) {
      if (this.#alternatives.length > 0)
        for (const [index, key] of keys.entries()) this.#texts.set(key, written[index]!);
      return { texts: [...texts], isRepeated: false };
    }
    if (keys.every((key, index) => this.#texts.get(key) === written[index]))
      return { texts: [...texts], isRepeated: true };
    return {
      texts: texts.map((text) => ({
        ...text,
        regionId: `copy${copy}-${text.regionId}`,
        place: `copy ${copy}, ${text.place}`,
      })),
      isRepeated: false,
    };
  }
}
