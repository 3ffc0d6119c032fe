import type { InlineContent } from '../../inline-content.ts';
import { drawnStyle, faceOf } from '../../typesetting/font-style.ts';
import type { FontName } from '../../typesetting/fonts.ts';
import type { Direction } from '../../typesetting/languages.ts';
import type { ShownSpan } from '../../typesetting/line-writer.ts';
import { widestWord } from '../../typesetting/lines.ts';
import { type Paragraph, shapeParagraph } from '../../typesetting/paragraph.ts';
import { boxText } from '../../typesetting/shaping.ts';
import type { Decoration, MovedGlyphs, TextBlock, TextStyle } from '../text-block.ts';

/** A piece of text in one style. */
interface StyledRun {
  text: string;
  style: TextStyle;
  /** Set for a symbol that is drawn as in the source. The text is then `boxText`. */
  moved?: MovedGlyphs | undefined;
}

/** A shaped translation with the styles of its block. It can be broken into lines of any size and width. */
export interface StyledText {
  runs: readonly StyledRun[];
  /** The parts between line breaks; at least one. */
  paragraphs: readonly StyledParagraph[];
}

export interface StyledSpan extends ShownSpan {
  decoration: Decoration | undefined;
}

export interface StyledParagraph {
  /** The shaped text. Lengths are in em of the block's size. */
  shaped: Paragraph;
  /** The styles of the paragraph's spans, in order. */
  spans: readonly StyledSpan[];
  /** The symbols that are drawn as in the source, by the index of their span. */
  moved: readonly (MovedGlyphs | undefined)[];
  /** The width of the whole paragraph on one line, in em. */
  width: number;
  /** The width of the paragraph's widest word, in em. */
  widestWord: number;
}

/** Control characters. They are removed, because they draw nothing but the fonts would show a box for them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is used to remove these characters
const controls = /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f]/g;
const lineBreak = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;

/** Returns the text of a translation as runs. Each run has the style of the innermost tag around it. */
export function styledRuns(
  { spans, moved, style, smallCapitals }: TextBlock,
  target: InlineContent,
): StyledRun[] {
  const runs: StyledRun[] = [];
  const styles = [style];
  for (const item of target) {
    if (typeof item !== 'string' && item.type === 'open') styles.push(spans.get(item.tag) ?? styles.at(-1)!);
    else if (typeof item !== 'string' && item.type === 'close') {
      if (styles.length > 1) styles.pop();
    } else if (typeof item !== 'string' && moved.has(item.tag))
      runs.push({ text: boxText, style: styles.at(-1)!, moved: moved.get(item.tag) });
    else {
      const text = (typeof item === 'string' ? item : (item.text ?? ''))
        .replace(lineBreak, '\n')
        .replace(controls, '');
      if (text) runs.push({ text, style: styles.at(-1)! });
    }
  }
  return smallCapitals ? runs.flatMap((run) => inSmallCapitals(run, smallCapitals)) : runs;
}

function inSmallCapitals(run: StyledRun, share: number): StyledRun[] {
  if (run.moved) return [run];
  const style = { ...run.style, size: share * run.style.size };
  return run.text
    .split(/(\p{Ll}[\p{Ll}\p{M}]*)/u)
    .map((text, index) => (index % 2 === 1 ? { text: text.toUpperCase(), style } : { ...run, text }))
    .filter(({ text }) => text !== '');
}

const faceKey = ({ family, bold, italic }: Pick<TextStyle, 'family' | 'bold' | 'italic'>): string =>
  `${family} ${bold} ${italic}`;

/** Returns the face of most glyphs in each style of a block. Styles in which most glyphs have no face are left out. */
function facesOf({ glyphs }: TextBlock): Map<string, FontName | undefined> {
  const counts = new Map<string, Map<FontName | undefined, number>>();
  for (const { text, from, to } of glyphs) {
    const key = faceKey(text.font);
    const count = counts.get(key) ?? new Map<FontName | undefined, number>();
    counts.set(key, count);
    const face = faceOf(text.font);
    count.set(face, (count.get(face) ?? 0) + to - from);
  }
  return new Map(
    [...counts].map(([key, count]) => [
      key,
      [...count].reduce((one, other) => (other[1] > one[1] ? other : one))[0],
    ]),
  );
}

/**
 * Shapes the translation of a block. Takes time linear in the length of the text.
 *
 * @param room the width that a single line with wide letter spacing may have, in points
 */
export function shapeRuns(
  runs: readonly StyledRun[],
  block: TextBlock,
  { language, direction, room }: { language: string; direction: Direction; room?: number | undefined },
): StyledText {
  const { size } = block.style;
  const faces = facesOf(block);
  const pieces: StyledRun[][] = [[]];
  for (const { text, style, moved } of runs)
    for (const [index, piece] of text.split('\n').entries()) {
      if (index > 0) pieces.push([]);
      if (piece) pieces.at(-1)!.push({ text: piece, style, moved });
    }
  const paragraphs = pieces.map((piece) => {
    let end = 0;
    const spans = piece.map(({ text, moved, style }) => {
      end += text.length;
      const { family, bold, light, italic, size: own } = style;
      const face = faces.get(faceKey(style));
      return { end, family, bold, light, italic, face, scale: own / size, box: moved && moved.width / size };
    });
    const plain = shapeParagraph(piece.map(({ text }) => text).join(''), {
      language,
      direction,
      isHyphenated: block.isHyphenated,
      ...(spans.length > 0 ? { spans } : {}),
    });
    const spacing = spacingOf(block, plain, room);
    const shaped = spacing > 0 ? withSpacing(plain, spacing) : plain;
    return {
      shaped,
      spans: piece.map(({ style: { bold, italic, rise, color, outline, decoration } }) => ({
        ...(spacing > 0 && { spacing }),
        bold,
        italic,
        rise: rise / size,
        color,
        outline,
        decoration,
      })),
      moved: piece.map(({ moved }) => moved),
      width: shaped.clusters.reduce((sum, { advance, scale }) => sum + advance * scale, 0),
      widestWord: widestWord(shaped),
    };
  });
  return { runs, paragraphs };
}

/** Scripts whose letters are connected or stacked, so that spaces between them would break words. */
const connected =
  /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/**
 * The maximum width of a line with wide letter spacing: the larger one of a factor of the width of its source, and of what
 * is added to it, in em. A short label has mostly free space after it.
 */
const maxSpaced = { factor: 1.35, added: 4 };

/** Returns the letter spacing of a translation, in em. It is narrower than in the source if a line becomes too long. */
function spacingOf(
  { letterSpacing = 0, lines, box, style }: TextBlock,
  shaped: Paragraph,
  room = Number.POSITIVE_INFINITY,
): number {
  if (letterSpacing === 0 || connected.test(shaped.text)) return 0;
  if (lines.length > 1) return letterSpacing;
  const width = shaped.clusters.reduce((sum, { advance, scale }) => sum + advance * scale, 0);
  const own = box.right - box.left;
  const wide = Math.max(maxSpaced.factor * own, own + maxSpaced.added * style.size);
  const most = Math.min(wide, Math.max(own, room));
  const free = (most / style.size - width) / Math.max(1, shaped.clusters.length - 1);
  return Math.max(0, Math.min(letterSpacing, free));
}

function withSpacing(shaped: Paragraph, spacing: number): Paragraph {
  const clusters = shaped.clusters.map((cluster) => ({ ...cluster, advance: cluster.advance + spacing }));
  return { ...shaped, clusters };
}

/** Truncates a text to `length` UTF-16 units, and appends an ellipsis in the style of the last remaining run. */
export function truncateRuns(runs: readonly StyledRun[], length: number, style: TextStyle): StyledRun[] {
  const cut: StyledRun[] = [];
  let rest = length;
  for (const run of runs) {
    const text = run.text.slice(0, rest);
    rest -= text.length;
    if (text) cut.push({ ...run, text });
  }
  // A sign has no text to which an ellipsis could be appended.
  const last = cut.at(-1)?.moved ? undefined : cut.pop();
  return [...cut, { text: `${last?.text.trimEnd() ?? ''}…`, style: (last ?? cut.at(-1))?.style ?? style }];
}

/** The bullets and numbers before items, but not a formula, which is a sign that is drawn as in the source. */
const bullet =
  /^(?:(?!\ufffc)[\p{S}\p{Po}\p{Pd}\p{Co}]|\(?[\p{L}\p{N}]{1,4}[.):]|\p{N}{1,2}(?:\.\p{N}{1,2})*\.?)$/u;

/**
 * Widens the space after a bullet or number at the start of a text, so that the rest of the first line starts at the
 * left edge of the lines below.
 *
 * @param indent the indent of the lines below, in em
 */
export function alignLabel(text: StyledText, indent: number): StyledText {
  const [first, ...others] = text.paragraphs;
  const { clusters, text: plain } = first!.shaped;
  const at = clusters.findIndex((cluster) => cluster.text === ' ');
  if (at < 1 || !bullet.test(plain.slice(0, clusters[at]!.start))) return text;
  const label = clusters.slice(0, at).reduce((sum, { advance, scale }) => sum + advance * scale, 0);
  const space = clusters[at]!;
  const added = indent - label - space.advance * space.scale;
  if (added <= 0) return text;
  const widened = clusters.with(at, { ...space, advance: (indent - label) / space.scale });
  return {
    ...text,
    paragraphs: [
      { ...first!, shaped: { ...first!.shaped, clusters: widened }, width: first!.width + added },
      ...others,
    ],
  };
}

const plainBullet = /^(?:(?!\ufffc)[\p{S}\p{Po}\p{Pd}\p{Co}]|\(?\p{N}{1,3}[.)])$/u;

/**
 * Returns the width of a bullet or number at the start of a text and of the space after it, in em; 0 if missing.
 */
export function labelWidth({ paragraphs }: StyledText): number {
  const { clusters, text } = paragraphs[0]!.shaped;
  const at = clusters.findIndex((cluster) => cluster.text === ' ');
  if (at < 1 || !plainBullet.test(text.slice(0, clusters[at]!.start))) return 0;
  return clusters.slice(0, at + 1).reduce((sum, { advance, scale }) => sum + advance * scale, 0);
}

/**
 * Lists what the fonts cannot show: in words, the styles that are imitated by drawing, and the characters that are
 * shown as boxes.
 */
export function missingInFonts(
  block: TextBlock,
  text: StyledText,
): { styles: string[]; characters: string[] } {
  const styles = new Set<string>();
  const characters = new Set<string>();
  for (const { shaped, spans } of text.paragraphs)
    for (const { font, glyphs, span, text } of shaped.clusters) {
      if (glyphs.some(({ id }) => id === 0)) characters.add(text);
      if (!/[\p{L}\p{N}]/u.test(text)) continue;
      const { bolder, slanted } = drawnStyle(font, spans[span]!);
      if (bolder) styles.add('bold is drawn with a stroke');
      if (slanted) styles.add('italic is drawn slanted');
      if (block.style.family === 'mono' && !/^(cousine|cmuTypewriter|own)/.test(font))
        styles.add('the letters differ in width');
    }
  return { styles: [...styles], characters: [...characters] };
}
