import {
  type Finding,
  fileFinding,
  type PageRectangle,
  type Recognition,
  type Segment,
  type SegmentWord,
} from '../../document.ts';
import { obstacleTo } from '../../ocr/tesseract.ts';
import { type Matrix, transformRectangle } from '../geometry.ts';
import type { ReadPage } from '../open-pdf.ts';
import type { GlyphRange, TextBlock } from '../text-block.ts';
import type { TypesetPage } from '../writing/typeset-blocks.ts';
import { paintOver, type RecognizedContent, recognizedContent, wordsOf } from './recognized-content.ts';

/** The recognized pages of a document. */
export class Scans {
  readonly #pages: ReadonlyMap<number, Recognition['pages'][number]>;
  readonly #words = new Map<string, SegmentWord[]>();
  readonly #recognition: Recognition | undefined;

  constructor(recognition: Recognition | undefined) {
    this.#recognition = recognition;
    this.#pages = new Map(recognition?.pages.map((page) => [page.page, page]));
  }

  /** Whether pages that consist of images have not been recognized yet, and can be. */
  canRecognize(language: string | undefined): boolean {
    return !this.#recognition && language !== undefined && obstacleTo(language) === undefined;
  }

  /** Returns why pages that consist of images have no text, or what to do about it. */
  hint(language: string | undefined): string {
    if (this.#recognition) return 'no text was recognized in them';
    return (language && obstacleTo(language)) ?? 'recognize the text (OCR) first';
  }

  /** Returns the findings about the recognition. */
  findings(): Finding[] {
    const count = this.#pages.size;
    const unread = [...this.#pages.values()].reduce((sum, { unreadLines }) => sum + unreadLines, 0);
    const kept = [
      unread > 0 &&
        `lines on scanned pages that may be text, but cannot be read, are not translated: ${unread}`,
      ...(this.#recognition?.failed ?? []).map(
        ({ page, reason }) => `the text of page ${page} was not recognized and is not translated: ${reason}`,
      ),
    ].filter((message) => message !== false);
    const found = `the text of ${count === 1 ? '1 page was' : `${count} pages were`} recognized in images (OCR) and may have errors`;
    return [
      ...(count > 0 ? [fileFinding('info', 'text_recognized', found)] : []),
      ...kept.map((message) => fileFinding('warning', 'unsupported_content_kept', message)),
    ];
  }

  /** Whether the recognition of a page was tried. */
  has(number: number): boolean {
    return (
      this.#pages.has(number) || (this.#recognition?.failed.some(({ page }) => page === number) ?? false)
    );
  }

  /** Returns the content of a page in the space of the straightened page; undefined if it was not recognized. */
  content(number: number): RecognizedContent | undefined {
    const page = this.#pages.get(number);
    return page && recognizedContent(page);
  }

  /** Keeps the words of blocks for their segments, before the glyphs of the blocks are dropped. */
  keepWords(blocks: readonly TextBlock[]): void {
    for (const { id, glyphs } of blocks)
      this.#words.set(
        id,
        wordsOf(glyphs).map(({ text, confidence }) => ({ text, confidence })),
      );
  }

  /** Adds what is known about a recognized text to its segment. Returns other segments unchanged. */
  segment(segment: Segment): Segment {
    const words = this.#words.get(segment.regionId);
    const page = this.#pages.get(segment.page ?? 0);
    if (!words || !page) return segment;
    const rectangles = segment.rectangles?.map((rectangle) => onPage(page.matrix, rectangle));
    return { ...segment, ...(rectangles && { rectangles }), words };
  }

  /** Moves the rectangle of a translation from the straightened page to the page. */
  place(number: number, rectangle: PageRectangle): PageRectangle {
    const page = this.#pages.get(number);
    return page ? onPage(page.matrix, rectangle) : rectangle;
  }

  /**
   * Returns the operators that paint over the source words and draw the translations, in the user space of the page.
   *
   * @param sources the glyphs of the translated blocks
   */
  draw(number: number, sources: readonly GlyphRange[], set: TypesetPage): string {
    const { matrix } = this.#pages.get(number)!;
    const operands = matrix.map((value) => Number(value.toFixed(6))).join(' ');
    return `q\n${operands} cm\n${paintOver([...sources, ...set.removed])}\n${set.watermarks}\n${set.operators}\nQ`;
  }
}

/** Returns the invisible texts of a scanned page: the recognized text that another program has added to it. */
export function invisibleTexts({ texts }: ReadPage): GlyphRange[] {
  return texts
    .filter(({ kept, glyphs }) => kept === 'invisible' && glyphs.length > 0)
    .map((text) => ({ text, from: 0, to: text.glyphs.length }));
}

function onPage(matrix: Matrix, [left, bottom, right, top]: PageRectangle): PageRectangle {
  const moved = transformRectangle(matrix, { left, bottom, right, top });
  return [moved.left, moved.bottom, moved.right, moved.top].map(
    (value) => Math.round(100 * value) / 100,
  ) as PageRectangle;
}
