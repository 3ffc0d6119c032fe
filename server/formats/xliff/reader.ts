import { createParser, decodePieces, XmlFileError } from '../xml/xml-parser.ts';
import type { XliffContent } from './content.ts';
import { createUnitReader, type ReadUnit } from './unit-reader.ts';

export { XmlFileError } from '../xml/xml-parser.ts';
export type { ReadUnit } from './unit-reader.ts';

/** A `<file>` element of an XLIFF document. */
export interface XliffFile {
  /** The line of the `<file>` element, from 1. */
  line: number;
  /** The languages in the form in which the root element declares them. */
  sourceLang: string;
  targetLang: string;
  units: ReadUnit[];
}

/**
 * The maximum number of units, segments and codes together. Files of 10 MB from this service have fewer, and this
 * number can still be passed to another process.
 */
const maxItems = 100_000;
/**
 * The maximum number of characters of all texts. Each code counts with its data, although the file contains the data
 * only once.
 */
const maxCharacters = 10_000_000;

function countCodes(content: XliffContent): number {
  return content.filter((item) => typeof item !== 'string').length;
}

function countCharacters(content: XliffContent): number {
  return content.reduce(
    (sum, item) => sum + (typeof item === 'string' ? item : item.id + item.data).length,
    0,
  );
}

const coreNamespace = 'urn:oasis:names:tc:xliff:document:2.0';
const metadataNamespace = 'urn:oasis:names:tc:xliff:metadata:2.0';
const versions: readonly string[] = ['2.0', '2.1'];

/**
 * Reads the `<file>` element with this id from a document that a CAT tool has returned. Skips other files. Texts stay
 * exactly as they are, including white space. Notes, matches and extensions of other tools are ignored.
 *
 * @throws {XmlFileError} if the document is not XLIFF 2, or has no such file
 */
export function readXliff(bytes: Uint8Array, fileId: string): XliffFile {
  let file: XliffFile | undefined;
  let languages = { sourceLang: '', targetLang: '' };
  const ids = new Set<string>();
  let items = 0;
  let characters = 0;
  const reader = createUnitReader((unit, parts) => {
    if (ids.has(unit.id))
      throw new XmlFileError('invalid', `two units have the id ${quoted(unit.id)}`, unit.line);
    ids.add(unit.id);
    const { source, target, line } = unit;
    items += 1 + parts + countCodes(source) + countCodes(target ?? []);
    characters += countCharacters(source) + countCharacters(target ?? []);
    const excess =
      items > maxItems
        ? `${maxItems} units, segments and codes`
        : characters > maxCharacters &&
          `${maxCharacters} characters, including the content that its inline codes stand for`;
    if (excess)
      throw new XmlFileError(
        'invalid',
        `the file has more than ${excess}; export it in pages, and send each page`,
        line,
      );
    file?.units.push(unit);
  });
  /** The names of the open elements. `*` stands for elements of other namespaces. */
  const path: string[] = [];
  let isWanted = false;
  const parser = createParser(
    {
      open: (local, attributes, line, uri) => {
        const name = uri === coreNamespace ? local : uri === metadataNamespace ? `mda:${local}` : '*';
        path.push(name);
        if (path.length === 1) languages = readRoot(local, attributes, uri, line);
        else if (path.length === 2 && name === 'file') {
          isWanted = attributes['id'] === fileId;
          if (isWanted && file)
            throw new XmlFileError('invalid', `two files have the id ${quoted(fileId)}`, line);
          if (isWanted) file = { line, ...languages, units: [] };
        } else if (isWanted) reader.open(name, path.at(-2) as string, attributes, line);
      },
      text: (text) => {
        if (isWanted) reader.text(text);
      },
      close: () => {
        const name = path.pop() as string;
        if (path.length === 1) isWanted = false;
        else if (isWanted) reader.close(name, path.at(-1) as string);
      },
    },
    { namespaces: true },
  );
  for (const piece of decodePieces(bytes, 'an XLIFF file')) parser.write(piece);
  parser.close();
  if (!file)
    throw new XmlFileError(
      'invalid',
      `it has no <file id=${quoted(fileId)}>; send the file that was exported for this URL`,
    );
  return file;
}

function readRoot(name: string, attributes: Record<string, string>, uri: string, line: number) {
  const version = attributes['version'] ?? '';
  if (name !== 'xliff')
    throw new XmlFileError(
      'wrong_root',
      'the file is XML but not XLIFF: its root element is not <xliff>',
      line,
    );
  if (uri !== coreNamespace || !versions.includes(version))
    throw new XmlFileError(
      'wrong_root',
      `this is XLIFF ${version.slice(0, 20) || 'without a version'}; send XLIFF 2.1, as the service exports it`,
      line,
    );
  return { sourceLang: attributes['srcLang'] ?? '', targetLang: attributes['trgLang'] ?? '' };
}

function quoted(id: string): string {
  return JSON.stringify(id.slice(0, 100));
}
