import type { PageTemplate } from '../document.ts';
import type { MarkedText } from './found-mends.ts';
import { boxDistance, type Rectangle } from './geometry.ts';
import type { PageContent } from './page-content.ts';

/*
 * Page templates: how a page is recognized in another file, such as the invoice of the next month. Its signs are its size,
 * its rules and boxes, its fonts, and its texts without their numbers, each at its place.
 */

export type PageSigns = PageTemplate['signs'];

/** The minimum length of a drawn object that is a sign, in points, and the most objects and texts. */
const minLength = 20;
const maxBoxes = 40;
const maxTexts = 60;
/** The maximum distance of a sign from its place, in points. */
const samePlace = 2;
/** The minimum shares of the signs that a page has. Some of the texts, such as names, are not those of the template. */
const minShare = { boxes: 0.9, fonts: 0.7, texts: 0.6 };
/** The minimum number of texts by which a page is recognized. Other pages have too few signs to be sure. */
const minTexts = 5;

const rounded = ({ left, bottom, right, top }: Rectangle) =>
  [left, bottom, right, top].map((value) => Math.round(value));
const withoutNumbers = (text: string) => text.replace(/\p{N}+/gu, '0');

/** @param texts the texts of the page without mends */
export function signsOf(page: PageContent, texts: readonly MarkedText[]): PageSigns {
  const { left, bottom, right, top } = page.box;
  const drawn = page.paints.flatMap(({ box, ink }) =>
    ink === undefined && Math.max(box.right - box.left, box.top - box.bottom) >= minLength
      ? [rounded(box)]
      : [],
  );
  const boxes = [...new Map(drawn.map((box) => [box.join(), box])).values()];
  const fonts = new Set(page.texts.map(({ font }) => font.name.replace(/^[A-Z]{6}\+/, '')));
  const words = texts.filter(({ text }) => /\p{L}{2}/u.test(text));
  return {
    size: [Math.round(right - left), Math.round(top - bottom)],
    boxes: boxes.slice(0, maxBoxes),
    fonts: [...fonts].sort(),
    texts: words
      .slice(0, maxTexts)
      .map(({ text, box }) => ({ text: withoutNumbers(text), box: rounded(box) })),
  };
}

/** Returns how many signs of a template a page has; undefined if it is not sure that the page is like it. */
export function recognize(template: PageSigns, page: PageSigns): { found: number; of: number } | undefined {
  if (template.size.some((length, index) => Math.abs(length - page.size[index]!) > 1)) return undefined;
  const isNear = (one: readonly number[], other: readonly number[]) =>
    one.every((value, index) => Math.abs(value - other[index]!) <= samePlace);
  const boxes = template.boxes.filter((box) => page.boxes.some((other) => isNear(box, other))).length;
  const fonts = template.fonts.filter((font) => page.fonts.includes(font)).length;
  const texts = template.texts.filter(({ text, box }) =>
    page.texts.some(
      (other) =>
        other.text === text && boxDistance(rectangleOf(box), rectangleOf(other.box)) <= 2 * samePlace,
    ),
  ).length;
  const isSure =
    texts >= Math.max(minTexts, minShare.texts * template.texts.length) &&
    boxes >= minShare.boxes * template.boxes.length &&
    fonts >= minShare.fonts * template.fonts.length;
  const of = template.boxes.length + template.fonts.length + template.texts.length;
  return isSure ? { found: boxes + fonts + texts, of } : undefined;
}

const rectangleOf = ([left = 0, bottom = 0, right = 0, top = 0]: readonly number[]): Rectangle => ({
  ...{ left, bottom, right, top },
});
