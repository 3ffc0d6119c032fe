import type { PDFDict } from '@cantoo/pdf-lib';
import { intersection, type Rectangle } from './geometry.ts';
import { asDict, getArray, getDict, getName, getNumber, getRectangle, inherited } from './objects.ts';
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

/**
 * Returns the annotations that are visible or clickable. Popups are left out, because they are windows of the viewing
 * program, not a part of the page.
 */
export function pageAnnotations(page: PDFDict): PageContent['annotations'] {
  return (getArray(page, 'Annots') ?? []).flatMap((object) => {
    const annotation = asDict(object);
    const box = getRectangle(annotation, 'Rect');
    if (box === undefined || ((getNumber(annotation, 'F') ?? 0) & (hidden | noView)) !== 0) return [];
    switch (getName(annotation, 'Subtype')) {
      case 'Popup':
        return [];
      case 'Widget':
        return { kind: 'widget' as const, box };
      case 'Link':
        return { kind: 'link' as const, box };
      default:
        return { kind: 'other' as const, box };
    }
  });
}

export function pageResources(page: PDFDict): PDFDict | undefined {
  return getDict(inherited(page, 'Resources'), 'Resources');
}
