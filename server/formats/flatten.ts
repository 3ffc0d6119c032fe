import type { FlattenKind } from './document-kind.ts';
import { FileError } from './file-error.ts';
import { readDocx } from './flatten/docx.ts';
import { readHtml } from './flatten/html.ts';
import { readPdf } from './flatten/pdf.ts';
import { readXml } from './flatten/xml.ts';
import { decodeText, TextEncodingError } from './text.ts';

type Reader = (bytes: Uint8Array) => string | Promise<string>;

/**
 * A reader for each format. CSV, JSON and Markdown are kept as they are, with their markup: the result is again a file of that
 * format, and the engine sees the role of each piece of text. Of XML and HTML only the text is kept, because they have more
 * markup than text, and golden translations are text anyway.
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
 * Returns the text of a file: line ends as `\n`, paragraphs separated by blank lines, trimmed. It terminates for all input,
 * but for PDF, time and memory are only roughly in proportion to the size. So it runs in a sandbox (`server/platform/sandbox/`).
 *
 * @throws {FileError} if the file has no readable text: a 400 (B 4.1)
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
