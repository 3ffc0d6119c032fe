import type { PDFDict, PDFDocument, PDFRef } from '@cantoo/pdf-lib';
import { type DirectionMarkPosition, findDirectionMarks } from './direction-marks.ts';
import type { FontName } from './fonts.ts';
import {
  type DocumentFont,
  LineWriter,
  type ShownLine,
  type ShownSpan,
  type TextMatrix,
} from './line-writer.ts';
import type { GlyphRun, Line } from './lines.ts';
import { type Cluster, isBox } from './shaping.ts';
import { type PlacedCode, SubsetFont, writeFont } from './subset-font.ts';

/**
 * The fonts of one PDF document. This class records the displayed characters; `embed` then writes fonts with only these
 * characters.
 */
export class DocumentFonts {
  readonly #document: PDFDocument;
  readonly #prefix: string;
  /**
   * The fonts by name. Each font has a maximum number of characters; all fonts of a name except the last one are full.
   */
  readonly #fonts = new Map<FontName, DocumentFont[]>();
  readonly #sourceFonts = new Map<PDFDict, { name: string; ref: PDFRef }>();

  /**
   * @param prefix the prefix of the names of the font resources; no other font resource of the document may have a name
   *   with this prefix
   */
  constructor(document: PDFDocument, { prefix = 'Set' }: { prefix?: string } = {}) {
    this.#document = document;
    this.#prefix = prefix;
  }

  /**
   * Returns the operators that show a line. The clusters of a run are written from left to right, because PDF requires
   * right-to-left text in visual order.
   *
   * @param matrix the text matrix at the left end of the line, on the baseline
   * @param spans the styles of the paragraph's spans; without them, the current color is used
   * @param drawBox returns what is drawn in the box of a span, by the start of the box: in em of the paragraph's size,
   *   from the left end of the line
   */
  show(
    line: Line,
    {
      fontSize,
      matrix,
      spans,
      drawBox,
    }: {
      fontSize: number;
      matrix: TextMatrix;
      spans?: readonly ShownSpan[];
      drawBox?: (span: number, x: number) => ShownLine | undefined;
    },
  ): ShownLine {
    const writer = new LineWriter(matrix, fontSize);
    const marks = findDirectionMarks(line.runs);
    for (const { run, x } of spans ? inReadingOrder(line, spans) : fromTheLeft(line)) {
      writer.startRun(run, x, spans?.[run.span]);
      for (const cluster of run.clusters) {
        if (isBox(cluster)) {
          writer.writeBox(cluster, (start) => drawBox?.(run.span, start));
          continue;
        }
        const { font, codes } = this.#codesFor(cluster, marks.get(cluster));
        writer.write(cluster, font, codes);
      }
    }
    return writer.end();
  }

  /**
   * Returns the reference of a font that the document already has, and a name for it that no resource of a page has. A
   * font without a reference gets one.
   */
  sourceFont(font: PDFDict): { name: string; ref: PDFRef } {
    const { context } = this.#document;
    const known = this.#sourceFonts.get(font) ?? {
      name: `${this.#prefix}-source-${this.#sourceFonts.size + 1}`,
      ref: context.getObjectRef(font) ?? context.register(font),
    };
    this.#sourceFonts.set(font, known);
    return known;
  }

  /** Writes the used fonts into the document. `show` must not be called afterwards. */
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

interface PlacedRun {
  run: GlyphRun;
  /** The start of the run, in em of the paragraph's size, from the left end of the line. */
  x: number;
}

function fromTheLeft({ runs }: Line): PlacedRun[] {
  let x = 0;
  return runs.map((run) => {
    const placed = { run, x };
    for (const { advance, scale } of run.clusters) x += advance * scale;
    return placed;
  });
}

/**
 * Returns the runs of a line in the order in which they are written. In a line with right-to-left text, pieces of text
 * are in reading order. Readers that follow the order of the content, such as pdf.js, end a piece of text where the
 * font changes. Runs of one font stay together, from left to right.
 */
function inReadingOrder(line: Line, spans: readonly ShownSpan[]): PlacedRun[] {
  const runs = fromTheLeft(line);
  if (!line.runs.some(({ rightToLeft }) => rightToLeft)) return runs;
  const nameOf = ({ font, scale, span }: GlyphRun): string =>
    `${font} ${scale} ${spans[span]!.italic} ${spans[span]!.rise}`;
  const pieces: PlacedRun[][] = [];
  for (const placed of runs) {
    const piece = pieces.at(-1);
    if (piece && nameOf(piece[0]!.run) === nameOf(placed.run)) piece.push(placed);
    else pieces.push([placed]);
  }
  const startOf = (piece: PlacedRun[]): number =>
    Math.min(...piece.flatMap(({ run }) => run.clusters.map(({ start }) => start)));
  return pieces.sort((one, other) => startOf(one) - startOf(other)).flat();
}
