import type { FlattenKind } from './document-kind.ts';
import { FileError } from './file-error.ts';
import { readDocx } from './flatten/docx.ts';
import { readHtml } from './flatten/html.ts';
import { readPdf } from './flatten/pdf.ts';
import { readXml } from './flatten/xml.ts';
import { decodeText, TextEncodingError } from './text.ts';

type Reader = (bytes: Uint8Array) => string | Promise<string>;

/**
 * The reader of each format. CSV, JSON and Markdown files keep their markup: the translation is a file of the same
 * format, and the markup shows the engine the role of each piece of text. XML and HTML files have more markup than
 * text, and published translations are plain text, so these files are reduced to their text.
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
 * Returns the text of a file: trimmed, with `\n` as line end and blank lines between paragraphs. This function
 * terminates for all input. For PDF files, the time and memory that it needs are only roughly in proportion to the file
 * size, so it runs in a sandbox (`server/platform/sandbox/`).
 *
 * @throws {FileError} if the file has no readable text; the request then fails with status 400
 */
export async function flatten(kind: FlattenKind, bytes: Uint8Array): Promise<string> {
  if (bytes.length === 0) throw new FileError('empty', 'the file is empty');
  let text: string;
  try {
    text = (await readers[kind](bytes)).trim();
  } catch (error) {
    if (error instanceof TextEncodingError) throw new FileError('not_text', error.message, { cause: error });
    throw error;
  }
  if (text === '') throw new FileError('empty', 'no text was found in the file');
  return text;
}
