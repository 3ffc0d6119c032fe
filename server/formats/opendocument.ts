import type { LayoutFormat } from './document.ts';
import { FileError } from './file-error.ts';
import { plainText } from './inline-content.ts';
import { keyOfTag, type Run, runsOf } from './markup/inline-runs.ts';
import { type MarkupText, placesOfMarkup } from './markup/markup-places.ts';
import { ComparedTexts } from './office/compared-texts.ts';
import { keptFindings, signatureFinding } from './office/kept-finding.ts';
import { openPackage } from './office/package.ts';
import { encodePart, type PartText } from './office/part-text.ts';
import { textLanguageOf } from './office/properties.ts';
import { type PartContent, rewritePackage } from './office/rewrite-package.ts';
import { type Edit, escapeXmlText, withoutForbidden } from './office/splice.ts';
import { readDirectory } from './office/zip.ts';
import { markupOfAttribute } from './opendocument/attribute-texts.ts';
import type { TextBlock } from './opendocument/text-block.ts';
import { cutFindings } from './opendocument/text-block.ts';
import { type FileKind, type FoundTexts, readParts } from './opendocument/text-reader.ts';
import { readStyles } from './opendocument/text-styles.ts';
import { clip } from './text.ts';
import { type Dependent, type TextFile, type TextOptions, type TextPlaces, textFormat } from './text-file.ts';
import { directionChange } from './typesetting/languages.ts';
import { type KeyColumn, keyColumnFinding } from './xlsx/columns.ts';

/**
 * OpenDocument texts, spreadsheets and presentations. The texts are in two parts, `content.xml` and `styles.xml`, the
 * second of which has headers and footers. Both are read as one text, with a NUL between them, which XML does not allow.
 *
 * @throws {FileError} `unreadable`, `protected`, `empty` or `too_large`
 */
export const odt = formatOf('text');
export const ods = formatOf('spreadsheet');
export const odp = formatOf('presentation');

function formatOf(kind: FileKind): LayoutFormat {
  return textFormat(
    (text, options) => findTexts(kind, text, options),
    (bytes) => openFile(kind, bytes),
  );
}

const partPaths = ['content.xml', 'styles.xml'];
const separator = '\0';
const mediaType = 'application/vnd.oasis.opendocument.';

async function openFile(kind: FileKind, bytes: Uint8Array): Promise<TextFile> {
  const file = await openPackage(bytes);
  const entries = readDirectory(bytes);
  const read = async (path: string): Promise<string> =>
    entries.has(path) ? (await file.readWhole(path)).source : '';
  const manifest = await read('META-INF/manifest.xml');
  const declaredIn = mediaTypesOf(manifest);
  // Some programs leave out this entry, which the specification recommends.
  const declared = (await read('mimetype')).trim() || (declaredIn.get('/') ?? '');
  if (!declared.startsWith(mediaType) || !entries.has(partPaths[0]!))
    throw new FileError(
      'unreadable',
      'the file is not an OpenDocument file: it lacks a media type or "content.xml"',
    );
  // The type of a template has a suffix, such as `text-template`.
  const [found] = declared.slice(mediaType.length).split('-');
  if (found !== kind)
    throw new FileError(
      'unreadable',
      `the file is not an OpenDocument ${kind}: its type is ${clip(declared, 100)}`,
    );
  if (manifest.includes('encryption-data'))
    throw new FileError('protected', 'the file is protected by a password');
  const objects = [...declaredIn].flatMap(([path, type]) =>
    path !== '/' && path.endsWith('/') && type.startsWith(mediaType) ? [`${path}content.xml`] : [],
  );
  const parts: [path: string, part: PartText | undefined][] = [];
  for (const path of [...partPaths, ...objects.filter((path) => entries.has(path))])
    parts.push([path, entries.has(path) ? await file.readWhole(path) : undefined]);
  const sources = parts.map(([, part]) => part?.source ?? '');
  if (sources.some((source) => source.includes(separator)))
    throw new FileError('unreadable', 'the XML of the file has a NUL character');
  return {
    text: sources.join(separator),
    findings: entries.has('META-INF/documentsignatures.xml') ? [signatureFinding] : [],
    encode: (text) => {
      const changed = new Map<string, PartContent>();
      for (const [at, source] of text.split(separator).entries()) {
        const [path, part] = parts[at]!;
        if (part && source !== part.source) changed.set(path, () => encodePart(part, [source]));
      }
      return rewritePackage(bytes, changed);
    },
  };
}

function findTexts(kind: FileKind, file: string, options: TextOptions): TextPlaces {
  const [content = '', styles = '', ...objects] = file.split(separator);
  const offsets = [0, content.length + separator.length];
  // Styles of the content have names and parents in the styles of the file.
  const fileStyles = readStyles([styles, content]);
  const { include = [] } = options;
  const texts: MarkupText[] = [];
  const kept: { reason: string; text: string }[] = [];
  const always: Edit[] = [];
  const dependent: Dependent[] = [];
  let characters = 0;
  const compared = new ComparedTexts();
  let [comments, hiddenSlides, lists] = [0, 0, 0];
  const columns: KeyColumn[] = [];
  for (const [at, source] of [content, styles].entries()) {
    if (source === '') continue;
    const found = readParts(source, {
      path: partPaths[at]!,
      styles: fileStyles,
      offset: offsets[at]!,
      include,
      kind,
      excludeColumns: options.excludeColumns,
    });
    kept.push(...found.kept);
    columns.push(...found.columns);
    characters += found.characters;
    comments += found.comments;
    hiddenSlides += found.hiddenSlides;
    lists += found.lists;
    compared.addAll(found.compared);
    always.push(...languageEdits(source, offsets[at]!, options));
    for (const one of found.repeated) dependent.push(one);
    for (const text of found.attributes) texts.push(markupOfAttribute(text, offsets[at]!));
    for (const block of found.blocks) {
      const { runs, kept: inside } = runsOf(block.items);
      kept.push(...inside);
      for (const run of runs) texts.push(textOf(file, run, block));
    }
  }
  let [charts, documents] = [0, 0];
  for (const source of objects) {
    const object = readParts(source, { path: '', styles: fileStyles, offset: 0, include, kind: 'text' });
    const own = textsOf(object);
    characters += object.characters;
    if (own.length === 0) continue;
    const isChart = /<office:chart[\s>]/.test(source);
    if (isChart) charts++;
    else documents++;
    for (const text of own) kept.push({ reason: isChart ? 'charts' : 'embedded_documents', text });
  }
  const found = placesOfMarkup(file, texts);
  const findings = keptFindings(
    [charts, ['chart', 'charts']],
    [documents, ['embedded document', 'embedded documents']],
    [hiddenSlides, ['hidden slide', 'hidden slides'], 'hidden'],
    [comments, ['comment', 'comments'], 'comments'],
    [lists, ['dropdown list with fixed entries', 'dropdown lists with fixed entries']],
  );
  const translated = found.places.flatMap(({ segments }) => segments.map(({ source }) => plainText(source)));
  findings.push(...compared.findings(translated), ...columns.map(keyColumnFinding));
  return {
    places: found.places,
    kept: [...kept, ...found.kept],
    characters,
    always,
    dependent,
    findings,
    ...(columns.length > 0 && { excludeColumns: columns.map(({ name }) => name) }),
  };
}

/** Returns the texts of an embedded document. They stay, because readers see a picture of it until they open it. */
function textsOf({ blocks, attributes, kept }: FoundTexts): string[] {
  const runs = blocks.map(({ items }) => runsOf(items));
  return [
    ...runs.flatMap((one) => one.runs.map(({ source }) => plainText(source))),
    ...[...runs, { kept }].flatMap((one) => one.kept.map(({ text }) => text)),
    ...attributes.map(({ text }) => text),
  ];
}

/** Returns the media types of a manifest by path. A folder with a document has a path that ends with a slash. */
function mediaTypesOf(manifest: string): Map<string, string> {
  const valueIn = (tag: string, name: string) =>
    new RegExp(`:${name}\\s*=\\s*["']([^"']*)["']`).exec(tag)?.[1] ?? '';
  // Manifests of old files have a document type, with which XML is rejected.
  const entries = manifest.matchAll(/<[\w.-]+:file-entry\s[^>]*>/g);
  return new Map([...entries].map(([tag]) => [valueIn(tag, 'full-path'), valueIn(tag, 'media-type')]));
}

function textOf(
  file: string,
  run: Run,
  { kind, place, page, cellId, room, most, prefix, leftOut }: TextBlock,
): MarkupText {
  const write = (text: string): string => {
    const written = escapeXmlText(withoutForbidden(text.replace(/ {2,}/g, ' ')));
    return prefix === undefined
      ? written
      : written.replaceAll('\n', `<${prefix}line-break/>`).replaceAll('\t', `<${prefix}tab/>`);
  };
  return {
    ...run,
    kind,
    name: '',
    place,
    ...(page !== undefined && { page }),
    ...(cellId !== undefined && { cellId }),
    ...(most !== undefined && { limit: { most, unit: 'characters' } }),
    check: (target) => (room ? cutFindings(room, place, run.source, target) : []),
    write: (target, markupOf) => {
      const { closing, opening } = unpaired(leftOut, run);
      const tags = (list: readonly Range[]) => list.map(({ start, end }) => file.slice(start, end));
      const written = target.map((item) =>
        typeof item === 'string' ? write(item) : markupOf(run.tags.get(keyOfTag(item))!),
      );
      return [...tags(closing), ...written, ...tags(opening)].join('');
    },
  };
}

interface Range {
  start: number;
  end: number;
}

/** Returns the tags in a range whose other tag is outside of it. They are written again, so that the XML stays well-formed. */
function unpaired(tags: TextBlock['leftOut'], { start, end }: Range): { closing: Range[]; opening: Range[] } {
  const [closing, opening]: [Range[], Range[]] = [[], []];
  for (const tag of tags) {
    if (tag.start < start || tag.end > end) continue;
    if (tag.type === 'open') opening.push(tag);
    else if (!opening.pop()) closing.push(tag);
  }
  return { closing, opening };
}

const namespaces = 'urn:oasis:names:tc:opendocument:xmlns:';

/** The suffixes of the attributes for the three groups of scripts. */
const suffixes = { val: '', eastAsia: '-asian', bidi: '-complex' } as const;

/**
 * Returns the changes that declare the language of the translation: in all text properties with the language of the
 * source, and in those of default styles. If the writing direction changes, default paragraphs get the new one.
 *
 * @param offset is added to the positions
 */
function languageEdits(
  source: string,
  offset: number,
  { sourceLanguage, targetLanguage }: TextOptions,
): Edit[] {
  const prefixOf = (name: string) =>
    new RegExp(`\\sxmlns:([\\w.-]+)\\s*=\\s*["']${namespaces}${name}["']`).exec(source)?.[1];
  const [fo, style] = [prefixOf('xsl-fo-compatible:1.0'), prefixOf('style:1.0')];
  // A part without a declaration of the namespaces has no properties of texts.
  if (!sourceLanguage || !targetLanguage || fo === undefined || style === undefined) return [];
  const from = sourceLanguage.split('-')[0]!;
  const to = textLanguageOf(targetLanguage);
  const [language = '', region = 'none'] = to.tag.split('-');
  const direction = directionChange(sourceLanguage, targetLanguage);
  const suffix = suffixes[to.attribute];
  const prefix = suffix === '' ? fo : style;
  const edits: Edit[] = [];
  let inDefault = false;
  for (const { 0: tag, 1: slash, 2: name, index } of source.matchAll(
    new RegExp(`<(/?)${style}:(default-style|text-properties|paragraph-properties)\\b[^>]*>`, 'g'),
  )) {
    if (name === 'default-style') inDefault = slash === '' && !tag.endsWith('/>');
    if (slash !== '' || name === 'default-style') continue;
    const isSource = new RegExp(
      `\\slanguage(?:-asian|-complex)?="${from}"|:language(?:-asian|-complex)?="${from}"`,
    ).test(tag);
    let changed = tag;
    if (name === 'text-properties' && (isSource || inDefault)) {
      changed = set(changed, `${prefix}:language${suffix}`, language);
      changed = set(changed, `${prefix}:country${suffix}`, region);
    }
    if (name === 'paragraph-properties' && inDefault && direction !== 'kept')
      changed = set(changed, `${style}:writing-mode`, direction === 'rtl' ? 'rl-tb' : 'lr-tb');
    if (changed !== tag)
      edits.push({ start: offset + index, end: offset + index + tag.length, text: changed });
  }
  return edits;
}

function set(tag: string, name: string, value: string): string {
  const known = new RegExp(`(\\s${name}=)("[^"]*"|'[^']*')`);
  if (known.test(tag)) return tag.replace(known, `$1"${value}"`);
  return tag.replace(/\s*\/?>$/, (end) => ` ${name}="${value}"${end.trim()}`);
}
