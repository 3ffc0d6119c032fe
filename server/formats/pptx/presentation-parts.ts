import { FileError } from '../file-error.ts';
import { openOfficeFile, type WholeParts, wholeParts } from '../office/office-format.ts';
import type { Relationship } from '../office/package.ts';
import type { PartText } from '../office/part-text.ts';
import { readPositionedXml } from '../office/xml-reader.ts';

/** A part of a presentation, read as a whole. */
export interface ReadPart {
  path: string;
  text: PartText;
  relationships: Relationship[];
}

/** An opened presentation. */
export interface Presentation extends Pick<WholeParts, 'countElement'> {
  main: ReadPart;
  /** The paths of the slides, in the order in which they are shown. */
  slides: readonly string[];
  /** The height of the slides in EMUs. */
  slideHeight: number;
  isSigned: boolean;
  /** @throws {FileError} as `WholeParts.read` does; the message names the part */
  read(path: string): Promise<ReadPart>;
}

/** @throws {FileError} `empty`, `unreadable`, `protected` or `too_large` */
export async function openPresentation(bytes: Uint8Array): Promise<Presentation> {
  const { office, main: path, relationships, isSigned } = await openOfficeFile(bytes, 'a presentation');
  const main = { path, text: await office.readWhole(path), relationships };
  const { slides, height } = slidesOf(main);
  const { read, countElement } = wholeParts(office, 'presentation', 'all slides and notes');
  return {
    ...{ main, slides, slideHeight: height, isSigned, countElement },
    async read(path) {
      try {
        return { path, text: await read(path), relationships: await office.relationships(path) };
      } catch (error) {
        throw named(path, error);
      }
    },
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
