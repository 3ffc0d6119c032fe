import type { FlattenKind } from './document-kind.ts';
import { readDocx } from './flatten/docx.ts';
import { readHtml } from './flatten/html.ts';
import { readPdf } from './flatten/pdf.ts';
import { readXml } from './flatten/xml.ts';
import { FlattenError } from './flatten-error.ts';
import { decodeText, TextEncodingError } from './text.ts';

type Reader = (bytes: Uint8Array) => string | Promise<string>;

/**
 * A reader for each kind. CSV, JSON and Markdown are text as they stand, markup and all: what comes back is again a
 * file of that kind, and the engine sees what each piece of text is. Of XML and HTML only the text is kept: their markup
 * outweighs it, and golden translations are given as text anyway.
 */
const readers: Record<FlattenKind, Reader> = {
  csv: decodeText,
  docx: readDocx,
  html: (bytes) => readHtml(decodeText(bytes)),
  json: decodeText,
  md: decodeText,
  pdf: readPdf,
  txt: decodeText,
  xml: (bytes) => readXml(decodeText(bytes)),
};

/**
 * The text of a file, its line ends `\n`, its paragraphs divided by blank lines, without whitespace at its edges.
 * Whatever the bytes are, it ends; but time and memory are only roughly in proportion to them for PDF, which is why it
 * runs in a sandbox (`server/sandbox/`).
 *
 * @throws {FlattenError} where there is no text to be had; B 4.1 answers each with 400.
 */
export async function flatten(kind: FlattenKind, bytes: Uint8Array): Promise<string> {
  if (bytes.length === 0) throw new FlattenError('empty', 'the file is empty');
  let text: string;
  try {
    text = (await readers[kind](bytes)).trim();
  } catch (error) {
    if (error instanceof TextEncodingError)
      throw new FlattenError('not_text', error.message, { cause: error });
    throw error;
  }
  if (text === '') throw new FlattenError('empty', 'no text was found in the file');
  return text;
}
