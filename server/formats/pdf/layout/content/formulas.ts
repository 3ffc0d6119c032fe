import { functionName, isFormulaGlyph, isInUnicodeFont } from './formula-glyphs.ts';
import type { JoinedCharacter } from './joined-text.ts';

/** Consecutive characters of a text, by their first index and the index after the last one. */
export interface CharacterRange {
  from: number;
  to: number;
}

/** The maximum number of formulas in a text. With more tags, models make mistakes. */
const maxFormulas = 60;
/** The minimum number of letters of a word next to a formula, such as the end of a compound. */
const minWord = 3;
/** The maximum width of a space within a formula, as a share of the font size. Spaces between words are wider. */
const maxSpaceInFormula = 0.2;

export const mathSign = /[=+−×÷∗·√∞≈≠≤≥<>±∂∇∑∏∫∈∉⊂⊆∪∩→⇒⇔∀∃∧∨¬^|′∘]|\p{Sm}/u;
/** The fonts for formulas in which a comma or a period is one. Others have signs at these codes. */
const variables = /MI[AB]?\d*$|Math/i;
const letter = /\p{L}/u;
const hyphen = /^[-‐‑–—'’"“”/]$/u;
const punctuation = /^[.,;:!?…'’"“”]$/u;
const neutral = /^[\p{N}\p{P}\p{S}]+$/u;
const [opening, closing] = [/^[([{⟨⌈⌊]$/u, /^[)\]}⟩⌉⌋]$/u];
/** Signs that need other glyphs to be a formula: bullets, and the marks of notes. */
const mark = /^[•·∙◦∗*†‡§¶®©™°]+$/u;

const isSeed = (character: JoinedCharacter | undefined): boolean =>
  character?.glyph != null && !character.glyph.isBlank && isFormulaGlyph(character.glyph);

function isPunctuation(character: JoinedCharacter): boolean {
  if (character.rise !== 0 || !punctuation.test(character.text)) return false;
  return !isSeed(character) || variables.test(character.glyph!.piece.shown.font.name);
}

/** A part of a text without spaces. */
interface Part extends CharacterRange {
  /** Whether a space, or the end of the line, is next to the part. */
  isAfterSpace: boolean;
  isBeforeSpace: boolean;
  hasSeed: boolean;
  /** The number of opening brackets minus the number of closing ones. */
  openBrackets: number;
}

/**
 * Finds the formulas within a text. A formula consists of glyphs of fonts for formulas, and of the digits, brackets and
 * signs between them. It ends at the end of a line.
 */
export function findFormulas(characters: readonly JoinedCharacter[]): CharacterRange[] {
  if (!characters.some(isSeed)) return [];
  const found: CharacterRange[] = [];
  let open: Part | undefined;
  const close = () => {
    const range = open?.hasSeed ? trimmed(open, characters) : undefined;
    if (range) found.push(range);
    open = undefined;
  };
  for (const part of partsOf(characters)) {
    if (open && continuesFormula(open, part, characters))
      open = {
        ...part,
        from: open.from,
        isAfterSpace: open.isAfterSpace,
        hasSeed: open.hasSeed || part.hasSeed,
        openBrackets: open.openBrackets + part.openBrackets,
      };
    else {
      close();
      open = part;
    }
  }
  close();
  return found.length <= maxFormulas ? found : [];
}

/** Returns the parts of a text that are formulas, or may belong to one. */
function partsOf(characters: readonly JoinedCharacter[]): Part[] {
  const parts: Part[] = [];
  const isEnd = (at: number) =>
    at < 1 ||
    at >= characters.length ||
    isSpace(characters[at - 1]!) ||
    isSpace(characters[at]!) ||
    characters[at]!.line !== characters[at - 1]!.line;
  for (let from = 0, to = 0; from < characters.length; from = to) {
    for (to = from + 1; !isEnd(to); ) to++;
    if (isSpace(characters[from]!)) continue;
    for (const range of withoutWords({ from, to }, characters)) {
      const own = characters.slice(range.from, range.to);
      const hasSeed = own.some(isSeed);
      if (!hasSeed && !isNeutral(textOf(range, characters))) continue;
      const [isAfterSpace, isBeforeSpace] = [range.from === from, range.to === to];
      parts.push({ ...range, hasSeed, isAfterSpace, isBeforeSpace, openBrackets: bracketsIn(own) });
    }
  }
  return parts;
}

function isSpace(character: JoinedCharacter): boolean {
  return character.text !== '' && character.text.trim() === '' && !isSeed(character);
}

function isNeutral(text: string): boolean {
  return neutral.test(text) || functionName.test(text);
}

function textOf({ from, to }: CharacterRange, characters: readonly JoinedCharacter[]): string {
  return characters
    .slice(from, to)
    .map(({ text }) => text)
    .join('');
}

/** Splits a part at hyphens and quotes, and at words that are next to a formula without a space. */
function withoutWords(
  { from, to }: CharacterRange,
  characters: readonly JoinedCharacter[],
): CharacterRange[] {
  if (!characters.slice(from, to).some(isSeed)) return [{ from, to }];
  const ranges: CharacterRange[] = [];
  let start = from;
  const cut = (at: number, next: number) => {
    if (at > start) ranges.push({ from: start, to: at });
    start = next;
  };
  for (let at = from; at < to; at++) {
    const { text, rise } = characters[at]!;
    if (isSeed(characters[at])) continue;
    if (hyphen.test(text) && rise === 0) cut(at, at + 1);
    if (!isWordLetter(characters[at]!)) continue;
    let end = at + 1;
    while (end < to && isWordLetter(characters[end]!)) end++;
    const word = textOf({ from: at, to: end }, characters);
    const isCalled = end < to && opening.test(characters[end]!.text);
    if (word.length >= minWord && !functionName.test(word) && !isCalled) cut(at, end);
    at = end - 1;
  }
  cut(to, to);
  return ranges;
}

function isWordLetter(character: JoinedCharacter): boolean {
  return character.rise === 0 && letter.test(character.text) && !isSeed(character);
}

/** Whether a formula continues after a space: after or before an operator, within brackets, or after a narrow space. */
function continuesFormula(open: Part, next: Part, characters: readonly JoinedCharacter[]): boolean {
  if (!open.isBeforeSpace || !next.isAfterSpace) return false;
  const [last, first] = [characters[open.to - 1]!, characters[next.from]!];
  const between = characters.slice(open.to, next.from);
  if (last.line !== first.line || between.length > 1 || !between.every(isSpace)) return false;
  if (mathSign.test(last.text) || mathSign.test(first.text) || open.openBrackets > 0) return true;
  const gap = first.glyph && last.glyph ? first.glyph.left - last.glyph.right : 0;
  return !isPunctuation(last) && gap < maxSpaceInFormula * (last.glyph?.piece.size ?? 0);
}

function bracketsIn(characters: readonly JoinedCharacter[]): number {
  let count = 0;
  for (const { text } of characters) count += Number(opening.test(text)) - Number(closing.test(text));
  return count;
}

/** Removes the punctuation and the brackets of the sentence around a formula; undefined if nothing remains. */
function trimmed(
  { from, to }: CharacterRange,
  characters: readonly JoinedCharacter[],
): CharacterRange | undefined {
  let [start, end] = [from, to];
  let open = bracketsIn(characters.slice(from, to));
  for (let isChanged = true; isChanged && start < end; ) {
    isChanged = false;
    const [first, last] = [characters[start]!, characters[end - 1]!];
    if (isSpace(last) || isPunctuation(last) || (closing.test(last.text) && open < 0)) {
      open -= bracketsIn([last]);
      end--;
      isChanged = true;
    } else if (isSpace(first) || isPunctuation(first) || (opening.test(first.text) && open > 0)) {
      open -= bracketsIn([first]);
      start++;
      isChanged = true;
    }
  }
  const range = { from: start, to: end };
  const text = textOf(range, characters);
  const seeds = characters.slice(start, end).filter(isSeed);
  // Signs such as × or ≤ between numbers are a part of the sentence, if their characters are known.
  const isOfNumbers = !/[\p{L}\ufffd]/u.test(text) && seeds.every(({ glyph }) => isInUnicodeFont(glyph!));
  return seeds.length === 0 || isOfNumbers || mark.test(text) ? undefined : range;
}
