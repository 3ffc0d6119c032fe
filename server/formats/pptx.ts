import type { Finding, PageRectangle, SegmentKey, SegmentKind } from './document.ts';
import { createXmlReader } from './flatten/xml.ts';
import { plainText } from './inline-content.ts';
import { classOf } from './layout-kinds.ts';
import { ChartCounter, type ChartText, chartSegment, writeChartTexts } from './office/chart-texts.ts';
import {
  alternativeTexts,
  dataSheetsKept,
  keptFindings,
  notSelectedFinding,
  picturesKept,
} from './office/kept-finding.ts';
import { changePart, officeFormat } from './office/office-format.ts';
import type { RunFormatting } from './office/paragraph/paragraph-writer.ts';
import { lossFinding, writeTexts } from './office/paragraph/placed-texts.ts';
import { isVariety, textLanguageOf } from './office/properties.ts';
import type { PartContent } from './office/rewrite-package.ts';
import type { Edit } from './office/splice.ts';
import { readPositionedXml, withAttributes } from './office/xml-reader.ts';
import { drawingMarkup, isDrawing } from './pptx/drawing-xml.ts';
import { type LeftOut, readPresentation, type TextPart } from './pptx/presentation.ts';
import { emusPerPoint } from './pptx/shapes.ts';
import type { DrawingParagraph, TextBody } from './pptx/text-body.ts';
import { fitText } from './pptx/text-fit.ts';
import { letter } from './text.ts';
import { countCharacters, type TextTally } from './text-tally.ts';
import { type DirectionChange, directionChange } from './typesetting/languages.ts';

/**
 * Presentations. The texts to translate are, in the order of the slides: paragraphs of shapes, cells of tables, charts,
 * diagrams and notes. Comments, hidden slides, and the texts of masters and layouts are read only if the request
 * includes them.
 */
export const { check, extract, rebuild } = officeFormat({
  async read(bytes, selection, add, tally) {
    const counted = tally && new PresentationTally(tally);
    let comments = 0;
    const summary = await readPresentation(bytes, selection, {
      body: (body, part, leftOut) => {
        counted?.addBody(body, leftOut);
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
        counted?.addTexts(texts, part);
        if (part.leftOut === 'comments') comments += texts.length;
        if (!part.leftOut) for (const text of texts) add(chartSegment(text, part));
      },
      end: (part) => counted?.end(part),
      onField: (text) => counted?.addField(text),
      onKept: (reason, text) => counted?.addKept(reason, text),
    });
    const { pictures, chartsWithData, unselectedSlides, isSigned } = summary;
    const findings = keptFindings(
      [summary.hiddenSlides, ['hidden slide', 'hidden slides'], 'hidden'],
      [comments, ['comment', 'comments'], 'comments'],
      [summary.embeddedObjects, ['embedded object', 'embedded objects']],
    );
    const slides = [...summary.slidesWithPictures].sort((a, b) => a - b);
    if (pictures > 0) findings.push(picturesKept(pictures, slides));
    findings.push(...keptFindings([summary.alternativeTexts, alternativeTexts]));
    if (chartsWithData > 0) findings.push(dataSheetsKept(chartsWithData, 'PowerPoint'));
    if (unselectedSlides > 0) findings.push(notSelectedFinding(unselectedSlides, ['slide', 'slides']));
    return { pageCount: summary.slideCount, findings, isSigned };
  },

  async write(bytes, targets, { sourceLanguage, targetLanguage, ...selection }) {
    const targetOf = (key: SegmentKey, leftOut: LeftOut | undefined) =>
      leftOut ? undefined : targets.of(key);
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
        if (!part.leftOut) edits.push(...writeChartTexts(texts, part, targets, findings, 'PowerPoint'));
      },
      end: (part) => {
        changePart(parts, part, edits);
        edits = [];
      },
    });
    return { parts, findings: shrunk > 0 ? [...findings, textShrunk(shrunk)] : findings };
  },
});

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

function textShrunk(shapes: number): Finding {
  const message = `${shapes === 1 ? '1 shape has' : `${shapes} shapes have`} smaller text, because the translation is longer`;
  return { severity: 'info', code: 'text_shrunk', message, unitId: null };
}

const mirrored: Readonly<Record<string, string>> = { l: 'r', r: 'l' };

/**
 * Returns the edit that gives a paragraph another direction. Texts at the left move to the right, and the other way
 * round, because alignments are absolute; centered and justified texts stay.
 *
 * @param source the XML of the part
 */
function directionEdit(
  source: string,
  { properties, level, prefix, start }: DrawingParagraph,
  change: DirectionChange,
): Edit | undefined {
  if (change === 'kept') return undefined;
  const alignment = properties?.attributes['algn'] ?? level.alignment ?? 'l';
  const isRightToLeft = properties?.attributes['rtl'] ?? (level.isRightToLeft ? '1' : '0');
  const rtl = change === 'rtl' ? '1' : '0';
  if ((isRightToLeft === '1' || isRightToLeft === 'true') === (rtl === '1')) return undefined;
  const values = { algn: mirrored[alignment], rtl };
  const own = properties ? source.slice(properties.start, properties.end) : `<${prefix}pPr/>`;
  const at = properties ?? { start, end: start };
  // An alignment that is not mirrored stays as it is.
  const text = withAttributes(own, values.algn === undefined ? { rtl } : values);
  return { start: at.start, end: at.end, text };
}

/**
 * Returns the formatting of translated runs: the properties of the source with the language of the translation. PowerPoint
 * takes the direction of a text from its paragraph.
 */
function drawingFormatting(targetLanguage: string): RunFormatting {
  const language = textLanguageOf(targetLanguage);
  return {
    changesDirection: false,
    of: (properties, prefix) => {
      const opening = /^<(?:[^"'>]+|"[^"]*"|'[^']*')*>/.exec(properties)?.[0];
      if (opening === undefined) return `<${prefix}rPr lang="${language.tag}"/>`;
      const lang = /\slang\s*=\s*["']([^"']*)/.exec(opening)?.[1] ?? '';
      // `err` marks a mistake in the source text.
      const values = { err: undefined, ...(!isVariety(lang, language) && { lang: language.tag }) };
      return withAttributes(opening, values) + properties.slice(opening.length);
    },
  };
}

/** Counts the texts of a presentation that are in no segment, and checks that no text of a part is missing. */
class PresentationTally {
  readonly #tally: TextTally;
  /** The visible characters of the current part that became segments or were kept. */
  #accounted = 0;

  constructor(tally: TextTally) {
    this.#tally = tally;
  }

  addBody({ paragraphs, isFallback }: TextBody, leftOut: LeftOut | undefined): void {
    if (isFallback) return;
    for (const { text, texts, isRepeated } of paragraphs) {
      const characters = countCharacters(text);
      this.#accounted += characters;
      if (characters === 0 || isRepeated) continue;
      if (texts.length === 0) this.#keep('number', characters);
      else if (leftOut) this.#keep(leftOut, characters);
      else {
        const inSegments = texts.reduce(
          (sum, { content }) => sum + countCharacters(plainText(content.source)),
          0,
        );
        if (characters > inSegments) this.#keep('number', characters - inSegments);
      }
    }
  }

  addTexts(texts: readonly ChartText[], { kind, leftOut, text }: TextPart): void {
    const read = kind === 'chart' ? namesOf(text.source) : texts.map((one) => one.text);
    for (const one of read) {
      const characters = countCharacters(one);
      if (characters === 0) continue;
      if (!letter.test(one)) this.#keep('number', characters);
      else if (leftOut) this.#keep(leftOut, characters);
    }
    this.#accounted = 0;
  }

  addField(text: string): void {
    const characters = countCharacters(text);
    this.#accounted += characters;
    if (characters > 0) this.#keep('fields', characters);
  }

  /** Adds a text that is in no text body. */
  addKept(reason: string, text: string): void {
    this.#keep(reason, countCharacters(text));
  }

  /** Compares the texts of a part with an independent count. */
  end({ kind, text }: TextPart): void {
    if (kind !== 'chart') this.#tally.check(charactersOf(text.source), this.#accounted);
    this.#accounted = 0;
  }

  #keep(reason: string, characters: number): void {
    this.#tally.keep(reason === 'pages' ? 'not_selected' : classOf('pptx', reason), reason, characters);
  }
}

function namesOf(source: string): readonly string[] {
  const counter = new ChartCounter();
  const reader = createXmlReader(counter);
  reader.write(source);
  reader.close();
  return counter.texts;
}

/** Counts the visible characters of the texts of a part, apart from those that only older programs show. */
function charactersOf(source: string): number {
  let characters = 0;
  let depth = 0;
  let fallbackAt = 0;
  let isText = false;
  readPositionedXml(source, {
    openTag: (tag) => {
      depth++;
      if (tag.local === 'Fallback') fallbackAt ||= depth;
      isText = tag.local === 't' && isDrawing(tag) && fallbackAt === 0;
    },
    text: (text) => {
      if (isText) characters += countCharacters(text.replaceAll('\u00ad', ''));
    },
    closeTag: () => {
      if (depth-- === fallbackAt) fallbackAt = 0;
      isText = false;
    },
  });
  return characters;
}
