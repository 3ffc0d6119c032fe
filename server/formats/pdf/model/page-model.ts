import { fontOf } from '../../typesetting/languages.ts';
import { LetterWidths, withCommonSpacing } from '../fitting/condensed.ts';
import type { Frame } from '../fitting/fit.ts';
import {
  type BlockTranslation,
  isMirrored,
  type Languages,
  makeFrame,
  marginsOf,
  rotationOf,
  type TextRotation,
} from '../fitting/frames.ts';
import { FreeSpace } from '../fitting/free-space.ts';
import {
  areaOf,
  besideLeader,
  type Leader,
  leadersOf,
  movable,
  rowsWithLeaders,
} from '../fitting/leaders.ts';
import { besideLabel, canMove, movableLabels } from '../fitting/moved-labels.ts';
import { type Obstacle, obstaclesOf, watermarksOf } from '../fitting/obstacles.ts';
import { mirror, mirroredEdges } from '../fitting/right-edges.ts';
import { keptFrame } from '../fitting/same-text.ts';
import { besideObjects, wrapAround } from '../fitting/text-wrap.ts';
import { type Rectangle, transformRectangle } from '../geometry.ts';
import type { KeptText } from '../layout/content/kept-text.ts';
import type { PageContent, Paint } from '../page-content.ts';
import { append } from '../statistics.ts';
import { type BlockLabel, boxOfGlyphs, type TextBlock } from '../text-block.ts';
import { columnsOf } from './columns.ts';
import { aboveRules, besideMarks, fieldsOf, isField, type Mark, marksOf } from './marks.ts';

/** The texts of a page that have one direction, and what belongs to them. */
export interface Direction {
  rotation: TextRotation;
  /** The texts in reading order. */
  frames: Frame[];
  /** The drawn objects and untranslated lines that move with a text, by its id. */
  marks: ReadonlyMap<string, readonly Mark[]>;
  /** The dots after a text and the number behind them, by its id. */
  leaders: ReadonlyMap<string, Leader>;
}

/** The columns of running text of one direction, and the space that they may use. */
export interface Regions {
  /** Groups of texts that move together. Every other text is a group of one. */
  columns: Frame[][];
  space: FreeSpace;
}

/** The reasons of untranslated texts that may belong to a translated text. */
const standing: ReadonlySet<KeptText['reason']> = new Set([
  'number',
  'identifier',
  'address',
  'symbol',
  'label',
  'formula',
]);

/**
 * Returns the ids of the texts in boxes with several paragraphs below each other, such as a frame around a text. They
 * flow, and table cells do not.
 */
function textsInBoxes(blocks: readonly TextBlock[]): Set<string> {
  const boxes = Map.groupBy(
    blocks.filter(({ kind, container }) => kind === 'table_cell' && container),
    ({ matrix, container }) => Object.values(transformRectangle(matrix, container!)).map(Math.round).join(),
  );
  return new Set(
    [...boxes.values()].flatMap((own) => {
      const paragraphs = own.filter(({ lines }) => lines.length > 1);
      const areBelow = own.every(
        (one) =>
          !own.some(
            (other) => other !== one && one.box.bottom < other.box.top && one.box.top > other.box.bottom,
          ),
      );
      return paragraphs.length > 1 && areBelow ? own.map(({ id }) => id) : [];
    }),
  );
}

/**
 * What the texts of a page are to each other, and what belongs to each of them. All positions are those of the source. A
 * text never has two owners, and an object belongs to one text at most.
 */
export class PageModel {
  readonly directions: readonly Direction[];
  /** The bullets and numbers of items that move with them, by the ids of the items. */
  readonly labels: ReadonlyMap<string, BlockLabel>;
  /** The ids of the texts that may be above or below other content. */
  readonly watermarks: ReadonlySet<string>;
  readonly #page: PageContent;
  readonly #isTurned: boolean;
  /** The areas of all texts of the page, by id, in user space. */
  readonly #sources: ReadonlyMap<string, Rectangle>;
  /** The visible content that the texts must avoid. */
  readonly #obstacles: Obstacle[];

  /**
   * @param items the translated texts, in reading order
   * @param kept the other texts of the page
   */
  constructor(
    page: PageContent,
    items: readonly BlockTranslation[],
    languages: Languages,
    kept: readonly KeptText[],
  ) {
    const blocks = items.map(({ block }) => block);
    const rules = new Set<Paint>(blocks.flatMap(({ rules }) => rules));
    const paints = page.paints.filter((paint) => !rules.has(paint));
    const { targetLanguage } = languages;
    const widths = fontOf(targetLanguage) === 'sans' ? new LetterWidths(page, targetLanguage) : undefined;
    this.#page = page;
    this.#isTurned = isMirrored(languages);
    this.#sources = new Map(blocks.map(({ id, matrix, box }) => [id, transformRectangle(matrix, box)]));
    this.labels = this.#isTurned ? new Map() : movableLabels(blocks, paints);
    this.watermarks = watermarksOf(blocks);
    const isInText = textsInBoxes(blocks);
    this.directions = [...Map.groupBy(items, ({ block }) => rotationOf(block).name).values()].map((own) => {
      const rotation = rotationOf(own[0]!.block);
      const boxes = own.map(({ block }) => this.#sources.get(block.id)!);
      const margins = marginsOf(page.box, boxes, rotation);
      const frames = aboveRules(
        own.map((item) => {
          const stretch = widths?.stretchOf(item.block);
          const frame = makeFrame(item, rotation, margins, languages, stretch);
          return keptFrame(
            isInText.has(frame.id) ? { ...frame, isCell: false, flows: true } : frame,
            item.block,
          );
        }),
        paints,
        rotation,
      );
      const leaders = leadersOf(
        own.map(({ block }) => block),
        kept,
        rotation.fromPage,
      );
      const taken = new Set([
        ...own.map(({ block }) => block.label?.glyphs),
        ...[...leaders.values()].map(({ number }) => number?.glyphs),
      ]);
      const texts = kept.filter(
        (text) => standing.has(text.reason) && !text.cell && !taken.has(text.glyphs) && canMove(text),
      );
      const movers = this.#isTurned ? [] : frames.filter(({ id }) => !leaders.has(id));
      const marks = marksOf(paints, texts, movers, rotation);
      if (!this.#isTurned)
        for (const [id, field] of fieldsOf(page.annotations, frames, rotation)) append(marks, id, field);
      return { rotation, frames, leaders, marks };
    });
    this.#obstacles = this.#obstaclesOf(paints, items, kept);
  }

  /**
   * Returns the columns of one direction.
   *
   * @param isFree whether the texts may use the space around them
   */
  regions({ frames, leaders, marks, rotation }: Direction, isFree: boolean): Regions {
    const { labels, watermarks } = this;
    const { fromPage } = rotation;
    const space = new FreeSpace(transformRectangle(fromPage, this.#page.box));
    if (!isFree) {
      const inPlace = frames.map((frame) => ({ ...frame, bounds: frame.box }));
      return { columns: withCommonSpacing(inPlace, space).map((frame) => [frame]), space };
    }
    for (const { box, over, ...obstacle } of this.#obstacles)
      space.add(transformRectangle(fromPage, box), {
        ...obstacle,
        over: new Set([...(over ?? []), ...watermarks]),
      });
    for (const [owner, box] of this.#sources)
      if (!watermarks.has(owner)) space.add(transformRectangle(fromPage, box), { owner, over: watermarks });
    const edges = mirroredEdges(frames);
    const rows = rowsWithLeaders(frames, leaders);
    const placed = frames.map((frame) => {
      if (watermarks.has(frame.id)) return { ...frame, bounds: frame.box };
      const leader = leaders.get(frame.id);
      const belonging = marks.get(frame.id) ?? [];
      if (frame.stays && leader) return { ...frame, flows: false };
      if (leader) {
        const hasField = belonging.some(({ object }) => isField(object));
        return besideMarks(besideLeader(frame, leader, rows.get(frame.id), space, hasField), belonging);
      }
      const edge = edges.get(frame.id);
      const label = labels.get(frame.id);
      const own = besideMarks(label ? besideLabel(frame, label, space, rotation) : frame, belonging);
      if (frame.stays) return own;
      const beside = edge ? own : besideObjects(own, space);
      return beside.beside ? beside : wrapAround(edge ? mirror(own, edge, space) : own, space);
    });
    return { columns: columnsOf(withCommonSpacing(placed, space), space), space };
  }

  /** Adds a translated text to the content that the texts of other directions must avoid. */
  occupy(box: Rectangle): void {
    this.#obstacles.push({ box, solid: false });
  }

  #obstaclesOf(
    paints: readonly Paint[],
    items: readonly BlockTranslation[],
    kept: readonly KeptText[],
  ): Obstacle[] {
    const marks = this.directions.flatMap(({ marks }) => [...marks]);
    const owned = new Set(marks.flatMap(([, own]) => own.map(({ object }) => object)));
    const leaders = this.directions.flatMap(({ leaders }) => [...leaders.values()]);
    const obstacles = obstaclesOf(
      {
        ...this.#page,
        paints: paints.filter((paint) => !owned.has(paint)),
        annotations: this.#page.annotations.filter((annotation) => !owned.has(annotation)),
      },
      items.map(({ block }) => block),
      [
        ...leaders.map((leader) => movable(leader, this.#isTurned)),
        ...this.labels.values(),
        ...kept.filter((text) => owned.has(text)),
      ],
    );
    for (const [owner, label] of this.labels)
      obstacles.push({ box: boxOfGlyphs(label.glyphs), solid: true, owner });
    for (const [owner, own] of marks)
      for (const { object } of own)
        obstacles.push({ box: object.box, solid: isField(object), isText: false, owner });
    for (const { rotation, leaders } of this.directions)
      for (const [owner, leader] of leaders)
        obstacles.push({ box: transformRectangle(rotation.toPage, areaOf(leader)), solid: false, owner });
    return obstacles;
  }
}
