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
