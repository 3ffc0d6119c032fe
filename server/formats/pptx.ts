import type {
  ExtractedDocument,
  Finding,
  PageRectangle,
  RebuildOptions,
  RebuiltDocument,
  Segment,
  SegmentKey,
  SegmentKind,
  SegmentTranslation,
  TakeText,
} from './document.ts';
import { limits, overLimit } from './file-error.ts';
import { formatTagged, plainText } from './inline-content.ts';
import { type ChartText, writeChartText } from './office/chart-texts.ts';
import {
  alternativeTexts,
  dataSheetsKept,
  emptyFinding,
  keptFinding,
  picturesKept,
  signatureFinding,
} from './office/kept-finding.ts';
import { lossFinding, writeTexts } from './office/paragraph/placed-texts.ts';
import { encodePart } from './office/part-text.ts';
import { type PartContent, rewritePackage } from './office/rewrite-package.ts';
import { type Edit, splice } from './office/splice.ts';
import { directionEdit } from './pptx/direction.ts';
import { drawingMarkup } from './pptx/drawing-xml.ts';
import { type LeftOut, readPresentation, type TextPart } from './pptx/presentation.ts';
import { drawingFormatting } from './pptx/run-formatting.ts';
import { emusPerPoint } from './pptx/shapes.ts';
import type { TextBody } from './pptx/text-body.ts';
import { fitText } from './pptx/text-fit.ts';
import { PresentationTally } from './pptx/text-outcome.ts';
import { SegmentBudget } from './segment-budget.ts';
import type { Selection } from './selection.ts';
import { directionChange } from './typesetting/languages.ts';

/**
 * Checks the limits that apply before a job is created: sizes, XML elements and characters.
 *
 * @throws {FileError} `unreadable`, `protected`, `empty`, `too_large` or `selection`
 */
export async function check(
  bytes: Uint8Array,
  take: TakeText = () => false,
  selection: Selection = {},
): Promise<void> {
  const budget = new SegmentBudget();
  let wanted = true;
  const add = (text: string): void => {
    budget.addChars(text);
    wanted = wanted && take(text);
  };
  await readPresentation(bytes, selection, {
    body: ({ paragraphs }, _, leftOut) => {
      if (leftOut) return;
      for (const { texts, isRepeated } of paragraphs)
        for (const { content } of isRepeated ? [] : texts) add(plainText(content.source));
    },
    texts: (texts, { leftOut }) => {
      if (!leftOut) for (const { text } of texts) add(text);
    },
  });
}

/**
 * Lists the texts of a presentation to translate, in the order of its slides: paragraphs of shapes, cells of tables,
 * charts, diagrams and notes. Comments, hidden slides, and the texts of masters and layouts are listed only if the request
 * includes them.
 *
 * @throws {FileError} as `check` does, and `too_large` if there are too many segments
 */
export async function extract(bytes: Uint8Array, selection: Selection = {}): Promise<ExtractedDocument> {
  const segments: Segment[] = [];
  const budget = new SegmentBudget();
  const tally = new PresentationTally();
  let comments = 0;
  const add = (segment: Segment): void => {
    budget.add(plainText(segment.source), formatTagged(segment.source));
    segments.push(segment);
  };
  const summary = await readPresentation(bytes, selection, {
    body: (body, part, leftOut) => {
      tally.addBody(body, leftOut);
      if (leftOut === 'comments' && body.paragraphs.some(({ texts }) => texts.length > 0)) comments++;
      if (leftOut) return;
      const kind = kindOf(body, part);
      const rectangle = rectangleOf(body, part);
      for (const { texts, isRepeated } of body.paragraphs)
        for (const { content, ...placed } of isRepeated ? [] : texts)
          add({
            ...{ ...placed, kind, page: part.page, source: content.source },
            ...(rectangle && { rectangles: [rectangle] }),
          });
    },
    texts: (texts, part) => {
      tally.addTexts(texts, part);
      if (part.leftOut === 'comments') comments += texts.length;
      if (part.leftOut) return;
      for (const text of texts)
        add({ ...placeOf(text, part), kind: 'text_block', page: part.page, source: [text.text.trim()] });
    },
    end: (part) => tally.end(part),
    onField: (text) => tally.addField(text),
  });
  const { hiddenSlides, unselectedSlides, embeddedObjects, chartsWithData, pictures } = summary;
  const findings: Finding[] = [];
  if (hiddenSlides > 0) findings.push(keptFinding(hiddenSlides, ['hidden slide', 'hidden slides'], 'hidden'));
  if (comments > 0) findings.push(keptFinding(comments, ['comment', 'comments'], 'comments'));
  if (embeddedObjects > 0)
    findings.push(keptFinding(embeddedObjects, ['embedded object', 'embedded objects']));
  if (pictures > 0)
    findings.push(
      picturesKept(
        pictures,
        [...summary.slidesWithPictures].sort((a, b) => a - b),
      ),
    );
  if (summary.alternativeTexts > 0) findings.push(keptFinding(summary.alternativeTexts, alternativeTexts));
  if (chartsWithData > 0) findings.push(dataSheetsKept(chartsWithData, 'PowerPoint'));
  if (unselectedSlides > 0) findings.push(notSelected(unselectedSlides));
  if (summary.isSigned) findings.push(signatureFinding);
  if (segments.length === 0) findings.push(emptyFinding);
  return { segments, pageCount: summary.slideCount, findings, outcome: tally.outcome() };
}

function notSelected(slides: number): Finding {
  const message = `${slides === 1 ? '1 slide is' : `${slides} slides are`} not selected; the text stays unchanged`;
  return { severity: 'info', code: 'not_selected', message, unitId: null };
}

function kindOf({ inTable, shape }: TextBody, { kind }: TextPart): SegmentKind {
  if (inTable) return 'table_cell';
  if (kind === 'diagram' || kind === 'comments' || kind === 'chart') return 'text_block';
  const type = shape?.placeholder?.type;
  if (type === 'title' || type === 'ctrTitle') return 'heading';
  return type === 'ftr' ? 'footer' : type === 'hdr' ? 'header' : 'paragraph';
}

/** Returns the place of a text's shape or cell on its slide. */
function rectangleOf(
  { shape, frame: own }: TextBody,
  { kind, styles, slideHeight }: TextPart,
): PageRectangle | undefined {
  const frame = own ?? styles.frame(shape?.placeholder);
  if (kind !== 'slide' || !frame || slideHeight === null) return undefined;
  const { x, y, width, height } = frame;
  const points = [x, slideHeight - y - height, x + width, slideHeight - y].map((emus) =>
    Math.round(emus / emusPerPoint),
  );
  return points as PageRectangle;
}

/** Returns the key and the place of a text that is read without tags. */
function placeOf({ number }: ChartText, { keyPrefix, place }: TextPart): SegmentKey & { place: string } {
  return { regionId: `${keyPrefix}${number}`, cellId: null, place: `${place}${number}` };
}

function keyOf({ regionId, cellId }: SegmentKey): string {
  return cellId === null ? regionId : `${regionId} ${cellId}`;
}

/**
 * Writes translations into a copy of a presentation. A paragraph stays unchanged if it has no translation, or if its
 * translation equals its source. Parts in which no paragraph changes are copied byte for byte.
 *
 * @throws {FileError} as `extract` does
 * @throws {RangeError} if a translation has the key of no segment of this file
 */
export async function rebuild(
  bytes: Uint8Array,
  translations: readonly SegmentTranslation[],
  { sourceLanguage, targetLanguage, ...selection }: RebuildOptions,
): Promise<RebuiltDocument> {
  const targets = new Map(translations.map((translation) => [keyOf(translation), translation.target]));
  const used = new Set<string>();
  const targetOf = (key: SegmentKey, leftOut: LeftOut | undefined) => {
    if (leftOut) return undefined;
    used.add(keyOf(key));
    return targets.get(keyOf(key));
  };
  const direction = directionChange(sourceLanguage, targetLanguage);
  const formatting = drawingFormatting(targetLanguage);
  const findings: Finding[] = [];
  const parts = new Map<string, PartContent>();
  let edits: Edit[] = [];
  let shrunk = 0;
  await readPresentation(bytes, selection, {
    body: (body, { kind, text: { source }, styles }, leftOut) => {
      const after: { text: string; size: number }[] = [];
      for (const paragraph of body.paragraphs) {
        const { text, size, texts, prefix, contentStart, contentEnd } = paragraph;
        after.push({ text, size });
        const translation = writeTexts(
          texts,
          (text) => targetOf(text, leftOut),
          {
            style: { prefix, formatting, markup: drawingMarkup, isRightToLeftStyle: false },
            keepsUnchanged: direction === 'kept',
          },
          (text, loss) => findings.push(lossFinding(loss, text.place, text, 'PowerPoint')),
        );
        if (translation === undefined) continue;
        let newText = text;
        for (const one of texts) {
          const target = targetOf(one, leftOut);
          if (target) newText = newText.replace(plainText(one.content.source), () => plainText(target));
        }
        after[after.length - 1] = { text: newText, size };
        const turned = directionEdit(source, paragraph, direction);
        if (turned) edits.push(turned);
        edits.push({ start: contentStart, end: contentEnd, text: translation });
      }
      // Slides would inherit the size from a layout, and the room for notes on a page does not matter to a speaker.
      if (kind === 'master' || kind === 'notes') return;
      const fitted = fitText(source, body, styles, body.paragraphs, after);
      if (fitted) edits.push(fitted.edit);
      if (fitted?.isShrunk) shrunk++;
    },
    texts: (texts, part) => {
      for (const text of texts) {
        const place = placeOf(text, part);
        const target = targetOf(place, part.leftOut);
        const translation = target && plainText(target);
        if (translation === undefined || translation === text.text.trim()) continue;
        const written = writeChartText(text, translation);
        edits.push(...written.edits);
        if (written.hasLostFormat) findings.push(lossFinding('format', place.place, place, 'PowerPoint'));
      }
    },
    end: ({ path, text }) => {
      const own = edits.toSorted((one, other) => one.start - other.start);
      edits = [];
      const length = own.reduce((sum, edit) => sum + edit.text.length, 0);
      if (length > 2 * limits.docxWritten)
        throw overLimit('the length of the translated paragraphs of one part', 2 * limits.docxWritten);
      if (own.length > 0) parts.set(path, () => encodePart(text, splice(text.source, own)));
    },
  });
  const unknown = [...targets.keys()].find((key) => !used.has(key));
  if (unknown !== undefined) throw new RangeError(`the file has no segment ${unknown}`);
  if (shrunk > 0) findings.push(textShrunk(shrunk));
  return { bytes: await rewritePackage(bytes, parts), findings };
}

function textShrunk(shapes: number): Finding {
  const message = `${shapes === 1 ? '1 shape has' : `${shapes} shapes have`} smaller text, because the translation is longer`;
  return { severity: 'info', code: 'text_shrunk', message, unitId: null };
}
