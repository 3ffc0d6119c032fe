import { bordersOnly, findCellFaults } from './cells.ts';
import {
  areOnOneLine,
  around,
  type Box,
  centerOf,
  contains,
  distanceTo,
  gapBetween,
  grow,
  heightOf,
  iouOf,
} from './geometry.ts';
import type { Graphics } from './graphics.ts';
import { mayStay } from './kept.ts';
import { type Links, linkTokens } from './link.ts';
import { kendallTau, median } from './order.ts';
import { wordsOnWords } from './overlaps.ts';
import type { Page } from './poppler.ts';
import { findIrregularities } from './regularity.ts';
import { type Dictionary, splitSentences, wrongCharacters } from './source-text.ts';
import { resultTokens, sourceTokens, type Token } from './tokens.ts';
import { type Border, isTurned, type Unit, unitAt, unitsOf } from './units.ts';
import type { WordMap } from './word-map.ts';

/** What is wrong with a word. */
export const faultKinds = [
  'untranslated',
  'lost',
  'twice',
  'moved',
  'run together',
  'leaves its cell',
  'on another color',
  'on a picture',
  'words on words',
  'off the page',
  'small',
  'uneven size',
  'changed gap',
  'parted label',
  'crossed by a rule',
  'short blank',
  'lost edge',
  'split sentence',
  'wrong characters',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** A word with a fault. It is marked on the source if `side` is 0, and on the translation if it is 1. */
export interface Fault {
  kind: FaultKind;
  side: 0 | 1;
  box: Box;
  text: string;
}

/** The figures of one translated page. */
export interface PageFigures {
  page: number;
  /** Words of the source that were translated, and words of the result. */
  words: number;
  resultWords: number;
  /** Letters of the source that should be translated, and those of them that are unchanged in the result. */
  letters: number;
  untranslatedLetters: number;
  /** The average of the common area of each unit of text and its translation; null for a page without text. */
  iou: number | null;
  /** The agreement of the order of units in the content; null for less than two units. */
  tau: number | null;
  /** The number of borders between units, where text may run together. */
  borders: number;
  /** The median ratio of the sizes of translated words and their sources. */
  size: number | null;
  faults: Fault[];
}

/** A translated word that is smaller than this part of its source is small. */
const smallest = 0.84;

/** What is known of a page besides its words and graphics. */
export interface Knowledge {
  /** The small drawn shapes of the translation. */
  marks?: readonly Box[];
  /** Null if no dictionary is installed. */
  dictionary?: Dictionary | null;
}

/** Compares a page and its translation, whose words `map` has replaced. */
export function judgePage(
  number: number,
  before: Page,
  after: Page,
  graphics: Graphics,
  map: WordMap,
  { marks = [], dictionary = null }: Knowledge = {},
): PageFigures {
  const all = sourceTokens(before, map);
  const source = all.filter((token) => token.isMapped);
  const found = resultTokens(after, map);
  const result = found.filter((token) => token.isMapped);
  const links = linkTokens(source, result);
  const rules = bordersOnly(graphics.rules, all);
  const { units, borders } = unitsOf(all, before.words, rules);
  const faults: Fault[] = [];
  const add = (kind: FaultKind, side: 0 | 1, tokens: Iterable<Pick<Token, 'box' | 'word'>>): void => {
    for (const { box, word } of tokens) faults.push({ kind, side, box, text: word.text });
  };

  const { untranslated, lost, letters } = missingWords(all, found, links, graphics.fields);
  add('untranslated', 0, untranslated);
  add('lost', 0, lost);
  const linked = new Set(links.values());
  add(
    'twice',
    1,
    result.filter((token) => !linked.has(token)),
  );
  add('moved', 1, movedWords(units, links));
  add('run together', 1, joinedWords(borders, links));
  const cells = findCellFaults(links, { ...graphics, rules }, before.width * before.height);
  add('leaves its cell', 1, cells.leaving);
  add('on another color', 1, cells.onOtherColor);
  add('on a picture', 1, cells.onPicture);
  add('words on words', 1, newOverlaps(before, after, links));
  const outside = ([left, top, right, bottom]: Box): boolean =>
    left < -1 || top < -1 || right > after.width + 1 || bottom > after.height + 1;
  add(
    'off the page',
    1,
    [...links].filter(([one, other]) => outside(other.box) && !outside(one.box)).map(([, other]) => other),
  );
  const ratios = sizeRatios(links);
  add(
    'small',
    1,
    ratios.filter(({ ratio }) => ratio < smallest).map(({ result }) => result),
  );
  const irregular = findIrregularities({ before, after }, units, links, rules, {
    before: graphics.marks,
    after: marks,
  });
  add('uneven size', 1, irregular.uneven);
  add('changed gap', 1, irregular.gaps);
  add('parted label', 1, irregular.parted);
  add('crossed by a rule', 1, irregular.crossed);
  add('short blank', 0, irregular.blanks);
  add('lost edge', 1, irregular.edges);
  add('split sentence', 0, splitSentences(units, before.words, map));
  if (dictionary) add('wrong characters', 0, wrongCharacters(source, dictionary));
  const places = placesOf(units, links);
  return {
    page: number,
    words: source.length,
    resultWords: after.words.length,
    letters,
    untranslatedLetters: lettersIn(untranslated),
    iou: places.length === 0 ? null : places.reduce((sum, { iou }) => sum + iou, 0) / places.length,
    tau: tauOf(places),
    borders: borders.length,
    size: ratios.length === 0 ? null : median(ratios.map(({ ratio }) => ratio)),
    faults,
  };
}

function lettersIn(tokens: readonly Token[]): number {
  return tokens.reduce((sum, { key }) => sum + [...key].length, 0);
}

interface Missing {
  untranslated: Token[];
  lost: Token[];
  /** The number of letters of the source that are not kept by rule. */
  letters: number;
}

/** Words of the source without a translation. They are lost if the result does not have them unchanged, either. */
function missingWords(
  all: readonly Token[],
  found: readonly Token[],
  links: Links,
  fields: readonly Box[],
): Missing {
  const unchanged = linkTokens(
    all.filter((token) => !links.has(token)).map((token) => ({ ...token, isMapped: false })),
    found.filter((token) => !token.isMapped),
  );
  const kept = new Set([...unchanged.keys()].map(({ index }) => index));
  const missing: Missing = { untranslated: [], lost: [], letters: 0 };
  for (const token of all) {
    if (links.has(token)) missing.letters += [...token.key].length;
    else if (!kept.has(token.index)) {
      // A name of a symbol may be read in another way after it was moved.
      if ([...token.key].length > 1) missing.lost.push(token);
      missing.letters += [...token.key].length;
    } else if (!mayStay(token) && !fields.some((field) => contains(field, centerOf(token.box)))) {
      missing.untranslated.push(token);
      missing.letters += [...token.key].length;
    }
  }
  return missing;
}

/**
 * Words that are where another text was in the source, or far from their own. If a whole paragraph has moved in its
 * column, and is still after the one that was there, then it is in its place.
 */
function movedWords(units: readonly Unit[], links: Links): Token[] {
  const moved: Token[] = [];
  const places = new Map(units.map((unit) => [unit, resultBox(unit, links)]));
  for (const unit of units) {
    const height = Math.max(...unit.tokens.map(({ box }) => heightOf(box)));
    const own = grow(unit.box, 0.5);
    for (const token of unit.tokens) {
      const result = links.get(token);
      if (!result) continue;
      const distance = distanceTo(own, centerOf(result.box));
      if (distance === 0) continue;
      const isFar = distance > 6 * height && distance > heightOf(unit.box);
      const other = unitAt(units, result.box, unit);
      const place = other && places.get(other);
      const isKept = !other || (place && areAsBefore(unit.box, other.box, places.get(unit)!, place));
      if (isFar || !isKept) moved.push(result);
    }
  }
  return moved;
}

function resultBox({ tokens }: Unit, links: Links): Box | null {
  const boxes = tokens.flatMap((token) => links.get(token)?.boxes ?? []);
  return boxes.length === 0 ? null : around(boxes);
}

/** Whether two texts are on the same sides of each other as in the source. */
function areAsBefore(one: Box, other: Box, oneAfter: Box, otherAfter: Box): boolean {
  return sideOf(one, other) === sideOf(oneAfter, otherAfter);
}

/** The boxes of words include the blank between lines, so texts that are one below the other overlap a little. */
const overlapOfLines = 4;

function sideOf(one: Box, other: Box): 'above' | 'below' | 'left' | 'right' | 'over' {
  if (one[3] < other[1] + overlapOfLines && one[1] < other[1]) return 'above';
  if (other[3] < one[1] + overlapOfLines && other[1] < one[1]) return 'below';
  if (one[2] < other[0] + 1) return 'left';
  return other[2] < one[0] + 1 ? 'right' : 'over';
}

/**
 * A translation is joined to its neighbour if less than this part of a line's height is between them. Texts that were on
 * two lines are now on one.
 */
const narrowestGap: Record<Border['kind'], number> = { gap: 0.45, rule: 0.45, 'line end': 1 };

/** The starts of texts that a reader cannot tell from the text before them. */
function joinedWords(borders: readonly Border[], links: Links): Token[] {
  return borders.flatMap(({ before, after, kind }) => {
    const [one, other] = [links.get(before), links.get(after)];
    if (!one || !other || isTurned(one.word) || isTurned(other.word)) return [];
    if (!areOnOneLine(one.box, other.box)) return [];
    const isNear =
      one.word === other.word ||
      gapBetween(one.word.box, other.word.box) < narrowestGap[kind] * heightOf(other.box);
    return isNear ? [other] : [];
  });
}

/** Words that are on top of others, unless their source is, too. */
function newOverlaps(before: Page, after: Page, links: Links): Token[] {
  const known = wordsOnWords(before.words);
  const excused = new Set([...links].filter(([one]) => known.has(one.word)).map(([, other]) => other.word));
  const texts = new Set([...known].map(({ text, box }) => `${text} ${box}`));
  return [...wordsOnWords(after.words)]
    .filter((word) => !excused.has(word) && !texts.has(`${word.text} ${word.box}`))
    .map((word) => ({ word, box: word.box }) as Token);
}

interface SizeRatio {
  result: Token;
  ratio: number;
}

function sizeRatios(links: Links): SizeRatio[] {
  return [...links].flatMap(([{ word: one }, result]) => {
    const other = result.word;
    // pdftohtml does not list turned text in a useful way.
    if (!one.font || !other.font || isTurned(one) || isTurned(other)) return [];
    return [{ result, ratio: other.font.size / one.font.size }];
  });
}

interface UnitPlace {
  iou: number;
  /** Its place in the layout of the source. */
  layout: number;
  /** Its place among all units in the content of the source and of the result. */
  before: number;
  after: number;
}

function placesOf(units: readonly Unit[], links: Links): UnitPlace[] {
  return units.flatMap(({ tokens }) => {
    const pairs = tokens.flatMap((token) => {
      const result = links.get(token);
      return result ? [[token, result] as const] : [];
    });
    if (pairs.length === 0) return [];
    const boxes = (side: 0 | 1): Box[] => pairs.flatMap((pair) => pair[side].boxes);
    return [
      {
        iou: iouOf(around(boxes(0)), around(boxes(1))),
        layout: median(pairs.map(([token]) => token.index)),
        before: median(pairs.map(([token]) => token.order)),
        after: median(pairs.map(([, token]) => token.order)),
      },
    ];
  });
}

/** The content of some files is not in reading order, so the layout of the source counts as well as its content. */
function tauOf(places: readonly UnitPlace[]): number | null {
  const by = (key: 'before' | 'layout') =>
    kendallTau(places.toSorted((one, other) => one[key] - other[key]).map(({ after }) => after));
  const [content, layout] = [by('before'), by('layout')];
  return content === null || layout === null ? null : Math.max(content, layout);
}
