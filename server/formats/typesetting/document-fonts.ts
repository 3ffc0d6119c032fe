import type { PDFDocument } from '@cantoo/pdf-lib';
import { type DirectionMarkPosition, findDirectionMarks } from './direction-marks.ts';
import type { FontName } from './fonts.ts';
import {
  type DocumentFont,
  LineWriter,
  type ShownLine,
  type ShownSpan,
  type TextMatrix,
} from './line-writer.ts';
import type { Line } from './lines.ts';
import type { Cluster } from './shaping.ts';
import { type PlacedCode, SubsetFont, writeFont } from './subset-font.ts';

/** The fonts of one PDF document. Records the characters that are shown; `embed` writes subsets with only these. */
export class DocumentFonts {
  readonly #document: PDFDocument;
  readonly #prefix: string;
  /** For each name, the last font has room and the others are full. */
  readonly #fonts = new Map<FontName, DocumentFont[]>();

  /** @param prefix of the names of font resources; the document's own names must not begin with it */
  constructor(document: PDFDocument, { prefix = 'Set' }: { prefix?: string } = {}) {
    this.#document = document;
    this.#prefix = prefix;
  }

  /**
   * Returns the operators that show a line. The runs and their clusters are written from left to right, because PDF requires
   * visual order for right-to-left text.
   *
   * @param matrix places the line's left end on its baseline
   * @param spans how the paragraph's spans look; without them everything is in the current colour
   */
  show(
    line: Line,
    { fontSize, matrix, spans }: { fontSize: number; matrix: TextMatrix; spans?: readonly ShownSpan[] },
  ): ShownLine {
    const writer = new LineWriter(matrix, fontSize);
    const marks = findDirectionMarks(line.runs);
    for (const run of line.runs) {
      writer.startRun(run, spans?.[run.span]);
      for (const cluster of run.clusters) {
        const { font, codes } = this.#codesFor(cluster, marks.get(cluster));
        writer.write(cluster, font, codes);
      }
    }
    return writer.end();
  }

  /** Writes the used fonts into the document. Do not call `show` afterwards. */
  embed(): void {
    for (const fonts of this.#fonts.values())
      for (const { ref, subset } of fonts) writeFont(this.#document.context, ref, subset);
    this.#fonts.clear();
  }

  #codesFor(
    cluster: Cluster,
    mark: DirectionMarkPosition | undefined,
  ): { font: DocumentFont; codes: readonly PlacedCode[] } {
    const font = this.#fonts.get(cluster.font)?.at(-1);
    const codes = font?.subset.codesFor(cluster, mark);
    if (font && codes) return { font, codes };
    const next = this.#open(cluster.font);
    return { font: next, codes: next.subset.codesFor(cluster, mark)! };
  }

  #open(name: FontName): DocumentFont {
    const fonts = this.#fonts.get(name) ?? [];
    const font = {
      subset: new SubsetFont(name),
      resource: `${this.#prefix}-${name}${fonts.length > 0 ? `-${fonts.length + 1}` : ''}`,
      ref: this.#document.context.nextRef(),
    };
    fonts.push(font);
    this.#fonts.set(name, fonts);
    return font;
  }
}
