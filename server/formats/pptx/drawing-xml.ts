import { formatTagged } from '../inline-content.ts';
import type { PlacedText } from '../office/paragraph/placed-texts.ts';
import type { TextMarkup } from '../office/paragraph/tokens.ts';
import { escapeXmlText } from '../office/splice.ts';

/** The namespaces of DrawingML in transitional and in strict files. */
const drawingNamespaces: ReadonlySet<string | undefined> = new Set([
  'http://schemas.openxmlformats.org/drawingml/2006/main',
  'http://purl.oclc.org/ooxml/drawingml/main',
]);

/** Whether an element belongs to DrawingML, as paragraphs of slides and their runs do. */
export function isDrawing({ namespace }: { namespace: string | undefined }): boolean {
  return drawingNamespaces.has(namespace);
}

/** Whether the value of an attribute turns on what the attribute stands for. */
export function isOnValue(value: string | undefined): boolean {
  return value === '1' || value === 'true' || value === 'on';
}

/** How DrawingML represents text: breaks are elements between runs, and tabs are characters. */
export const drawingMarkup: TextMarkup = {
  hasOneTextPerRun: true,
  textElement: (text, prefix) => `<${prefix}t>${escapeXmlText(text)}</${prefix}t>`,
  runs: (text, opening, properties, prefix) =>
    text
      .replace(/\r\n?/g, '\n')
      .split(/(\n)/)
      .map((piece) => {
        if (piece === '') return '';
        if (piece === '\n') return `<${prefix}br>${properties}</${prefix}br>`;
        return `${opening}${properties}${drawingMarkup.textElement(piece, prefix)}</${prefix}r>`;
      })
      .join(''),
};

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
