import type { PDFRef } from '@cantoo/pdf-lib';
import type { Finding } from '../../document.ts';
import type { InlineContent } from '../../inline-content.ts';
import type { DocumentFonts } from '../../typesetting/document-fonts.ts';
import type { ShownLine } from '../../typesetting/line-writer.ts';
import { fillLastLines } from '../fitting/divided-texts.ts';
import { type DrawnBlock, drawBlock, filled } from '../fitting/draw-block.ts';
import { type Frame, lastBaselineOf } from '../fitting/fit.ts';
import { type BlockTranslation, isMirrored, type Languages, moved } from '../fitting/frames.ts';
import { drawLeader } from '../fitting/leaders.ts';
import { drawLabel, labelMoves } from '../fitting/moved-labels.ts';
import { drawSame, keptMarks, riseOf } from '../fitting/same-text.ts';
import { FittedTexts, type Fitting, occupiedBy } from '../fitting/shrink.ts';
import { missingInFonts } from '../fitting/styled-text.ts';
import { formatPoints, truncate } from '../fitting/truncate.ts';
import { intersection, type Rectangle, transformRectangle } from '../geometry.ts';
import type { KeptText } from '../layout/content/kept-text.ts';
import { isField, type Mark, redrawn } from '../model/marks.ts';
import { type Direction, PageModel } from '../model/page-model.ts';
import type { PageContent, Paint } from '../page-content.ts';
import { least } from '../statistics.ts';
import type { GlyphRange, TextBlock } from '../text-block.ts';

/** The typeset translations of a page. */
export interface TypesetPage {
  /**
   * The operators to append to the page's content. They are in the page's user space, and they start with the initial
   * graphics state.
   */
  operators: string;
  /** The same for the watermarks, which are drawn below the page's content. */
  watermarks: string;
  /** The fonts that the operators use, by the names that they must have in the page's resources. */
  fonts: Map<string, PDFRef>;
  findings: Finding[];
  /** The rectangle around each translated text, by block id, in the page's user space. */
  places: Map<string, Rectangle>;
  /** The ids of the texts that stay as they are drawn in the source. */
  unchanged: Set<string>;
  /** Glyphs of other texts that must be removed: dots and numbers that were drawn again, or that a text covers. */
  removed: GlyphRange[];
  /** The rules under and through texts. They must be removed, because they were drawn again. */
  rules: Paint[];
  /** The drawn bullets and rules that move with their texts. */
  moves: Map<Paint, [x: number, y: number]>;
  /** The new areas of form fields that have become shorter, by the position in the page's list of annotations. */
  fields: Map<number, Rectangle>;
  /** The rest of the translations of texts that continue on the next page, by the ids of their next blocks. */
  rests: Map<string, InlineContent>;
  /** The areas of the words under each link and markup, by the position in the page's list of annotations. */
  marks: Map<number, Rectangle[]>;
}

/**
 * The maximum number of text directions on a page whose texts may use free space. If a page has more directions, the
 * texts in further directions stay in their boxes.
 */
const maxRotations = 8;

/** The translations of a page, each with its place and size. */
export interface FittedPage {
  page: PageContent;
  items: readonly BlockTranslation[];
  languages: Languages;
  model: PageModel;
  directions: { direction: Direction; texts: FittedTexts }[];
}

/**
 * Gives the translations of a page's blocks places and sizes at the positions of their sources. Other visible content
 * keeps its space.
 *
 * @param translations the blocks with their translations, in reading order; earlier blocks use free space first
 * @param kept the texts of the page that are not translated
 * @param canStay whether a text that is the same in both languages may stay as it is drawn in the source
 */
export function fitBlocks(
  page: PageContent,
  translations: readonly BlockTranslation[],
  languages: Languages,
  kept: readonly KeptText[] = [],
  canStay = true,
): FittedPage {
  const isFixed = canStay && !isMirrored(languages);
  const items = withHyphenation(translations).map(({ isSame, ...item }) => ({
    ...item,
    isSame: isFixed && isSame === true,
  }));
  const model = new PageModel(page, items, languages, kept);
  const directions = model.directions.map((direction, index) => {
    const { columns, space } = model.regions(direction, index < maxRotations);
    const texts = new FittedTexts(columns, space);
    for (const { fit, frame } of texts.fittings)
      if (!model.watermarks.has(frame.id))
        model.occupy(transformRectangle(direction.rotation.toPage, occupiedBy(frame, fit)));
    return { direction, texts };
  });
  return { page, items, languages, model, directions };
}

/**
 * Typesets the fitted translations of a page.
 *
 * @param fonts the fonts of the document; the caller must call their `embed` after the last page
 */
export function typesetPage(
  { page, items, languages, model, directions }: FittedPage,
  fonts: DocumentFonts,
): TypesetPage {
  const set = emptyPage();
  const blocks = new Map(items.map(({ block }) => [block.id, block]));
  const { labels, watermarks } = model;
  const drawn = new Map<string, string>();
  const words: (DrawnBlock['marks'][number] & { isKept?: boolean })[] = [];
  const show = (block: TextBlock, operators: string, used: ReadonlyMap<string, PDFRef>): void => {
    if (operators) drawn.set(block.id, wrapped(operators, block));
    for (const [name, ref] of used) set.fonts.set(name, ref);
  };
  for (const { direction, texts } of directions) {
    const { frames, leaders, marks, rotation } = direction;
    const sources = new Map(frames.map((frame) => [frame.id, frame]));
    const fittings = new Map(texts.fittings.map((fitting) => [fitting.frame.id, fitting]));
    for (const [id, rest] of fillLastLines(items, fittings, languages)) set.rests.set(id, rest);
    for (const fitting of fittings.values()) {
      const block = blocks.get(fitting.frame.id)!;
      const source = sources.get(block.id)!;
      const isSame = fitting.frame.stays;
      if (isSame && riseOf(source, fitting.fit) === 0) {
        set.unchanged.add(block.id);
        set.places.set(block.id, transformRectangle(block.matrix, block.box));
        words.push(...keptMarks(block, page.annotations).map((mark) => ({ ...mark, isKept: true })));
        continue;
      }
      set.rules.push(...block.rules);
      const { frame, finding } = fitting.whole
        ? { frame: fitting.frame }
        : truncate(block, fitting, languages);
      const text = isSame
        ? drawSame(block, source, riseOf(source, fitting.fit), rotation, fonts)
        : drawBlock(frame, fitting.fit, rotation.toPage, fonts);
      const rise = fitting.fit.baseline - frame.baseline;
      const along = labelMoves(frame, frame.labelLeft ?? frame.box.right) ? shiftOf(block, frame, text) : 0;
      const isDrawn = block.label?.glyphs.some(({ text }) => text.shapes);
      const label = isDrawn || Math.hypot(along, rise) > 0.01 ? labels.get(block.id) : undefined;
      const bullet = label && drawLabel(label, [along, rise], rotation, fonts);
      const moving: ShownLine[] = [];
      const lines: string[] = [];
      for (const mark of marks.get(block.id) ?? []) {
        const { object, box, line } = mark;
        const rise = rises(fitting)[line];
        const drawn = text.lines[line === 'first' ? 0 : text.lines.length - 1];
        const again = drawn && redrawn(mark, frame, drawn);
        if (isField(object)) {
          if (again) set.fields.set(object.index!, transformRectangle(rotation.toPage, again));
          continue;
        }
        if (again && 'kind' in object) {
          set.rules.push(object);
          lines.push(`${object.color} ${filled(moved(again, 0, rise), rotation.toPage)}`);
          continue;
        }
        const isBullet = 'kind' in object && box.right < frame.box.left + 0.1 * frame.size;
        if (Math.abs(rise) < 0.01 || !(fitting.inColumn || isBullet)) continue;
        if ('kind' in object) {
          const [, , x, y] = rotation.toPage;
          if (staysVisible(object, x * rise, y * rise)) set.moves.set(object, [x * rise, y * rise]);
        } else {
          moving.push(drawLabel(object, [0, rise], rotation, fonts));
          set.removed.push(...object.glyphs);
        }
      }
      const leader = leaders.get(block.id);
      const dots = leader && drawLeader(leader, text.lines, frame, rotation.toPage, fonts);
      show(
        block,
        [bullet, ...moving, text]
          .map((shown) => shown?.operators ?? '')
          .concat(dots?.operators ?? [], lines)
          .join('\n')
          .trim(),
        new Map([text, bullet, dots, ...moving].flatMap((shown) => [...(shown?.fonts ?? [])])),
      );
      set.removed.push(...(dots?.removed ?? []), ...(label?.glyphs ?? []));
      words.push(...text.marks);
      set.places.set(block.id, transformRectangle(rotation.toPage, text.box));
      set.findings.push(...(finding ? [finding] : []), ...findingsOf(block, fitting));
    }
  }
  for (const [mark, areas] of Map.groupBy(words, ({ mark }) => mark))
    if (!areas.every(({ isKept }) => isKept))
      set.marks.set(
        mark,
        areas.map(({ box }) => box),
      );
  const isBelow = ({ block }: BlockTranslation): boolean =>
    watermarks.has(block.id) && isFirstPainted(block, page);
  const draw = (shown: readonly BlockTranslation[]): string =>
    shown.flatMap(({ block }) => drawn.get(block.id) ?? []).join('\n');
  set.operators = draw(items.filter((item) => !isBelow(item)));
  set.watermarks = draw(items.filter(isBelow));
  return set;
}

function emptyPage(): TypesetPage {
  return {
    ...{ operators: '', watermarks: '', findings: [], removed: [], rules: [] },
    ...{ fonts: new Map(), places: new Map(), unchanged: new Set() },
    ...{ moves: new Map(), fields: new Map(), rests: new Map(), marks: new Map() },
  };
}

/** Whether an object that moves with its text is visible at the new place as at the old one. */
function staysVisible({ box, clip }: Paint, dx: number, dy: number): boolean {
  // A part of an object at the edge of its clip may be hidden, and would appear.
  const isVisible = (from: number, to: number, by: number, least: number, most: number): boolean =>
    by === 0 || (Math.min(from, from + by) > least + 0.1 && Math.max(to, to + by) < most - 0.1);
  return (
    isVisible(box.left, box.right, dx, clip!.left, clip!.right) &&
    isVisible(box.bottom, box.top, dy, clip!.bottom, clip!.top)
  );
}

/** The maximum width of a column in which words are divided, in em. */
const maxNarrow = 30;

/** Divides words in the texts of a narrow column if they are divided in one of its sources. Other texts keep their words. */
function withHyphenation(items: readonly BlockTranslation[]): BlockTranslation[] {
  const columnOf = ({ matrix, box, style, kind }: TextBlock): string | undefined => {
    const isNarrow = box.right - box.left <= maxNarrow * style.size && kind !== 'heading';
    const left = Math.round(transformRectangle(matrix, box).left / style.size);
    return isNarrow ? `${left} ${Math.round(style.size)}` : undefined;
  };
  const columns = new Set(items.flatMap(({ block }) => (block.isHyphenated ? (columnOf(block) ?? []) : [])));
  return items.map(({ block, ...item }) => {
    const column = columnOf(block);
    return { ...item, block: { ...block, isHyphenated: column !== undefined && columns.has(column) } };
  });
}

/** Whether nothing was painted before a text at its place, such as a background that would cover it. */
function isFirstPainted({ glyphs, matrix, box }: TextBlock, { paints }: PageContent): boolean {
  const order = least(glyphs.map(({ text }) => text.order));
  const place = transformRectangle(matrix, box);
  return !paints.some((paint) => paint.order < order && intersection(paint.box, place));
}

/** Returns how far the start of a text's first line has moved to the right. */
function shiftOf({ box, lines }: TextBlock, frame: Frame, drawn: DrawnBlock): number {
  const start = frame.box.left + lines[0]!.left - box.left;
  return (drawn.lines[0]?.left ?? start) - start;
}

/** Returns how far the first and the last line of a text have moved up. */
function rises({ fit, frame }: Fitting): Record<Mark['line'], number> {
  const last = fit.baseline - (fit.lines - 1) * fit.leading;
  return { first: fit.baseline - frame.baseline, last: last - lastBaselineOf(frame) };
}

/** Encloses the operators of a block in the block's optional content, and restores the graphics state after them. */
function wrapped(operators: string, { glyphs }: TextBlock): string {
  const groups = glyphs[0]?.text.optionalContent ?? [];
  const begin = groups.map((name) => `/OC /${name} BDC\n`).join('');
  return `q\n${begin}${operators}\n${'EMC\n'.repeat(groups.length)}Q`;
}

/** The scale from which a reader does not see that a text is smaller than its source. */
const asLarge = 0.95;

function findingsOf(block: TextBlock, { fit, frame, shrunk }: Fitting): Finding[] {
  const findings: Finding[] = [];
  const unitId = block.id;
  if (shrunk && fit.scale < asLarge) {
    const sizes = `set at ${formatPoints(frame.size * fit.scale)} pt instead of ${formatPoints(frame.size)} pt`;
    const reason =
      shrunk === 'room'
        ? 'the translation is too long for its place'
        : 'other texts of the same style were made smaller';
    findings.push({ severity: 'info', code: 'text_shrunk', message: `${sizes}: ${reason}`, unitId });
  }
  const { characters, styles } = missingInFonts(block, frame.text);
  if (styles.length > 0)
    findings.push({
      severity: 'info',
      code: 'font_substituted',
      message: `the fonts for the target language do not have this style: ${styles.join(', ')}`,
      unitId,
    });
  if (characters.length > 0)
    findings.push({
      severity: 'warning',
      code: 'font_substituted',
      message: `no font has these characters, which are shown as boxes: ${characters.slice(0, 10).join(' ')}${characters.length > 10 ? ` and ${characters.length - 10} others` : ''}`,
      unitId,
    });
  return findings;
}
