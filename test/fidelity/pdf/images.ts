import { createHash } from 'node:crypto';
import {
  decodePDFRawStream,
  PDFDict,
  PDFDocument,
  PDFName,
  type PDFObject,
  PDFRawStream,
  PDFRef,
} from '@cantoo/pdf-lib';

/**
 * The images that each page can paint: those in its resources, forms and patterns. For each image, its size and a hash
 * of its data. Data in Flate, LZW and ASCII filters is decoded first; JPEG and other image formats are compared in
 * their encoded form.
 */
export async function readImages(bytes: Uint8Array): Promise<string[]> {
  const document = await PDFDocument.load(bytes, {
    updateMetadata: false,
    ignoreEncryption: false,
    password: '',
  });
  const { context } = document;
  return document.getPages().flatMap((page, index) => {
    const found = new Set<string>();
    const seen = new Set<PDFObject>();
    const walk = (object: PDFObject | undefined): void => {
      const value = object instanceof PDFRef ? context.lookup(object) : object;
      if (!value || seen.has(value)) return;
      seen.add(value);
      if (value instanceof PDFRawStream) {
        if (value.dict.get(PDFName.of('Subtype')) === PDFName.of('Image')) {
          found.add(`page ${index + 1}: ${describe(value)}`);
          walk(value.dict.get(PDFName.of('SMask')));
          walk(value.dict.get(PDFName.of('Mask')));
        } else walk(value.dict.get(PDFName.of('Resources')));
      } else if (value instanceof PDFDict) {
        for (const kind of ['XObject', 'Pattern']) {
          const named = context.lookup(value.get(PDFName.of(kind)));
          if (named instanceof PDFDict) for (const [, entry] of named.entries()) walk(entry);
        }
      }
    };
    walk(page.node.Resources());
    return [...found].sort();
  });
}

const packed = /^\/(?:FlateDecode|Fl|LZWDecode|LZW|ASCII85Decode|A85|ASCIIHexDecode|AHx|RunLengthDecode|RL)$/;

function describe(image: PDFRawStream): string {
  const { dict, contents } = image;
  const at = (name: string): string => String(dict.lookup(PDFName.of(name)) ?? '');
  const filters = at('Filter').match(/\/\w+/g) ?? [];
  const data = filters.every((filter) => packed.test(filter)) ? decodePDFRawStream(image).decode() : contents;
  // Some programs count a line end as part of the data, and others do not.
  const end = data.findLastIndex((byte) => byte !== 0x0a && byte !== 0x0d) + 1;
  const digest = createHash('sha256').update(data.subarray(0, end)).digest('hex');
  return `${at('Width')}x${at('Height')} ${filters.at(-1) ?? ''} ${digest}`;
}
