import { PDFDict, PDFName, type PDFObject, PDFStream } from '@cantoo/pdf-lib';
import { getDict, getNumber } from '../objects.ts';

/** The named resources of a content stream. Each resource is looked up once and then cached. */
export class Resources {
  readonly dictionary: PDFDict | undefined;
  readonly #found = new Map<string, PDFObject | undefined>();

  constructor(dictionary: PDFDict | undefined) {
    this.dictionary = dictionary;
  }

  font(name: string): PDFDict | undefined {
    return this.#dict('Font', name);
  }

  graphicsState(name: string): PDFDict | undefined {
    return this.#dict('ExtGState', name);
  }

  /** Returns the property list with this name. Marked content refers to such lists. */
  properties(name: string): PDFDict | undefined {
    return this.#dict('Properties', name);
  }

  xObject(name: string): PDFStream | undefined {
    const object = this.#object('XObject', name);
    return object instanceof PDFStream ? object : undefined;
  }

  /** Returns a tiling pattern by its name; undefined for other patterns, because they have no stream. */
  tiling(name: string): PDFStream | undefined {
    const object = this.#object('Pattern', name);
    return object instanceof PDFStream && getNumber(object.dict, 'PatternType') === 1 ? object : undefined;
  }

  #dict(category: string, name: string): PDFDict | undefined {
    const object = this.#object(category, name);
    return object instanceof PDFDict ? object : undefined;
  }

  #object(category: string, name: string): PDFObject | undefined {
    const key = `${category}/${name}`;
    if (!this.#found.has(key)) this.#found.set(key, this.#look(category, name));
    return this.#found.get(key);
  }

  #look(category: string, name: string): PDFObject | undefined {
    const objects = getDict(this.dictionary, category);
    return objects?.lookup(nameKey(name));
  }
}

/**
 * Returns the dictionary key for a name. Each UTF-16 unit of the string is a byte of the name. The digits of #-codes
 * are in upper case, because pdf-lib does not decode others.
 */
export function nameKey(name: string): PDFName {
  const hexadecimal = (unit: string): string =>
    unit.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0');
  return PDFName.of(name.replace(/[^!-~]|#/g, (unit) => `#${hexadecimal(unit)}`));
}
