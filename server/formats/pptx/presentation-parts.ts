import { FileError, limits, overLimit } from '../file-error.ts';
import { type OfficePackage, openPackage, type Relationship } from '../office/package.ts';
import type { PartText } from '../office/part-text.ts';
import { rejectUnsafeEntries } from '../office/rewrite-package.ts';
import { readPositionedXml } from '../office/xml-reader.ts';

/** A part of a presentation, read as a whole. */
export interface ReadPart {
  path: string;
  text: PartText;
  relationships: Relationship[];
}

/** An opened presentation. */
export class Presentation {
  readonly #office: OfficePackage;
  readonly main: ReadPart;
  /** The paths of the slides, in the order in which they are shown. */
  readonly slides: readonly string[];
  /** The height of the slides in EMUs. */
  readonly slideHeight: number;
  readonly isSigned: boolean;
  #size = 0;
  #elements = 0;

  private constructor(
    office: OfficePackage,
    main: ReadPart,
    { slides, height }: { slides: readonly string[]; height: number },
    isSigned: boolean,
  ) {
    this.#office = office;
    this.main = main;
    this.slides = slides;
    this.slideHeight = height;
    this.isSigned = isSigned;
  }

  /**
   * Opens a presentation.
   *
   * @throws {FileError} `empty`, `unreadable`, `protected` or `too_large`
   */
  static async open(bytes: Uint8Array): Promise<Presentation> {
    if (bytes.length === 0) throw new FileError('empty', 'the file is empty');
    const office = await openPackage(bytes);
    await rejectUnsafeEntries(bytes);
    const ofPackage = await office.relationships('');
    const path = ofPackage.find(({ type }) => type === 'officeDocument')?.target;
    if (path === undefined) throw new FileError('unreadable', 'the file is not a presentation');
    const main = {
      path,
      text: await office.readWhole(path),
      relationships: await office.relationships(path),
    };
    const slides = slidesOf(main);
    return new Presentation(
      office,
      main,
      slides,
      ofPackage.some(({ type }) => type === 'origin'),
    );
  }

  /**
   * Reads a part. All parts together may have `limits.docxStories` bytes, because their changes are in memory at the same
   * time.
   */
  async read(path: string): Promise<ReadPart> {
    try {
      this.#size += this.#office.sizeOf(path);
      if (this.#size > limits.docxStories)
        throw overLimit('the size in bytes of all slides and notes together', limits.docxStories);
      const text = await this.#office.readWhole(path);
      return { path, text, relationships: await this.#office.relationships(path) };
    } catch (error) {
      throw named(path, error);
    }
  }

  /** Counts an XML element of the file, and rejects the file if it has too many. */
  readonly countElement = (): void => {
    if (++this.#elements > limits.docxElements)
      throw overLimit('the number of XML elements of the presentation', limits.docxElements);
  };
}

/** Returns an error whose message names the part, if the error is about the file. */
function named(path: string, error: unknown): unknown {
  if (!(error instanceof FileError) || error.message.startsWith(path)) return error;
  return new FileError(error.reason, `${path}: ${error.message}`, { cause: error });
}

/** Returns the paths of the slides, in the order of the list in the main part, and their height in EMUs. */
function slidesOf({ path, text, relationships }: ReadPart): { slides: string[]; height: number } {
  const byId = new Map(relationships.map((relationship) => [relationship.id, relationship]));
  const slides: string[] = [];
  let height = 0;
  let depth = 0;
  readPositionedXml(text.source, {
    openTag: (tag) => {
      if (++depth === 1 && tag.local !== 'presentation')
        throw new FileError('unreadable', `${path}: the file is not a presentation`);
      if (depth === 2 && tag.local === 'sldSz') height = Number(tag.attributes['cy']) || 0;
      if (depth !== 3 || tag.local !== 'sldId') return;
      // Both the id of the slide and that of its relationship have the local name `id`.
      const name = Object.keys(tag.attributes).find((one) => one.endsWith(':id'));
      const slide = byId.get(name === undefined ? '' : tag.attributes[name]!);
      if (slide?.type !== 'slide' || slide.target === undefined)
        throw new FileError('unreadable', `${path}: slide ${slides.length + 1} is missing`);
      slides.push(slide.target);
    },
    closeTag: () => {
      depth--;
    },
    text: () => {},
  });
  return { slides, height };
}

/** Runs `read`. If it fails because of the file, the message of the error names the part. */
export function withName<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw named(path, error);
  }
}

/** Returns the paths of the parts with one of these types, in the order of the relationships. */
export function targetsOf(relationships: readonly Relationship[], ...types: string[]): string[] {
  return relationships.flatMap(({ type, target }) => (types.includes(type) && target ? [target] : []));
}
