import { formatTagged, plainText } from '#server/formats/inline-content.ts';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import type { PageContent, Paint, ShownText, TextFont } from '#server/formats/pdf/page-content.ts';

export const serif: TextFont = {
  name: 'Times-Roman',
  family: 'serif',
  bold: false,
  italic: false,
  ascent: 0.8,
  descent: 0.2,
};
export const bold: TextFont = { ...serif, name: 'Times-Bold', bold: true };
export const mono: TextFont = { ...serif, name: 'Courier', family: 'mono' };

export interface TextOptions {
  size?: number;
  font?: TextFont;
  color?: string;
  /** Counter-clockwise. */
  degrees?: number;
  /** The space between letters, in em. */
  spacing?: number;
  kept?: ShownText['kept'];
}

/** The width of a text that `text` shows, in em. */
export function widthOf(value: string): number {
  return [...value].reduce((width, character) => width + advanceOf(character), 0);
}

/** The width of a character in em: letters and digits 0.5, ideographs 1, spaces and periods 0.25. */
function advanceOf(character: string): number {
  if (/\p{M}/u.test(character)) return 0;
  if (/[\s.,:;|'´]/u.test(character)) return 0.25;
  return /\p{Script=Han}/u.test(character) ? 1 : 0.5;
}

/** A text that one operator shows. */
export function text(value: string, x: number, y: number, options: TextOptions = {}): ShownText {
  const { size = 10, font = serif, color = '', degrees = 0, spacing = 0, kept = null } = options;
  const [cosine, sine] = [
    Math.cos((degrees * Math.PI) / 180) * size,
    Math.sin((degrees * Math.PI) / 180) * size,
  ];
  let at = 0;
  return {
    place: { use: 0, start: 0, end: 1 },
    order: 0,
    glyphs: [...value].map((character) => {
      const glyph = { text: character, x: at, advance: advanceOf(character) };
      at += glyph.advance + spacing;
      return glyph;
    }),
    font,
    matrix: [cosine, sine, -sine, cosine, x, y],
    color,
    optionalContent: [],
    kept,
  };
}

/** Lines below each other. */
export function lines(
  values: readonly string[],
  x: number,
  top: number,
  options: TextOptions & { leading?: number } = {},
) {
  const { leading = 12 } = options;
  return values.map((value, index) => text(value, x, top - index * leading, options));
}

export function rule(left: number, bottom: number, right: number, top: number): Paint {
  return { kind: 'fill', box: { left, bottom, right, top }, order: 0, opaque: true };
}

/** A page of 600 by 800 points. */
export function page(
  texts: readonly (ShownText | ShownText[])[],
  paints: Paint[] = [],
  number = 1,
): PageContent {
  return {
    number,
    box: { left: 0, bottom: 0, right: 600, top: 800 },
    rotation: 0,
    texts: texts
      .flat()
      .map((shown, order) => ({ ...shown, order, place: { use: 0, start: order, end: order + 1 } })),
    paints,
    annotations: [],
  };
}

/** The text of each block with its tags, in reading order. */
export const read = (content: PageContent): string[] =>
  findBlocks(content).blocks.map((block) => formatTagged(block.content));
/** The text of each block without tags. */
export const plainTexts = (content: PageContent): string[] =>
  findBlocks(content).blocks.map((block) => plainText(block.content));
export const keptOf = (content: PageContent): [string, string][] =>
  findBlocks(content).kept.map(({ reason, text: kept }) => [reason, kept]);

export const prose = [
  'The committee met in spring and agreed on',
  'the plan that the members had discussed in',
  'the winter before, with few small changes.',
];
