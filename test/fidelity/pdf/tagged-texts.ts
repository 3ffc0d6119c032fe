import { plainText } from '#server/formats/inline-content.ts';
import { findContinued } from '#server/formats/pdf/continuations.ts';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import { apply, type Matrix } from '#server/formats/pdf/geometry.ts';
import type { PageContent, ShownGlyph, StructureElement } from '#server/formats/pdf/page-content.ts';

/*
 * In a tagged PDF, the author's program declares which letters are one text. This program compares these texts with the
 * texts of the service, which reads the page with the tags or without them.
 */

export type Mode = 'off' | 'on';

export const kinds = ['paragraph', 'heading', 'list item', 'cell', 'other'] as const;

/** A declared text of a page. */
export interface JudgedText {
  /** Its position among the declared texts of its page. */
  index: number;
  kind: (typeof kinds)[number];
  text: string;
  /** Whether it is divided, whether other words are in its text, or both; undefined if it is exact. */
  fault?: 'cut' | 'joined' | 'both' | undefined;
  /** The texts of the service that have its letters, if it is not exact. */
  found: string[];
}

/** The minimum share of the letters of a page that are in declared texts. Other pages are left out. */
const minCoverage = 0.8;

const isWord = /\p{L}{2}|\p{Lo}/u;
const isValue = /\p{L}{2}|\p{Lo}|\p{N}/u;
/** Dots before a page number, and blanks of a form. */
const leader = /[.…·_]{4}|…{2}/u;
/** The minimum gap between two letters of a line, in em, from which a declared text is a row of values. */
const minTab = 2;
/** The reasons for which letters stay that are parts of a text, such as bullets; and those of letters that are not visible. */
const ignored =
  /^(?:label|number|symbol|blank|leader|invisible|tiny|clipped|covered|partly_covered|undecodable)$/;

/**
 * Judges the texts of a page. These are left out: texts without words, texts that stay as a whole, rows of values with tabs
 * or leaders between them, which some programs declare as one text. Letters without a declared text (headers, labels of items)
 * count only as faults, if words of them are in a text.
 *
 * @returns undefined for a page whose letters are mostly not in declared texts
 */
export function judgeTexts(page: PageContent, mode: Mode): JudgedText[] | undefined {
  const declared = declaredTexts(page);
  if (!declared) return undefined;
  const hidden = mode === 'off' ? hideTags(page) : [];
  const { blocks, kept } = findBlocks(page);
  for (const [text, element] of hidden) text.element = element;
  const next = new Map(
    findContinued([{ blocks }]).flatMap(([first, ...ids]) => ids.map((id) => [id, first] as const)),
  );
  const owners = new Map<ShownGlyph, string>();
  const texts = new Map<string, { content: string; glyphs: ShownGlyph[] }>();
  for (const { id, glyphs, content } of blocks) {
    const owner = next.get(id) ?? id;
    const own = texts.get(owner) ?? { content: '', glyphs: [] };
    texts.set(owner, own);
    own.content = `${own.content} ${plainText(content)}`.trim();
    for (const { text, from, to } of glyphs)
      for (const glyph of text.glyphs.slice(from, to)) {
        owners.set(glyph, owner);
        own.glyphs.push(glyph);
      }
  }
  const reasons = new Map(
    kept.flatMap(({ reason, glyphs }) =>
      glyphs.flatMap(({ text, from, to }) =>
        text.glyphs.slice(from, to).map((glyph) => [glyph, reason] as const),
      ),
    ),
  );
  return declared.list.flatMap(({ element, glyphs, text, isRow }, index): JudgedText[] => {
    const seen = glyphs.filter((glyph) => owners.has(glyph) || !ignored.test(reasons.get(glyph) ?? 'blank'));
    const own = new Set(seen.map((glyph) => owners.get(glyph)));
    if (!isWord.test(text) || isRow || !own.values().some((owner) => owner !== undefined)) return [];
    const isCut = own.size > 1;
    const isJoined = own.values().some((owner) => hasOthers(texts.get(owner ?? '')?.glyphs ?? [], element));
    const fault = isCut ? (isJoined ? 'both' : 'cut') : isJoined ? 'joined' : undefined;
    const found = fault ? [...own].map((owner) => (owner && texts.get(owner)?.content) ?? '(kept)') : [];
    return [{ index, kind: kindOf(element), text, fault, found }];
  });

  /** Whether letters of a text of the service belong to other declared texts, or to none. */
  function hasOthers(glyphs: readonly ShownGlyph[], element: StructureElement): boolean {
    const others = Map.groupBy(glyphs, (glyph) => declared!.elements.get(glyph));
    return others.entries().some(([other, own]) => {
      const text = own.map((glyph) => glyph.text).join('');
      return other !== element && (other ? isValue : isWord).test(text);
    });
  }
}

interface DeclaredText {
  element: StructureElement;
  glyphs: ShownGlyph[];
  text: string;
  isRow: boolean;
}

/** Returns the declared texts of a page; undefined if most of its letters are in none. */
export function declaredTexts({
  texts,
}: PageContent): { list: DeclaredText[]; elements: Map<ShownGlyph, StructureElement> } | undefined {
  const found = new Map<StructureElement, ShownGlyph[]>();
  const elements = new Map<ShownGlyph, StructureElement>();
  let [all, tagged] = [0, 0];
  const places = new Map<ShownGlyph, Place>();
  for (const { element, glyphs, kept, matrix } of texts) {
    for (const glyph of glyphs) {
      if (glyph.text.trim() === '') continue;
      places.set(glyph, placeOf(glyph, matrix));
      if (kept === null && /\p{L}/u.test(glyph.text)) {
        all++;
        if (element) tagged++;
      }
      if (!element) continue;
      elements.set(glyph, element);
      const own = found.get(element);
      if (own) own.push(glyph);
      else found.set(element, [glyph]);
    }
  }
  if (tagged === 0 || tagged < minCoverage * all) return undefined;
  const list = [...found].map(([element, glyphs]) => {
    const text = glyphs.map((glyph) => glyph.text).join('');
    return {
      element,
      glyphs,
      text,
      isRow: leader.test(text) || hasTabs(glyphs.map((glyph) => places.get(glyph)!)),
    };
  });
  return { list, elements };
}

/** The place of a glyph on the page. */
interface Place {
  left: number;
  right: number;
  baseline: number;
  size: number;
}

function placeOf({ x, advance }: ShownGlyph, matrix: Matrix): Place {
  const [left, baseline] = apply(matrix, x, 0);
  return { left, right: apply(matrix, x + advance, 0)[0], baseline, size: Math.hypot(matrix[2], matrix[3]) };
}

function hasTabs(places: readonly Place[]): boolean {
  const lines = Map.groupBy(places, ({ baseline }) => Math.round(baseline));
  return lines.values().some((line) => {
    const sorted = line.toSorted((one, other) => one.left - other.left);
    return sorted.slice(1).some(({ left, size }, index) => left - sorted[index]!.right > minTab * size);
  });
}

export function hideTags(page: PageContent) {
  const hidden = page.texts.map((text) => [text, text.element] as const);
  for (const [text] of hidden) text.element = undefined;
  return hidden;
}

function kindOf({ type, within = '' }: StructureElement): JudgedText['kind'] {
  const kind = (name: string): JudgedText['kind'] | undefined => {
    if (/^T[DH]$/.test(name)) return 'cell';
    return /^L(?:I|Body)$/.test(name) ? 'list item' : undefined;
  };
  const own = /^(?:H\d?|Title)$/.test(type) ? 'heading' : type === 'P' ? 'paragraph' : 'other';
  return kind(type) ?? kind(within) ?? own;
}
