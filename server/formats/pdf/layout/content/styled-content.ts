import { type FormatKind, joinStrings } from '../../../inline-content.ts';
import { outlineKey, type Paint, unknownText } from '../../page-content.ts';
import {
  type Decoration,
  type MovedGlyphs,
  minHighlight,
  type TextBlock,
  type TextStyle,
} from '../../text-block.ts';
import { blankBetween } from '../form-fields.ts';
import { isSameStyle, usualStyle } from '../paragraphs/text-lines.ts';
import type { Glyph } from '../pieces.ts';
import type { FindRules } from '../rule-index.ts';
import type { JoinedCharacter } from './joined-text.ts';
import { findSymbols, movedGlyphs } from './symbols.ts';

/** The maximum number of tagged spans in a text. With more tags, models make mistakes. */
const maxSpans = 20;
/** The maximum number of tagged spans in a short text. A longer text may have one for every three words. */
const minSpans = 6;
/**
 * As shares of the font size: the maximum difference between sizes that count as equal, and the minimum rise of a
 * superscript or subscript.
 */
const maxSizeDifference = 0.08;
const minRise = 0.08;
/** The minimum position of a line through a text, in em above the baseline. Lower lines are underlines. */
const minRiseOfStrike = 0.15;

const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

interface Run {
  text: string;
  style: TextStyle;
  /** Set if the run is a symbol that is drawn as in the source. */
  moved?: MovedGlyphs;
  /** The painted rules of the symbol. */
  rules?: Paint[];
}

/** The look of a text, apart from the styles of its letters. */
interface Looks {
  decorations: ReadonlyMap<Glyph, Decoration>;
  rulesIn: FindRules;
  /** Whether letters of other sizes look like the usual ones, because they are small capitals. */
  hasOneSize?: boolean;
}

/** The content of a block with numbered tags, and what the tags mean. */
type StyledContent = Pick<TextBlock, 'content' | 'spans' | 'moved' | 'rules'>;

/**
 * Returns the text of a block with numbered tags: pairs around the spans whose style differs from the block's usual
 * style, and void tags for symbols that are drawn as in the source.
 */
export function styledContent(
  characters: readonly JoinedCharacter[],
  usual: TextStyle,
  looks: Looks,
): StyledContent {
  const read = toRuns(characters, usual, looks);
  const words = characters.filter(({ text }) => text === ' ').length + 1;
  const most = Math.min(maxSpans, Math.max(minSpans, words / 3));
  const levels = [
    (style: TextStyle) => style,
    // There are too many tags. Formulas often alternate slanted and upright letters, while their meaning depends on
    // superscripts and subscripts.
    (style: TextStyle) => (style.rise !== 0 || !isDecoratedAs(style, usual) ? style : usual),
    // Many links next to each other are one span of their color.
    null,
    (style: TextStyle) => (style.rise !== 0 ? style : usual),
    () => usual,
  ];
  for (const simplify of levels) {
    const runs =
      simplify || usual.decoration ? read : toRuns(characters, usual, { ...looks, decorations: new Map() });
    const simplified = mergeRuns(runs.map((run) => ({ ...run, style: simplify?.(run.style) ?? run.style })));
    if (simplified.filter(({ style }) => style !== usual).length <= most) return tagged(simplified, usual);
  }
  return { content: [], spans: new Map(), moved: new Map(), rules: [] };
}

/**
 * Returns the style of most characters, with the decoration that most characters have. In a text with several links, it
 * is the style of the characters between them, so that each link is a span.
 */
export function usualStyleOf(
  characters: readonly JoinedCharacter[],
  decorations: ReadonlyMap<Glyph, Decoration>,
): TextStyle {
  const shown = characters.filter(({ glyph, text }) => glyph && text.trim() !== '');
  const decorationOf = ({ glyph }: JoinedCharacter) => glyph && decorations.get(glyph);
  const links = new Set([...decorations.values()].flatMap(({ marks }) => marks));
  const between = links.size > 1 ? shown.filter((character) => !decorationOf(character)?.marks.length) : [];
  if (between.length > 0) return usualStyle({ characters: between }).style;
  // In 1st, most characters are raised.
  const level = shown.filter(({ rise }) => rise === 0);
  const { style } = usualStyle({ characters: level.length > 0 ? level : characters });
  const counts = Map.groupBy(shown, decorationOf);
  const [usual] = [...counts].find(([, { length }]) => length > shown.length / 2) ?? [];
  return usual ? { ...style, decoration: usual } : style;
}

function tagged(runs: readonly Run[], usual: TextStyle): StyledContent {
  const content: StyledContent['content'] = [];
  const spans: StyledContent['spans'] = new Map();
  const symbols: StyledContent['moved'] = new Map();
  for (const { text, style, moved } of runs) {
    const tag = spans.size + symbols.size + 1;
    if (moved) {
      symbols.set(tag, moved);
      const known = text.replaceAll(unknownText, '').trim();
      content.push({ tag, type: 'void', ...(known ? { text: known } : {}) });
      continue;
    }
    if (style === usual) {
      content.push(text);
      continue;
    }
    spans.set(tag, style);
    const format = formatOf(style, usual);
    const edge = { tag, ...(format && { format }) };
    content.push({ ...edge, type: 'open' }, text, { ...edge, type: 'close' });
  }
  return {
    content: joinStrings(content),
    spans,
    moved: symbols,
    rules: runs.flatMap(({ rules = [] }) => rules),
  };
}

/** Returns the most important difference from the usual style; undefined for a link, because a link is not only formatting. */
function formatOf(style: TextStyle, usual: TextStyle): FormatKind | undefined {
  if (style.decoration?.marks.length && !isDecoratedAs(style, usual)) return undefined;
  if (style.rise !== 0) return style.rise > 0 ? 'superscript' : 'subscript';
  if (style.bold && !usual.bold) return 'bold';
  if (style.italic && !usual.italic) return 'italic';
  const [rule] = isDecoratedAs(style, usual) ? [] : (style.decoration?.rules ?? []);
  if (rule && rule.thickness < minHighlight) return rule.rise < minRiseOfStrike ? 'underline' : 'strike';
  return 'other';
}

function isDecoratedAs(style: TextStyle, usual: TextStyle): boolean {
  return style.decoration?.key === usual.decoration?.key;
}

/** Returns runs of characters with equal styles. Equal styles are the same object. */
function toRuns(
  characters: readonly JoinedCharacter[],
  usual: TextStyle,
  { decorations, rulesIn, hasOneSize }: Looks,
): Run[] {
  const styles = new Map<string, TextStyle>();
  const shared = (style: TextStyle) => {
    if (isSame(style, usual)) return usual;
    const key = `${style.family} ${style.bold} ${style.italic} ${style.size} ${Math.round(style.rise * 2)} ${style.color} ${outlineKey(style.outline)} ${style.decoration?.key}`;
    const known = styles.get(key);
    if (!known) styles.set(key, style);
    return known ?? style;
  };
  const symbols = findSymbols(characters);
  const own = characters.map(({ glyph, rise }) => {
    if (!glyph) return usual;
    const decoration = decorations.get(glyph);
    const { style: own } = glyph.piece;
    const style =
      decoration || hasOneSize
        ? { ...own, ...(hasOneSize && { size: usual.size }), ...(decoration && { decoration }) }
        : own;
    const isRaised = Math.abs(rise) > minRise * usual.size;
    return shared(isRaised ? { ...style, rise: Math.round(rise * 100) / 100 } : style);
  });
  const ofWords = withOneStyleInWords(characters, own, usual);
  const runs: Run[] = [];
  let next = 0;
  for (const [at, { text, glyph }] of characters.entries()) {
    if (text === '' || at < next) continue;
    if (symbols[at]! > at) {
      next = symbols[at]!;
      const symbol = characters.slice(at, next);
      runs.push({
        text: symbol.map(({ text }) => text).join(''),
        style: usual,
        ...movedGlyphs(symbol, rulesIn),
      });
      continue;
    }
    const last = runs.at(-1);
    if (text.trim() === '' || !glyph) {
      const [before, after] = [characters[at - 1], characters[at + 1]];
      const isInLine = before?.glyph && after?.glyph && before.line === after.line;
      const blank = isInLine && blankBetween(before.glyph!, after.glyph!, rulesIn);
      if (blank) {
        const [isApart, isBeforeSpace] = blank.spaces;
        if (isApart) runs.push({ text, style: usual });
        runs.push({ text: '____', style: usual, moved: blank.moved, rules: blank.rules });
        if (isBeforeSpace) runs.push({ text, style: usual });
      } else runs.push({ text, style: usual });
      continue;
    }
    const style = ofWords[at]!;
    if (last && !last.moved && last.style === style && last.text.trim() !== '') last.text += text;
    else runs.push({ text, style });
  }
  return mergeRuns(withoutNoise(bridgeSpaces(runs), usual));
}

/**
 * Gives all letters of a word the style of most of them, apart from superscripts and subscripts, because a tag inside a
 * word cannot be placed in its translation. Only the parts of a name such as LinguaLoop may have two styles. A word in
 * small capitals has the usual style. Scripts whose words are not
 * separated, or in which endings follow an emphasized word, keep their styles.
 */
function withOneStyleInWords(
  characters: readonly JoinedCharacter[],
  styles: readonly TextStyle[],
  usual: TextStyle,
): TextStyle[] {
  const found = [...styles];
  const isInWord = (at: number) => {
    const { text } = characters[at]!;
    return text === '' || (styles[at]!.rise === 0 && /^[\p{L}\p{M}]+$/u.test(text) && !unspaced.test(text));
  };
  const isPart = (at: number) =>
    /\p{Lu}/u.test(characters[at]!.text) && /\p{Ll}/u.test(characters[at - 1]!.text);
  for (let from = 0, to = 0; from < styles.length; from = Math.max(to, from + 1)) {
    for (to = from; to < styles.length && isInWord(to) && (to === from || !isPart(to)); ) to++;
    const letters = styles.slice(from, to).filter((_, index) => characters[from + index]!.text !== '');
    if (letters.every((style) => style === letters[0])) continue;
    const isSmallCapitals = letters.every((style) => isSame({ ...style, size: usual.size }, usual));
    found.fill(isSmallCapitals ? usual : mostCommon(letters), from, to);
  }
  return found;
}

function mostCommon(styles: readonly TextStyle[]): TextStyle {
  const counts = new Map<TextStyle, number>();
  for (const style of styles) counts.set(style, (counts.get(style) ?? 0) + 1);
  return [...counts].reduce((one, other) => (other[1] >= one[1] ? other : one))[0];
}

/**
 * Whether the style of a text differs only by its font family because the text is in another script. Digits, and
 * letters between ideographs, often have another font.
 */
function isOtherScript(text: string, style: TextStyle, usual: TextStyle, hasIdeographs: boolean): boolean {
  const isOnlyFamily = style.rise === 0 && isSame({ ...style, family: usual.family }, usual);
  return isOnlyFamily && (!/\p{L}/u.test(text) || (hasIdeographs && !ideograph.test(text)));
}

function isSame(style: TextStyle, usual: TextStyle): boolean {
  return (
    style.rise === usual.rise &&
    isSameStyle(style, usual) &&
    isDecoratedAs(style, usual) &&
    Math.abs(style.size - usual.size) <= maxSizeDifference * usual.size
  );
}

/** Gives each space between two runs of the same style the style of these runs, whatever style the file gives to it. */
function bridgeSpaces(runs: readonly Run[]): Run[] {
  return mergeRuns(
    runs.map((run, index) => {
      const [before, after] = [runs[index - 1], runs[index + 1]];
      const isBridge = run.text.trim() === '' && before && after && before.style === after.style;
      return isBridge ? { text: run.text, style: before.style } : run;
    }),
  );
}

/**
 * Removes differences of style without meaning. Signs get the surrounding style. Letters within a word get the usual
 * style if they are only smaller (small capitals) or shifted (as in TeX).
 */
function withoutNoise(runs: readonly Run[], usual: TextStyle): Run[] {
  const hasIdeographs = runs.some(({ text }) => ideograph.test(text));
  return mergeRuns(
    runs.map((run, index) => {
      const { text, style } = run;
      if (run.moved) return run;
      if (isOtherScript(text, style, usual, hasIdeographs)) return { text, style: usual };
      const isInWord =
        /\p{L}$/u.test(runs[index - 1]?.text ?? '') && /^\p{L}/u.test(runs[index + 1]?.text ?? '');
      const isSubscript = style.rise < 0 && style.size < (1 - maxSizeDifference) * usual.size;
      if (style.rise !== 0 && !isSubscript && isInWord && /^\p{L}+$/u.test(text))
        return { text, style: usual };
      if (style === usual || style.rise !== 0) return { text, style };
      if (!/[\p{L}\p{N}]/u.test(text)) {
        const [before, after] = [runs[index - 1]?.style, runs[index + 1]?.style];
        return { text, style: before === after && before && before.rise === 0 ? before : usual };
      }
      const isBilingualLetter =
        /\p{L}$/u.test(runs[index - 1]?.text ?? '') || /^\p{L}/u.test(runs[index + 1]?.text ?? '');
      const isOnlySize = isSame({ ...style, size: usual.size }, usual);
      return { text, style: isBilingualLetter && isOnlySize ? usual : style };
    }),
  );
}

function mergeRuns(runs: readonly Run[]): Run[] {
  const merged: Run[] = [];
  for (const run of runs) {
    const last = merged.at(-1);
    if (last && last.style === run.style && !last.moved && !run.moved) last.text += run.text;
    else merged.push({ ...run });
  }
  return merged;
}
