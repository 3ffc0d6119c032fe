import { FileError } from '../file-error.ts';
import { type ChartText, readChartTexts } from '../office/chart-texts.ts';
import { Numbering } from '../office/numbering.ts';
import type { Relationship } from '../office/package.ts';
import { readPositionedXml } from '../office/xml-reader.ts';
import { selectPages } from '../page-ranges.ts';
import type { Includable, Selection } from '../selection.ts';
import { letter } from '../text.ts';
import { type KeptObject, readDrawing } from './drawing-reader.ts';
import { Copies } from './drawing-xml.ts';
import type { InheritedStyles, PartStyles } from './inherited-styles.ts';
import { StyleParts } from './inherited-styles.ts';
import {
  openPresentation,
  type Presentation,
  type ReadPart,
  targetsOf,
  withName,
} from './presentation-parts.ts';
import type { TextBody } from './text-body.ts';

/** The kinds of parts with texts. */
type PartKind = 'slide' | 'notes' | 'chart' | 'diagram' | 'comments' | 'master';

/** The reason why the texts of a part are in no segment; undefined if they are translated. */
export type LeftOut = Extract<Includable, 'comments' | 'hidden' | 'masters'> | 'pages';

/** A part of a presentation whose texts are read. */
export interface TextPart extends ReadPart {
  kind: PartKind;
  /** The number of the slide, from 1; null for masters and layouts. */
  page: number | null;
  /** The beginning of the keys and of the places of the part's texts. */
  keyPrefix: string;
  place: string;
  leftOut: LeftOut | undefined;
  styles: InheritedStyles;
  /** The height of the slides in EMUs; null for parts that are not shown on slides. */
  slideHeight: number | null;
}

/** Receives the texts of a presentation, part by part. */
interface PresentationVisitor {
  /**
   * Receives a text body. It must not keep the body, because bodies are large.
   *
   * @param leftOut the reason why the texts are in no segment; undefined if they are translated
   */
  body(body: TextBody, part: TextPart, leftOut: LeftOut | undefined): void;
  /** Receives the texts of a part whose texts are read without tags. */
  texts(texts: readonly ChartText[], part: TextPart): void;
  /** Is called after a part, in the order of the file. */
  end?(part: TextPart): void;
  onField?(text: string, part: TextPart): void;
  /** Is called with a text that is in no text body and stays, and the reason. */
  onKept?(reason: string, text: string): void;
}

/** The properties of a presentation besides its texts. */
interface PresentationSummary {
  slideCount: number;
  /** The numbers of slides that are not shown, and of slides that are not selected. */
  hiddenSlides: number;
  unselectedSlides: number;
  embeddedObjects: number;
  pictures: number;
  alternativeTexts: number;
  slidesWithPictures: Set<number>;
  /** The number of charts whose names are copies of a data sheet in the file. */
  chartsWithData: number;
  isSigned: boolean;
}

/**
 * Reads the texts of a presentation: those of each slide with its charts, diagrams, notes and comments, then those of the
 * masters and layouts. Texts that a request leaves out are read, too, so that they can be counted.
 *
 * @throws {FileError} `unreadable`, `protected`, `too_large`, or `selection`; the message names the part
 */
export async function readPresentation(
  bytes: Uint8Array,
  selection: Selection,
  visitor: PresentationVisitor,
): Promise<PresentationSummary> {
  const presentation = await openPresentation(bytes);
  const reading = new PresentationReading(presentation, new Set(selection.include), visitor);
  return reading.readAll(selectPages(selection.pages, presentation.slides.length));
}

type Place = Omit<TextPart, keyof ReadPart>;

class PresentationReading {
  readonly #presentation: Presentation;
  readonly #include: ReadonlySet<Includable>;
  readonly #visitor: PresentationVisitor;
  readonly #summary: PresentationSummary;
  readonly #styles: StyleParts;
  /** The paths of the parts whose texts were visited. */
  readonly #visited = new Set<string>();

  constructor(presentation: Presentation, include: ReadonlySet<Includable>, visitor: PresentationVisitor) {
    this.#presentation = presentation;
    this.#include = include;
    this.#visitor = visitor;
    this.#styles = new StyleParts(presentation);
    this.#summary = {
      slideCount: presentation.slides.length,
      ...{ hiddenSlides: 0, unselectedSlides: 0, embeddedObjects: 0, chartsWithData: 0 },
      ...{ pictures: 0, alternativeTexts: 0, slidesWithPictures: new Set() },
      isSigned: presentation.isSigned,
    };
  }

  async readAll(selected: ReadonlySet<number>): Promise<PresentationSummary> {
    for (const [index, path] of this.#presentation.slides.entries())
      await this.#readSlide(path, index + 1, selected.has(index + 1));
    await this.#readMasters();
    return this.#summary;
  }

  async #readSlide(path: string, page: number, isSelected: boolean): Promise<void> {
    const part = await this.#open(path);
    if (!part) return;
    const { relationships } = part;
    const styles = await this.#styles.inherited(relationships, ['slideLayout', 'slideMaster']);
    if (!isSelected) this.#summary.unselectedSlides++;
    const leftOut: LeftOut | undefined = isSelected ? undefined : 'pages';
    const slide: Place = {
      kind: 'slide',
      page,
      keyPrefix: `slide${page}-`,
      place: `slide ${page}, `,
      leftOut,
      styles,
      slideHeight: this.#presentation.slideHeight,
    };
    const isHidden = this.#readBodies({ ...part, ...slide }, ['sld']);
    if (isHidden && isSelected && !this.#include.has('hidden')) {
      this.#summary.hiddenSlides++;
      slide.leftOut = 'hidden';
    }
    await this.#readObjects(relationships, slide);
    for (const target of targetsOf(relationships, 'notesSlide')) await this.#readNotes(target, slide);
    const comments: Place = { ...slide, kind: 'comments' };
    if (!this.#include.has('comments')) comments.leftOut ??= 'comments';
    for (const target of targetsOf(relationships, 'comments')) await this.#readComments(target, comments);
  }

  /** Reads the charts and diagrams of a slide, layout or master. */
  async #readObjects(relationships: readonly Relationship[], around: Place): Promise<void> {
    let number = 0;
    for (const target of targetsOf(relationships, 'chart', 'chartEx')) {
      const part = await this.#open(target);
      const prefix = `${around.keyPrefix}chart${++number}-`;
      const place = `${around.place}chart ${number}, `;
      if (!part) continue;
      const chart: TextPart = {
        ...part,
        ...around,
        kind: 'chart',
        keyPrefix: `${prefix}p`,
        place: `${place}paragraph `,
      };
      const texts = withName(target, () => readChartTexts(part.text.source, this.#presentation.countElement));
      if (part.relationships.some(({ type }) => type === 'package') && texts.some(({ isName }) => isName))
        this.#summary.chartsWithData++;
      this.#visitor.texts(texts, chart);
      this.#visitor.end?.(chart);
      for (const shapes of targetsOf(part.relationships, 'chartUserShapes'))
        await this.#readPart(shapes, { ...around, kind: 'chart', keyPrefix: `${prefix}shapes-`, place }, [
          'userShapes',
        ]);
    }
    await this.#readDiagrams(relationships, around);
  }

  /** Reads diagrams. Their drawings, which older programs show, repeat the texts of their data. */
  async #readDiagrams(relationships: readonly Relationship[], around: Place): Promise<void> {
    const copies = new Copies();
    const at = (number: number, suffix: string): Place => ({
      ...around,
      kind: 'diagram',
      slideHeight: null,
      keyPrefix: `${around.keyPrefix}diagram${number}-${suffix}`,
      place: `${around.place}diagram ${number}, `,
    });
    for (const [index, target] of targetsOf(relationships, 'diagramData').entries())
      await this.#readPart(target, at(index + 1, ''), ['dataModel'], { into: copies });
    for (const [index, target] of targetsOf(relationships, 'diagramDrawing').entries()) {
      // Only a preview: PowerPoint makes it again from the data if it is missing or of an older kind.
      const drawing = await this.#open(target).catch(ignoreUnreadable);
      if (drawing && /<(?:[\w-]+:)?drawing[\s>]/.test(drawing.text.source))
        this.#readBodies({ ...drawing, ...at(index + 1, 'drawing-') }, ['drawing'], { from: copies });
    }
  }

  async #readNotes(path: string, slide: Place): Promise<void> {
    const part = await this.#open(path);
    if (!part) return;
    const styles = await this.#styles.inherited(part.relationships, ['notesMaster']);
    const { page, place, leftOut } = slide;
    const notes: Place = {
      kind: 'notes',
      page,
      keyPrefix: `notes${page}-`,
      place: `${place}notes, `,
      leftOut,
      styles,
      slideHeight: null,
    };
    this.#readBodies({ ...part, ...notes }, ['notes']);
    await this.#readObjects(part.relationships, notes);
  }

  async #readComments(path: string, around: Place): Promise<void> {
    const part = await this.#open(path);
    if (!part) return;
    const { keyPrefix, place } = around;
    if (/<(?:\w+:)?txBody[\s>]/.test(part.text.source)) {
      this.#readBodies(
        { ...part, ...around, keyPrefix: `${keyPrefix}comments-`, place: `${place}comments, ` },
        ['cmLst'],
      );
      return;
    }
    const comments: TextPart = {
      ...part,
      ...around,
      keyPrefix: `${keyPrefix}comment`,
      place: `${place}comment `,
    };
    const texts = withName(path, () => readCommentTexts(part.text.source, this.#presentation.countElement));
    this.#visitor.texts(texts, comments);
    this.#visitor.end?.(comments);
  }

  async #readMasters(): Promise<void> {
    const { relationships } = this.#presentation.main;
    const leftOut: LeftOut | undefined = this.#include.has('masters') ? undefined : 'masters';
    const counts = new Map<string, number>();
    const read = async (path: string, name: string, root: string, parents: PartStyles[]): Promise<void> => {
      if (this.#visited.has(path)) return;
      this.#visited.add(path);
      const { part, styles } = await this.#styles.of(path);
      const number = (counts.get(name) ?? 0) + 1;
      counts.set(name, number);
      const place: Place = {
        ...{
          kind: 'master',
          page: null,
          slideHeight: null,
          leftOut,
          styles: this.#styles.inheritedFrom(parents),
        },
        keyPrefix: `${name.replace(' ', '-')}${number}-`,
        place: `${name} ${number}, `,
      };
      this.#readBodies({ ...part, ...place }, [root]);
      await this.#readObjects(part.relationships, place);
      for (const layout of targetsOf(part.relationships, 'slideLayout'))
        await read(layout, 'layout', 'sldLayout', [styles]);
    };
    for (const path of targetsOf(relationships, 'slideMaster')) await read(path, 'master', 'sldMaster', []);
    for (const path of targetsOf(relationships, 'notesMaster'))
      await read(path, 'notes master', 'notesMaster', []);
    for (const path of targetsOf(relationships, 'handoutMaster'))
      await read(path, 'handout master', 'handoutMaster', []);
  }

  /** Opens a part; undefined if it was opened before, because several parts may refer to one. */
  async #open(path: string): Promise<ReadPart | undefined> {
    if (this.#visited.has(path)) return undefined;
    this.#visited.add(path);
    return this.#presentation.read(path);
  }

  async #readPart(
    path: string,
    place: Place,
    roots: readonly string[],
    copies: { into?: Copies; from?: Copies } = {},
  ): Promise<void> {
    const part = await this.#open(path);
    if (part) this.#readBodies({ ...part, ...place }, roots, copies);
  }

  /** Returns whether the part is a hidden slide. */
  #readBodies(
    part: TextPart,
    roots: readonly string[],
    { into, from }: { into?: Copies; from?: Copies } = {},
  ): boolean {
    const { isHidden } = readDrawing(
      part.text.source,
      {
        ...{ path: part.path, roots, copies: from },
        numbering: new Numbering(part.keyPrefix, part.place),
        inherited: (placeholder) => part.styles.lists(placeholder),
        countElement: this.#presentation.countElement,
        onField: (text) => this.#visitor.onField?.(text, part),
        onObject: (kind, text) => this.#addObject(kind, part, text),
      },
      (body) => {
        for (const { texts } of body.paragraphs) into?.add(texts);
        const isLeftOut = body.isHidden && !this.#include.has('hidden');
        this.#visitor.body(body, part, part.leftOut ?? (isLeftOut ? 'hidden' : undefined));
      },
    );
    this.#visitor.end?.(part);
    return isHidden;
  }

  #addObject(kind: KeptObject, part: TextPart, text = ''): void {
    if (kind === 'tip' || kind === 'alternative')
      this.#visitor.onKept?.(part.leftOut ?? (kind === 'tip' ? 'tips' : 'alternative_texts'), text);
    if (kind === 'tip') return;
    if (kind === 'document') this.#summary.embeddedObjects++;
    else if (kind === 'alternative') this.#summary.alternativeTexts += part.leftOut ? 0 : 1;
    else if (part.kind === 'slide' && part.page !== null && !part.leftOut) {
      this.#summary.pictures++;
      this.#summary.slidesWithPictures.add(part.page);
    }
  }
}

/** @throws any error but that of a part that is missing or unreadable */
function ignoreUnreadable(error: unknown): undefined {
  if (!(error instanceof FileError && error.reason === 'unreadable')) throw error;
}

/**
 * Reads the comments that PowerPoint wrote before 2019, which have no formatting.
 *
 * @throws {FileError} as `readPositionedXml` does
 */
function readCommentTexts(source: string, countElement: () => void): ChartText[] {
  const texts: ChartText[] = [];
  let number = 0;
  let start: number | undefined;
  let text = '';
  readPositionedXml(source, {
    openTag: (tag) => {
      countElement();
      if (tag.local === 'text' && !tag.selfClosing) [start, text] = [tag.end, ''];
    },
    closeTag: ({ local, start: end }) => {
      if (local !== 'text' || start === undefined) return;
      number++;
      if (letter.test(text))
        texts.push({ number, text, pieces: [{ start, end, text, format: '' }], isName: false });
      start = undefined;
    },
    text: (piece) => {
      if (start !== undefined) text += piece;
    },
  });
  return texts;
}
