import type { PDFDict, PDFDocument } from '@cantoo/pdf-lib';
import { type Finding, fileFinding } from '../document.ts';
import { type LeftShare, shareText, warnedShare } from '../left-share.ts';
import { picturesKept } from '../office/kept-finding.ts';
import { apply, area, intersection } from './geometry.ts';
import type { KeptText } from './layout/content/kept-text.ts';
import { asDict, get, getArray, getDict, getName } from './objects.ts';
import type { ReadPage } from './open-pdf.ts';
import type { ReadText } from './reading/shown-texts.ts';
import type { TextBlock } from './text-block.ts';

/**
 * The reason why a text stays untranslated. `indirect` is a text in a tiling pattern or a soft mask, which is not read.
 */
type Reason = KeptText['reason'] | 'indirect';

/**
 * The reasons that are reported, each with the words of its finding. Texts that stay for other reasons have nothing to
 * translate or are not visible.
 */
const reasons: Partial<Record<Reason, { severity: Finding['severity']; what: string }>> = {
  undecodable: { severity: 'warning', what: 'texts in fonts without a character map' },
  vertical: { severity: 'warning', what: 'vertical texts' },
  mirrored: { severity: 'warning', what: 'mirrored texts' },
  unpaired: { severity: 'warning', what: 'texts that two PDF readers decode differently' },
  partly_covered: { severity: 'warning', what: 'partly covered texts' },
  stencil: { severity: 'warning', what: 'texts whose letters are filled with a picture or a pattern' },
  askew: { severity: 'warning', what: 'single rotated letters, for example along a curve,' },
  indirect: { severity: 'warning', what: 'texts in patterns and soft masks' },
  tiny: { severity: 'info', what: 'texts that are too small to read' },
  invisible: { severity: 'info', what: 'invisible texts, for example behind a scanned page' },
  formula: { severity: 'info', what: 'formulas' },
  code: { severity: 'info', what: 'program listings' },
  address: { severity: 'info', what: 'URLs and email addresses' },
};

/** The reasons of texts that leave a page as empty as it looks. */
const unseen: ReadonlySet<KeptText['reason']> = new Set(['invisible', 'tiny', 'clipped']);

/** The least part of a page that a picture covers which may have text that a reader misses. */
const pictureShare = 0.1;

/** Counts the untranslated content of a PDF, page by page. */
export class KeptCounts {
  readonly #texts = new Map<Reason, { count: number; firstPage: number }>();
  /** The pages whose text is only in images. */
  readonly imagePages: number[] = [];
  /** The pages with text that also have large pictures, and the number of these pictures. */
  readonly #picturePages: number[] = [];
  #pictures = 0;
  readonly #document: PDFDocument;

  constructor(document: PDFDocument) {
    this.#document = document;
  }

  add(page: ReadPage, blocks: number, kept: readonly KeptText[]): void {
    const { number, texts, paints, indirectTexts } = page;
    for (const { reason } of kept) this.#count(reason, 1, number);
    // Unpaired texts are counted here, because they have no glyphs, so they are in neither `blocks` nor `kept`.
    const unpaired = texts.filter(isUnpaired).length;
    if (unpaired > 0) this.#count('unpaired', unpaired, number);
    if (indirectTexts > 0) this.#count('indirect', indirectTexts, number);
    const isShown = unpaired > 0 || indirectTexts > 0 || kept.some(({ reason }) => !unseen.has(reason));
    if (blocks === 0 && !isShown) {
      if (paints.some(({ kind }) => kind === 'image')) this.imagePages.push(number);
      return;
    }
    const pictures = largePictures(page);
    this.#pictures += pictures;
    if (pictures > 0) this.#picturePages.push(number);
  }

  #count(reason: Reason, count: number, page: number): void {
    const known = this.#texts.get(reason);
    if (known) known.count += count;
    else this.#texts.set(reason, { count, firstPage: page });
  }

  /**
   * Returns the findings about all pages that were added.
   *
   * @param segments the number of translated texts of the file
   * @param isSigned whether the file had a signature when it was sent
   * @param isWordFile whether the result is a Word file, which has neither forms nor signatures
   * @param hint why the text of images was not recognized, or what to do about it
   * @param left the visible characters that stay; if they are many, the findings state their share
   */
  findings(
    segments: number,
    { isSigned, isWordFile, hint }: { isSigned: boolean; isWordFile: boolean; hint: string },
    left: LeftShare,
  ): Finding[] {
    const findings: Finding[] = [];
    const kept = (severity: Finding['severity'], message: string) =>
      findings.push({ severity, code: 'unsupported_content_kept', message, unitId: null });
    const keptShare = (reason: string, severity: Finding['severity'], message: string): void => {
      const kind = left.share > warnedShare && left.kinds.find((one) => one.reason === reason);
      if (kind) kept('warning', `${message} (${shareText(kind.share)})`);
      else kept(severity, message);
    };
    for (const [reason, { severity, what }] of Object.entries(reasons)) {
      const found = this.#texts.get(reason as Reason);
      if (!found) continue;
      const message = `${what} are not translated: ${found.count}, the first on page ${found.firstPage}`;
      keptShare(reason, severity, message);
    }
    const { catalog } = this.#document;
    const form = getDict(catalog, 'AcroForm');
    const titles = bookmarksOf(this.#document).size;
    if (titles > 0) kept('info', `titles of bookmarks are not translated: ${titles}`);
    const notes = countNotes(this.#document);
    if (notes > 0) keptShare('annotations', 'info', `annotations with text are not translated: ${notes}`);
    if (form && get(form, 'XFA') && !isWordFile)
      kept('warning', 'the form in XFA format is removed; the other form fields of the PDF are kept');
    if (isSigned)
      kept(
        'warning',
        `the digital signature does not apply to the translation and is removed${isWordFile ? '' : '; its visible appearance is kept'}`,
      );
    if (segments > 0 && this.imagePages.length > 0)
      kept(
        'warning',
        `${pagesText(this.imagePages)} of images without a text layer: text in these images is not translated; ${hint}`,
      );
    if (this.#pictures > 0 && !isWordFile)
      findings.push(picturesKept(this.#pictures, this.#picturePages, 'page'));
    if (segments === 0) findings.push(noText(this.imagePages, isWordFile, hint));
    return findings;
  }
}

/** Counts the large pictures of a page with no visible text over them: a picture with text over it is a background. */
function largePictures({ box, texts, paints }: ReadPage): number {
  const origins = texts
    .filter(({ kept, glyphs }) => glyphs.length > 0 && !(kept && unseen.has(kept)))
    .map(({ matrix, glyphs }) => apply(matrix, glyphs[0]!.x, 0));
  return paints.filter((paint) => {
    const seen = paint.kind === 'image' && intersection(paint.box, box);
    if (!seen) return false;
    if (area(seen) < pictureShare * area(box)) return false;
    const { left, right, bottom, top } = seen;
    return !origins.some(([x, y]) => left <= x && x <= right && bottom <= y && y <= top);
  }).length;
}

/** Whether the glyphs of a non-empty text are unknown. */
export function isUnpaired({ kept, glyphs, operator }: ReadText): boolean {
  return (
    kept === 'unpaired' &&
    glyphs.length === 0 &&
    operator.pieces.some((piece) => typeof piece !== 'number' && piece.length > 0)
  );
}

function noText(imagePages: readonly number[], isWordFile: boolean, hint: string): Finding {
  const reason =
    imagePages.length > 0
      ? `the file has no text to translate: ${pagesText(imagePages)} of images, for example from a scanner; ${hint}`
      : 'the file has no text to translate';
  const message = `${reason}; ${isWordFile ? 'the Word file has no translation' : 'it is returned unchanged'}`;
  return fileFinding('info', 'no_translatable_text', message);
}

function pagesText(pages: readonly number[]): string {
  return pages.length === 1 ? `page ${pages[0]} consists` : `${pages.length} pages consist`;
}

/** The maximum number of bookmarks to count. In a hostile file, the list of bookmarks may be endless. */
const maxBookmarks = 100_000;

/** Returns the bookmarks of a file. */
export function bookmarksOf({ catalog }: PDFDocument): ReadonlySet<PDFDict> {
  const seen = new Set<PDFDict>();
  const waiting = [getDict(getDict(catalog, 'Outlines'), 'First')];
  while (waiting.length > 0 && seen.size < maxBookmarks) {
    const item = waiting.pop();
    if (!item || seen.has(item)) continue;
    seen.add(item);
    waiting.push(getDict(item, 'Next'), getDict(item, 'First'));
  }
  return seen;
}

function countNotes(document: PDFDocument): number {
  let count = 0;
  for (const { node } of document.getPages())
    for (const object of getArray(node, 'Annots') ?? [])
      if (['FreeText', 'Stamp'].includes(getName(asDict(object), 'Subtype') ?? '')) count++;
  return count;
}

/** The content of a PDF that a Word file with its text does not have, in the order in which a finding names it. */
const kinds = {
  headers: 'running headers and footers',
  unreadable: 'texts that cannot be read',
  signs: 'page numbers and single signs',
  pictures: 'pictures',
  fields: 'form fields',
  links: 'links to places in the document',
  annotations: 'annotations',
} as const;

type LeftOutKind = keyof typeof kinds;

/** Texts that a reader of the PDF does not see, or that have no meaning without their place on the page. */
const unneeded = new Set<KeptText['reason']>(['blank', 'clipped', 'covered', 'invisible', 'leader', 'tiny']);

/** Counts the content that a Word file does not have. */
export class LeftOut {
  readonly #counts = new Map<LeftOutKind, number>();

  add(kind: LeftOutKind, count: number): void {
    if (count > 0) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
  }

  /** @param kept the untranslated texts of the page that the file does not have */
  addPage({ texts, paints, annotations, indirectTexts }: ReadPage, kept: readonly KeptText[]): void {
    const isSign = ({ reason }: KeptText): boolean => reason === 'symbol';
    const visible = kept.filter(({ reason }) => !unneeded.has(reason));
    this.add('signs', visible.filter(isSign).length);
    this.add('unreadable', visible.filter((text) => !isSign(text)).length);
    this.add('unreadable', texts.filter(isUnpaired).length + indirectTexts);
    this.add('pictures', paints.filter(({ kind }) => kind === 'image').length);
    this.add('fields', annotations.filter(({ kind }) => kind === 'widget').length);
    this.add('annotations', annotations.filter(({ kind }) => kind === 'other').length);
  }

  addHeaders(blocks: readonly TextBlock[]): void {
    this.add('headers', blocks.filter(isRunningHeader).length);
  }

  findings(): Finding[] {
    if (this.#counts.size === 0) return [];
    const list = Object.entries(kinds).flatMap(([kind, what]) => {
      const count = this.#counts.get(kind as LeftOutKind);
      return count ? [`${what}: ${count}`] : [];
    });
    const message = `the Word file does not have all content of the PDF; it lacks ${list.join('; ')}`;
    return [fileFinding(this.#counts.has('unreadable') ? 'warning' : 'info', 'content_left_out', message)];
  }
}

export function isRunningHeader({ kind }: TextBlock): boolean {
  return kind === 'header' || kind === 'footer';
}
