import { PDFDict, PDFName, type PDFObject, PDFStream } from '@cantoo/pdf-lib';
import { getDict, getNumber } from '../objects.ts';

/** The named objects of a content stream, each looked up once. */
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

  /** Returns the properties of marked content. */
  properties(name: string): PDFDict | undefined {
    return this.#dict('Properties', name);
  }

  xObject(name: string): PDFStream | undefined {
    const object = this.#object('XObject', name);
    return object instanceof PDFStream ? object : undefined;
  }

  /** Returns a tiling pattern; other patterns have no stream. */
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

/** Returns the key of a name whose bytes are the string's units. pdf-lib only decodes upper-case hexadecimal digits. */
export function nameKey(name: string): PDFName {
  const hexadecimal = (unit: string): string =>
    unit.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0');
  return PDFName.of(name.replace(/[^!-~]|#/g, (unit) => `#${hexadecimal(unit)}`));
}
