import { inflateSync } from 'node:zlib';
import {
  decodePDFRawStream,
  PDFArray,
  PDFDict,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRawStream,
  PDFStream,
} from '@cantoo/pdf-lib';
import { limits, overLimit } from '../file-error.ts';
import { type Matrix, matrixOf, type Rectangle } from './geometry.ts';

/**
 * Returns the value of a key in a dictionary, with references resolved; undefined if missing. The functions below
 * also return undefined if the value has another type.
 */
export function get(dictionary: PDFDict | undefined, key: string): PDFObject | undefined {
  return dictionary?.lookup(PDFName.of(key));
}

export function getDict(dictionary: PDFDict | undefined, key: string): PDFDict | undefined {
  return asDict(get(dictionary, key));
}

export function asDict(object: PDFObject | undefined): PDFDict | undefined {
  if (object instanceof PDFStream) return object.dict;
  return object instanceof PDFDict ? object : undefined;
}

/**
 * Returns the value of a key if it is a name. The slash is removed, and the #-codes are decoded; each byte becomes one
 * UTF-16 unit.
 */
export function getName(dictionary: PDFDict | undefined, key: string): string | undefined {
  return asName(get(dictionary, key));
}

export function asName(object: PDFObject | undefined): string | undefined {
  return object instanceof PDFName ? Buffer.from(object.asBytes()).toString('latin1') : undefined;
}

export function getNumber(dictionary: PDFDict | undefined, key: string): number | undefined {
  const object = get(dictionary, key);
  return object instanceof PDFNumber ? object.asNumber() : undefined;
}

export function getArray(dictionary: PDFDict | undefined, key: string): PDFObject[] | undefined {
  const array = get(dictionary, key);
  if (!(array instanceof PDFArray)) return undefined;
  const items: PDFObject[] = [];
  for (let index = 0; index < array.size(); index++) {
    const item = array.lookup(index);
    if (item !== undefined) items.push(item);
  }
  return items;
}

/** Returns the value of a key if it is an array of at least `count` finite numbers; undefined otherwise. */
export function getNumbers(
  dictionary: PDFDict | undefined,
  key: string,
  count: number,
): number[] | undefined {
  const numbers = getArray(dictionary, key)?.map((item) =>
    item instanceof PDFNumber ? item.asNumber() : Number.NaN,
  );
  return numbers && numbers.length >= count && numbers.every(Number.isFinite) ? numbers : undefined;
}

export function getMatrix(dictionary: PDFDict | undefined, key: string): Matrix | undefined {
  return matrixOf(getNumbers(dictionary, key, 6));
}

/** Returns the value of a key if it is a rectangle. The two corners may be given in any order. */
export function getRectangle(dictionary: PDFDict | undefined, key: string): Rectangle | undefined {
  const numbers = getNumbers(dictionary, key, 4);
  if (numbers === undefined) return undefined;
  const [x1, y1, x2, y2] = numbers as [number, number, number, number];
  return {
    left: Math.min(x1, x2),
    bottom: Math.min(y1, y2),
    right: Math.max(x1, x2),
    top: Math.max(y1, y2),
  };
}

/**
 * Returns the decoded bytes of a stream. If the stream is damaged, returns the part that can be decoded.
 *
 * @throws {FileError} `too_large` if the decoded size exceeds `limits.pdfStream`
 */
export function decodeStream(stream: PDFStream): Uint8Array {
  if (!(stream instanceof PDFRawStream)) return stream.getContents();
  const filter = get(stream.dict, 'Filter');
  if (filter === undefined) return stream.contents;
  const isPlainDeflate =
    filter instanceof PDFName &&
    filter.asString() === '/FlateDecode' &&
    getNumber(getDict(stream.dict, 'DecodeParms'), 'Predictor') === undefined;
  try {
    // node:zlib is many times faster than pdf-lib, but if the data is damaged, it does not return the data before the
    // damaged part.
    if (isPlainDeflate) return inflateSync(stream.contents, { maxOutputLength: limits.pdfStream });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw overLimit('the unpacked size in bytes of one stream of the PDF', limits.pdfStream);
  }
  const decoded = boundedDecode(stream);
  if (decoded.length > limits.pdfStream)
    throw overLimit('the unpacked size in bytes of one stream of the PDF', limits.pdfStream);
  return decoded;
}

/** Decodes a stream in pieces. Stops when the size exceeds the maximum size of a stream. */
function boundedDecode(stream: PDFRawStream): Uint8Array {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    const decoder = decodePDFRawStream(stream);
    for (let piece = decoder.getBytes(pieceLength); piece.length > 0; piece = decoder.getBytes(pieceLength)) {
      pieces.push(Uint8Array.from(piece));
      size += piece.length;
      if (size > limits.pdfStream) break;
    }
  } catch {
    return new Uint8Array();
  }
  return Buffer.concat(pieces);
}

const pieceLength = 64 * 1024;

/** Returns the content streams of a page as one stream, with line ends between them. */
export function pageBytes(page: PDFDict): Uint8Array {
  const contents = get(page, 'Contents');
  const streams = contents instanceof PDFArray ? (getArray(page, 'Contents') ?? []) : [contents];
  const pieces: Uint8Array[] = [];
  for (const stream of streams)
    if (stream instanceof PDFStream) pieces.push(decodeStream(stream), Uint8Array.of(0x0a));
  pieces.pop();
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

/**
 * Returns the dictionary that contains a key of a page: the page itself or one of its parents. A page inherits
 * /Resources, /MediaBox, /CropBox and /Rotate.
 */
export function inherited(page: PDFDict, key: string): PDFDict | undefined {
  const seen = new Set<PDFDict>();
  for (let node: PDFDict | undefined = page; node && !seen.has(node); node = getDict(node, 'Parent')) {
    if (get(node, key) !== undefined) return node;
    seen.add(node);
  }
  return undefined;
}

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
