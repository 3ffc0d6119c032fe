import { type PDFDict, PDFName, PDFNumber } from '@cantoo/pdf-lib';
import { getArray, getDict } from '../../objects.ts';
import { type ShownGlyph, type ShownText, unknownText } from '../../page-content.ts';

/*
 * Ligatures whose characters the file states wrongly or not at all. Programs derive /ToUnicode from the fonts, and some
 * of them map a ligature to one of its letters, or leave it out.
 */

/** A name of a ligature in a font: `fi`, or the names of its letters with an underscore between them, as in `T_h`. */
const ligatureName = /^(?:ff|fi|fl|ffi|ffl|[A-Za-z](?:_[A-Za-z])+)(?:\.\w+)?$/;

/** Returns the letters of the ligatures that the encoding of a font names, by code: PDF 32000-1, 9.6.6. */
export function namedLigatures(font: PDFDict): ReadonlyMap<number, string> {
  const letters = new Map<number, string>();
  let code = 0;
  for (const item of getArray(getDict(font, 'Encoding'), 'Differences') ?? []) {
    if (item instanceof PDFNumber) code = item.asNumber();
    else if (item instanceof PDFName) {
      const name = item.decodeText();
      if (ligatureName.test(name)) letters.set(code, name.replace(/\..*/, '').replaceAll('_', ''));
      code++;
    }
  }
  return letters;
}

/** The letters that fonts for text draw as one glyph. */
const ligatures = ['ff', 'fi', 'fl', 'ffi', 'ffl', 'fj', 'ft', 'fft', 'ti', 'tt', 'tti', 'tf', 'Th'];
/** The ligatures of Calibri by their glyphs, which have the same numbers in all its fonts. Many programs leave these out. */
const ligaturesOfCalibri = new Map([
  [332, 'ft'],
  [415, 'ti'],
  [425, 'tt'],
  [427, 'tti'],
]);
const isLigatureLetter = /^[fijlthT]$/;
const isNarrow = /^[fijlt]$/;
/** The width of a ligature as a share of the sum of its letters. Calibri has the narrowest: `tt` has 0.946; `ti` of Lato has 1.028. */
const narrowest = 0.92;
const widest = 1.04;
/** The usual width in em of a letter that the page does not show, and how far the sum may be from it then. */
const usualWidth = 0.32;
const tolerance = 0.12;
/** The factor of a letter's width from which a glyph that is stated to be this letter may be a ligature with it. */
const suspicious = 1.6;
/** Whether a width is too large for one of the narrow letters. */
const isWide = (width: number): boolean => width >= suspicious * usualWidth;
/**
 * The minimum lead of the best reading, unless the page has the ligature with the same width elsewhere: the scores of a right and a wrong reading differ by 0.05 or more.
 */
const minLead = 0.03;
/** The share of this lead that is enough if only one ligature has the width. */
const shareOfOnly = 0.6;
/** The length of a text that the identification of a language reads, in UTF-16 units. */
const maxEvidence = 300;
/** The minimum number of glyphs of a word that is found elsewhere on the page. */
const minKnown = 4;
/** The maximum distance between two texts of one word, in em. */
const maxGap = 0.1;
/** The maximum number of glyphs that are read on a page. */
const maxOpen = 60;
/** A character that does not occur in texts. It marks the glyph that is being read. */
const mark = '\ue000';
const notInWords = /[^\p{L}\p{M}\ue000]+/u;

/** Equal glyphs of a font, with the text that the file states for them. */
interface OpenGlyph {
  stated: ShownGlyph;
  /** Whether the stated text may be right: the page shows no narrower glyph with this text. */
  isPossible: boolean;
  places: { text: ShownText; index: number }[];
  /** The ligatures that have the width of the glyph. */
  readings: string[];
  /** The lead that the best reading needs. */
  minLead: number;
}

/**
 * Reads ligatures that the font does not state, or states as one of their letters. A glyph is read as a ligature only
 * without doubt: it has the width of the letters, and with these letters the words fit the language of the page clearly
 * better than with others. Other glyphs stay as they are.
 */
export async function readLigatures(texts: readonly ShownText[]): Promise<void> {
  const open = openGlyphs(texts);
  if (open.length === 0) return;
  const { eld } = await import('eld/extrasmall');
  const known = textOf(texts)
    .split(/\s+/)
    .filter((word) => !word.includes(unknownText));
  const vocabulary = new Set(known.flatMap((word) => word.split(notInWords)));
  const { language } = eld.detect(known.join(' ').slice(0, 4 * maxEvidence));
  if (!language) return;
  // First the glyphs that occur most, because words with several unknown glyphs are used only after the others are read.
  const byCount = open.toSorted((one, other) => other.places.length - one.places.length);
  for (const { stated, isPossible, places, readings, minLead: lead } of byCount.slice(0, maxOpen)) {
    const setTo = (letters: string) => {
      for (const { text, index } of places) {
        const glyph = text.glyphs[index]!;
        text.glyphs[index] =
          letters === stated.text ? { ...stated, x: glyph.x } : withLetters(glyph, letters);
      }
    };
    setTo(mark);
    const words = new Set(
      textOf(texts)
        .split(notInWords)
        .filter((word) => word.length > 1 && word.includes(mark)),
    );
    const evidence = [...words].join(' ').slice(0, maxEvidence);
    const candidates = [...ligatures, ...(isPossible ? [stated.text] : [])];
    const [best, ...others] = candidates
      .map((letters): Reading => {
        const scores = eld.detect(evidence.replaceAll(mark, letters)).getScores();
        return { letters, score: scores[language] ?? 0 };
      })
      .toSorted((one, other) => other.score - one.score) as [Reading, ...Reading[]];
    // A longer ligature with the same letters has almost the same score, but not the same width.
    const second = others.find(
      ({ letters }) => readings.includes(letters) || !letters.includes(best.letters),
    );
    // A width that only one ligature has is evidence, too.
    const least = readings.length === 1 ? shareOfOnly * lead : lead;
    const isClear =
      words.size > 0 && best.score - (second?.score ?? 0) >= least && readings.includes(best.letters);
    // The page shows the word elsewhere, without the ligature.
    const shown = candidates.filter((letters) =>
      [...words].some((word) => word.length >= minKnown && vocabulary.has(word.replaceAll(mark, letters))),
    );
    const isShown = shown.length === 1 && readings.includes(shown[0]!);
    setTo(isShown ? shown[0]! : isClear ? best.letters : stated.text);
  }
}

function withLetters({ x, advance }: ShownGlyph, text: string): ShownGlyph {
  return { text, x, advance };
}

interface Reading {
  letters: string;
  score: number;
}

/** Finds the glyphs of a page that may be ligatures by their widths: unknown ones, and letters that are too wide. */
function openGlyphs(texts: readonly ShownText[]): OpenGlyph[] {
  const open: OpenGlyph[] = [];
  // Fonts of one name have the same letters: programs put the glyphs without a code into a separate font.
  for (const own of Map.groupBy(
    texts,
    ({ font }) => font.name.replace(/-Identity-H$/, '') || font,
  ).values()) {
    const widths = new Map<string, number>();
    const equal = new Map<string, Pick<OpenGlyph, 'stated' | 'places'>>();
    for (const text of own)
      for (const [index, glyph] of text.glyphs.entries()) {
        const { text: letters, advance, symbol } = glyph;
        if (letters !== unknownText) widths.set(letters, Math.min(advance, widths.get(letters) ?? advance));
        if (letters !== unknownText && !isLigatureLetter.test(letters)) continue;
        const key = `${letters} ${advance} ${symbol}`;
        const found = equal.get(key);
        if (found) found.places.push({ text, index });
        else equal.set(key, { stated: glyph, places: [{ text, index }] });
      }
    const isProportional = [...widths].some(([letter, width]) => isNarrow.test(letter) && !isWide(width));
    for (const { stated, places } of equal.values()) {
      const { text: letters, advance } = stated;
      const isUnknown = letters === unknownText;
      const isPossible = !isUnknown && advance < suspicious * widths.get(letters)!;
      if (isPossible && !(isProportional && isNarrow.test(letters) && isWide(advance))) continue;
      const possible = ligatures.filter((ligature) => isUnknown || ligature.includes(letters));
      const readings = possible.filter((ligature) => hasWidth(advance, ligature, widths));
      const { font } = places[0]!.text;
      const known = /^Calibri\b/.test(font.name) && ligaturesOfCalibri.get(stated.symbol ?? 0);
      if (known && readings.includes(known)) {
        for (const { text, index } of places) text.glyphs[index] = withLetters(text.glyphs[index]!, known);
        continue;
      }
      const isStated = possible.some((ligature) => Math.abs(widths.get(ligature)! - advance) < 0.001);
      if (readings.length > 0)
        open.push({ stated, isPossible, places, readings, minLead: isStated ? 0 : minLead });
    }
  }
  return open;
}

function hasWidth(advance: number, ligature: string, widths: ReadonlyMap<string, number>): boolean {
  const known = [...ligature].map((letter) => {
    const width = widths.get(letter);
    // A letter that is too wide is itself a ligature.
    return width !== undefined && isNarrow.test(letter) && isWide(width) ? undefined : width;
  });
  const sum = known.reduce<number>((total, width) => total + (width ?? usualWidth), 0);
  return known.includes(undefined)
    ? Math.abs(advance - sum) <= tolerance
    : advance >= narrowest * sum && advance <= widest * sum;
}

/** Returns the text of a page in painting order, with a space between texts that do not touch. */
function textOf(texts: readonly ShownText[]): string {
  let end: { x: number; y: number; size: number } | undefined;
  return texts
    .map(({ glyphs, matrix: [a, b, , , x, y] }) => {
      const last = glyphs.at(-1);
      const size = Math.hypot(a, b);
      const touches = end && Math.hypot(x - end.x, y - end.y) <= maxGap * size;
      const length = last ? last.x + last.advance : 0;
      end = { x: x + a * length, y: y + b * length, size };
      return `${touches ? '' : ' '}${glyphs.map(({ text }) => text).join('')}`;
    })
    .join('');
}
