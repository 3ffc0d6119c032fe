import { type PDFDict, PDFName, PDFNumber } from '@cantoo/pdf-lib';
import { intersection, type Rectangle } from './geometry.ts';
import { asDict, get, getArray, getDict, getName, getNumber, getRectangle, inherited } from './objects.ts';
import type { PageContent } from './page-content.ts';

const letter: Rectangle = { left: 0, bottom: 0, right: 612, top: 792 };

/**
 * Returns the visible part of a page. If the page has no usable box, returns a page in US Letter format, as other
 * readers do.
 */
export function pageBox(page: PDFDict): Rectangle {
  const media = boxOf(page, 'MediaBox') ?? letter;
  const crop = boxOf(page, 'CropBox');
  return (crop && intersection(media, crop)) ?? media;
}

function boxOf(page: PDFDict, key: string): Rectangle | undefined {
  const box = getRectangle(inherited(page, key), key);
  return box && box.right > box.left && box.top > box.bottom ? box : undefined;
}

/** Returns the rotation of a page in degrees clockwise. */
export function pageRotation(page: PDFDict): PageContent['rotation'] {
  const turns = Math.round((getNumber(inherited(page, 'Rotate'), 'Rotate') ?? 0) / 90);
  return ((((turns % 4) + 4) % 4) * 90) as PageContent['rotation'];
}

/** Bits of an annotation's flags /F: PDF 32000-1, table 165. */
const hidden = 1 << 1;
const noView = 1 << 5;
/** The maximum number of areas of an annotation. */
const maxAreas = 200;

/**
 * Returns the annotations that are visible or clickable. Popups are left out, because they are windows of the viewing
 * program, not a part of the page.
 */
export function pageAnnotations(page: PDFDict): PageContent['annotations'] {
  const list = getArray(page, 'Annots') ?? [];
  return list.flatMap((object, index) => {
    const annotation = asDict(object);
    const box = getRectangle(annotation, 'Rect');
    if (box === undefined || ((getNumber(annotation, 'F') ?? 0) & (hidden | noView)) !== 0) return [];
    switch (getName(annotation, 'Subtype')) {
      case 'Popup':
        return [];
      case 'Widget':
        return {
          kind: 'widget' as const,
          box,
          index,
          isBlank: isBlank(annotation),
          maxLength: annotation && getNumber(inherited(annotation, 'MaxLen'), 'MaxLen'),
        };
      case 'Link':
        return {
          kind: 'link' as const,
          box,
          index,
          areas: areasOf(annotation, box),
          action: actionOf(annotation),
        };
      case 'Highlight':
      case 'Underline':
      case 'StrikeOut':
      case 'Squiggly':
        return { kind: 'markup' as const, box, index, areas: areasOf(annotation, box) };
      default:
        return { kind: 'other' as const, box };
    }
  });
}

/** The bit of a text field's flags /Ff for a field whose characters have equal widths: PDF 32000-1, table 228. */
const comb = 1 << 24;

/** Whether a form field is an empty field for a text or a choice. */
function isBlank(field: PDFDict | undefined): boolean {
  const own = (key: string) => field && inherited(field, key);
  // A choice may have only the positions of its values, and a text only its form.
  const isFilled = ['V', 'I', 'RV'].some(
    (key) => !/^(?:\(\)|<>)?$/.test(get(own(key), key)?.toString() ?? ''),
  );
  const kind = getName(own('FT'), 'FT');
  return !isFilled && (kind === 'Ch' || (kind === 'Tx' && ((getNumber(own('Ff'), 'Ff') ?? 0) & comb) === 0));
}

/** Returns the areas of an annotation's text: its quadrilaterals or, if it has none, its box. */
function areasOf(annotation: PDFDict | undefined, box: Rectangle): Rectangle[] {
  const points = (getArray(annotation, 'QuadPoints') ?? []).map((item) =>
    item instanceof PDFNumber ? item.asNumber() : Number.NaN,
  );
  const areas: Rectangle[] = [];
  for (let at = 0; at + 8 <= points.length && areas.length < maxAreas; at += 8) {
    const [xs, ys] = [0, 1].map((odd) => [0, 2, 4, 6].map((step) => points[at + odd + step]!)) as [
      number[],
      number[],
    ];
    const area = {
      left: Math.min(...xs),
      bottom: Math.min(...ys),
      right: Math.max(...xs),
      top: Math.max(...ys),
    };
    if (area.right > area.left && area.top > area.bottom) areas.push(area);
  }
  return areas.length > 0 ? areas : [box];
}

function actionOf(annotation: PDFDict | undefined): string {
  return ['A', 'Dest'].map((key) => annotation?.get(PDFName.of(key))?.toString() ?? '').join(' ');
}

export function pageResources(page: PDFDict): PDFDict | undefined {
  return getDict(inherited(page, 'Resources'), 'Resources');
}
