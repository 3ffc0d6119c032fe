import { fontChoice } from '../../typesetting/font-choice.ts';
import { faceOf } from '../../typesetting/font-style.ts';
import { advanceIn } from '../../typesetting/fonts.ts';
import { widestWord } from '../../typesetting/lines.ts';
import type { PageContent, TextFont } from '../page-content.ts';
import type { TextBlock } from '../text-block.ts';
import { type Frame, roomBeside } from './fit.ts';
import type { FreeSpace } from './free-space.ts';
import type { StyledParagraph } from './styled-text.ts';

/** The share of their usual width to which letters are condensed at most because of their source. */
const minStretch = 0.72;
/** The share of their usual width to which letters are stretched at most because of their source. */
const maxStretch = 1.06;
/** The shares between which letters have their usual width. */
const usual = { least: 0.97, most: 1.01 };
/** The minimum number of measured letters of a font on a page. */
const minLetters = 12;

/**
 * Measures how much narrower the letters of a page's fonts are than those of the fonts for translations. Only Latin
 * letters are measured.
 */
export class LetterWidths {
  readonly #ratios = new Map<string | TextFont, { own: number; ours: number; letters: number }>();

  /** @param language the language of the translations: a typeface may lack its letters */
  constructor({ texts }: PageContent, language: string) {
    for (const { font, glyphs, matrix } of texts) {
      const [a, b, c, d] = matrix;
      const scaling = Math.hypot(a, b) / Math.hypot(c, d);
      const name = fontChoice(language, { ...font, face: faceOf(font) })('a');
      const sum = this.#ratios.get(keyOf(font)) ?? { own: 0, ours: 0, letters: 0 };
      this.#ratios.set(keyOf(font), sum);
      for (const { text, advance } of glyphs) {
        if (!/^[A-Za-z]$/.test(text)) continue;
        const ours = advanceIn(name, text);
        if (ours === null || !Number.isFinite(scaling)) continue;
        sum.own += advance * scaling;
        sum.ours += ours;
        sum.letters++;
      }
    }
  }

  /** Returns the share of the usual width that a translation's letters must have to look as narrow as their source. */
  stretchOf({ glyphs, style }: TextBlock): number {
    if (style.family === 'mono') return 1;
    let [own, ours] = [0, 0];
    const counts = new Map<string | TextFont, number>();
    for (const { text, from, to } of glyphs) {
      const key = keyOf(text.font);
      counts.set(key, (counts.get(key) ?? 0) + to - from);
    }
    for (const [key, count] of counts) {
      const measured = this.#ratios.get(key);
      if (!measured || measured.letters < minLetters) continue;
      own += (count * measured.own) / measured.ours;
      ours += count;
    }
    const stretch = ours > 0 ? own / ours : 1;
    if (stretch >= usual.least && stretch <= usual.most) return 1;
    return Math.min(maxStretch, Math.max(minStretch, stretch));
  }
}

/** Returns a key that the fonts of one face share: programs divide a typeface by its scripts. */
function keyOf(font: TextFont): string | TextFont {
  const { name, bold, light, italic } = font;
  return name ? `${name} ${bold} ${light} ${italic}` : font;
}

/**
 * Gives the single lines of one look and letter spacing a common letter spacing: the widest one with which all of them
 * fit into the free space next to them.
 */
export function withCommonSpacing(frames: readonly Frame[], space: FreeSpace): Frame[] {
  // The labels of buttons have less space than headings of the same look.
  const keyOf = ({ container, letterSpacing, look }: Frame) =>
    `${look} ${letterSpacing.toFixed(1)} ${container !== null}`;
  const spacings = Map.groupBy(frames.filter(isSpaced), keyOf)
    .entries()
    .map(([key, group]) => [key, Math.min(...group.map((frame) => spacingOf(frame, space)))] as const);
  const common = new Map(spacings);
  return frames.map((frame) => {
    if (!isSpaced(frame)) return frame;
    const paragraphs = frame.text.paragraphs.map((own) => spaced(own, common.get(keyOf(frame))!));
    return { ...frame, text: { ...frame.text, paragraphs } };
  });
}

function isSpaced({ letterSpacing, singleLine, text }: Frame): boolean {
  const [first, ...others] = text.paragraphs;
  return letterSpacing > 0 && singleLine && others.length === 0 && first!.shaped.clusters.length > 0;
}

/** Returns the letter spacing that a text has in the free space next to it, in em. */
function spacingOf(frame: Frame, space: FreeSpace): number {
  const [{ shaped, spans, width }] = frame.text.paragraphs as [StyledParagraph];
  const own = spans[0]?.spacing ?? 0;
  const { left, right } = roomBeside(frame, space, false);
  const missing = width - (right - left) / (frame.size * frame.stretch);
  return Math.max(0, own - Math.max(0, missing / shaped.clusters.length));
}

/** Returns a paragraph with another letter spacing. */
function spaced(paragraph: StyledParagraph, spacing: number): StyledParagraph {
  const added = spacing - (paragraph.spans[0]?.spacing ?? 0);
  const widened = paragraph.shaped.clusters.map((one) => ({ ...one, advance: one.advance + added }));
  const shaped = { ...paragraph.shaped, clusters: widened };
  const width = widened.reduce((sum, { advance, scale }) => sum + advance * scale, 0);
  const spans = paragraph.spans.map((span) => ({ ...span, spacing }));
  return { ...paragraph, shaped, spans, width, widestWord: widestWord(shaped) };
}
