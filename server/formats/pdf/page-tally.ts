import { type PDFDict, type PDFDocument, PDFHexString, type PDFObject, PDFString } from '@cantoo/pdf-lib';
import { countCharacters, type KeptClass, type TextTally } from '../text-tally.ts';
import type { PageBlocks } from './find-blocks.ts';
import { bookmarksOf, isUnpaired } from './kept-findings.ts';
import type { KeptText } from './layout/content/kept-text.ts';
import { asDict, get, getArray, getDict, getName } from './objects.ts';
import type { ReadPage } from './open-pdf.ts';
import type { PageContent, ShownGlyph } from './page-content.ts';
import type { RecognizedContent } from './scans/recognized-content.ts';
import type { GlyphRange } from './text-block.ts';

/** The reasons for which a visible text cannot be set again. */
const unreadable: ReadonlySet<string> = new Set<KeptText['reason']>([
  'undecodable',
  'vertical',
  'mirrored',
  'unpaired',
  'partly_covered',
  'stencil',
  'askew',
]);

/**
 * Counts the texts of a page that are not translated: all of them if the page is not selected. Characters that no glyph
 * is known for are counted as codes.
 */
export function tallyPage(
  tally: TextTally,
  { texts, indirectTexts }: Pick<ReadPage | RecognizedContent, 'texts' | 'indirectTexts'>,
  { blocks, kept }: PageBlocks,
  isSelected: boolean,
): void {
  const keep = (kind: KeptClass, reason: string, characters: number, count = 1): void => {
    if (characters === 0) return;
    if (isSelected) tally.keep(kind, reason, characters, count);
    else tally.keep('not_selected', 'pages', characters, count);
  };
  if (!isSelected) for (const { glyphs } of blocks) tally.keep('not_selected', 'pages', charactersOf(glyphs));
  for (const { reason, glyphs } of kept)
    keep(unreadable.has(reason) ? 'unreadable' : 'kept', reason, lengthOf(reason, glyphs));
  for (const text of texts)
    if ('operator' in text && isUnpaired(text)) keep('unreadable', 'unpaired', codesOf(text));
  keep('unreadable', 'indirect', indirectTexts, indirectTexts);
  checkGlyphs(tally, texts, [...blocks, ...kept]);
}

/** Checks that each glyph of a page is in exactly one place: a lost glyph must not cancel one that is in two places. */
function checkGlyphs(
  tally: TextTally,
  texts: PageContent['texts'],
  places: readonly { glyphs: readonly GlyphRange[] }[],
): void {
  const lost = new Set(texts.flatMap(({ glyphs }) => glyphs));
  let repeated = 0;
  for (const glyph of places.flatMap(({ glyphs }) => glyphsOf(glyphs)))
    if (!lost.delete(glyph)) repeated += countCharacters(glyph.text);
  tally.check(0, repeated);
  for (const { text } of lost) tally.check(countCharacters(text), 0);
}

/** Returns the number of visible characters of a kept text. A text that cannot be decoded has one for each glyph. */
function lengthOf(reason: KeptText['reason'], glyphs: readonly GlyphRange[]): number {
  if (reason !== 'undecodable') return charactersOf(glyphs);
  return glyphs.reduce((sum, { from, to }) => sum + to - from, 0);
}

function glyphsOf(ranges: readonly GlyphRange[]): ShownGlyph[] {
  return ranges.flatMap(({ text, from, to }) => text.glyphs.slice(from, to));
}

function charactersOf(ranges: readonly GlyphRange[]): number {
  return glyphsOf(ranges).reduce((sum, { text }) => sum + countCharacters(text), 0);
}

/** Returns the number of bytes that an unpaired text shows. */
function codesOf({ operator }: ReadPage['texts'][number]): number {
  return operator.pieces.reduce<number>(
    (sum, piece) => sum + (typeof piece === 'number' ? 0 : piece.length),
    0,
  );
}

/** The maximum number of parents of a form field. In a hostile file, the chain may be endless. */
const maxParents = 20;

/** Counts the texts around the content of the pages: values of form fields, annotations with text, titles of bookmarks. */
export function tallyDocument(tally: TextTally, document: PDFDocument): void {
  const keep = (reason: string, text: string): void => {
    const characters = countCharacters(text);
    if (characters > 0) tally.keep('kept', reason, characters);
  };
  for (const { node } of document.getPages())
    for (const object of getArray(node, 'Annots') ?? []) {
      const annotation = asDict(object);
      if (!annotation) continue;
      const type = getName(annotation, 'Subtype') ?? '';
      if (type === 'Widget') keep('form_fields', fieldValueOf(annotation));
      else if (type === 'FreeText' || type === 'Stamp')
        keep('annotations', textOf(get(annotation, 'Contents')));
    }
  for (const item of bookmarksOf(document)) keep('bookmarks', textOf(get(item, 'Title')));
}

/** Returns the value that a form field displays; '' for a check box or a button. */
function fieldValueOf(widget: PDFDict): string {
  let field: PDFDict | undefined = widget;
  for (let parents = 0; field && parents < maxParents; parents++) {
    const value = textOf(get(field, 'V'));
    if (value !== '') return value;
    field = getDict(field, 'Parent');
  }
  return '';
}

/** Returns a text string of a PDF; '' for another object. */
export function textOf(object: PDFObject | undefined): string {
  return object instanceof PDFString || object instanceof PDFHexString ? object.decodeText() : '';
}
