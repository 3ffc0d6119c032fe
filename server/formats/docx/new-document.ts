import { Document, type IFontAttributesProperties, Packer, Paragraph } from 'docx';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { escapeXmlText, withoutForbidden } from '../office/splice.ts';
import { directionOf, fontOf } from '../typesetting/languages.ts';

/** The font size in half points, which is Word's unit. */
const fontSize = 22;

/** A character that marks the position of the content in the template. */
const placeholder = '\ue000';

/** The earliest day that a zip file can store. The time is noon, so that it is the same day in every time zone. */
const noTime = new Date(1980, 0, 1, 12);

/** A Word file that is newly written. */
interface NewDocument {
  /** The title in the file's properties. It is not shown on a page. */
  title: string;
  /** The supported language code of the text. */
  language: string;
  /** The content as objects of the library; missing if there is a body. */
  paragraphs?: Paragraph[];
  /** The content as XML with the prefix `w:`, for large documents (docs/decisions/0007). */
  body?: string;
  /** The lists of the body, by their identifier minus 1. */
  lists?: readonly NewList[];
}

/** Writes a Word file. A body replaces a paragraph that the library writes. */
export async function newDocument({
  title,
  language,
  paragraphs = [new Paragraph(placeholder)],
  body,
  lists = [],
}: NewDocument): Promise<Uint8Array> {
  const document = new Document({
    title,
    creator: 'LinguaLoop',
    styles: {
      default: {
        document: {
          run: {
            font: fontsOf(language),
            size: fontSize,
            sizeComplexScript: fontSize,
            language: tagsOf(language),
          },
          paragraph: { spacing: { after: 80 } },
        },
        heading1: heading(34, 320),
        heading2: heading(28, 280),
        heading3: heading(24, 240),
      },
    },
    sections: [{ children: paragraphs }],
  });
  const files = unzipSync(new Uint8Array(await Packer.toArrayBuffer(document)));
  if (body !== undefined)
    rewrite(files, 'word/document.xml', (xml) => {
      const at = xml.indexOf(placeholder);
      const end = xml.indexOf('</w:p>', at) + '</w:p>'.length;
      return xml.slice(0, xml.lastIndexOf('<w:p>', at)) + body + xml.slice(end);
    });
  if (lists.length > 0)
    rewrite(files, 'word/numbering.xml', (xml) => {
      const start = xml.indexOf('>', xml.indexOf('<w:numbering')) + 1;
      return `${xml.slice(0, start)}${numberingXml(lists)}</w:numbering>`;
    });
  // Removes the creation time, and sets the times of the zip entries to a constant. Equal texts therefore give equal
  // bytes.
  rewrite(files, 'docProps/core.xml', (xml) =>
    xml.replace(/<dcterms:(created|modified)\b[^>]*>[^<]*<\/dcterms:\1>/g, ''),
  );
  return zipSync(files, { mtime: noTime });
}

/**
 * @param size in half points
 * @param before the space above the heading, in twentieths of a point
 */
function heading(size: number, before: number) {
  return {
    run: { bold: true, boldComplexScript: true, size, sizeComplexScript: size, color: '000000' },
    paragraph: { keepNext: true, spacing: { before, after: 120 } },
  };
}

/** A list: its items have the same bullet, or consecutive numbers. */
export interface NewList {
  /** The name of Word's number format, such as `decimal` or `bullet`. */
  format: string;
  /** The bullet, or the text around the number, which is `%1`. */
  text: string;
  /** The first number, and the level of the items, from 0. */
  start: number;
  level: number;
}

/** The indent of each level of a list, in twentieths of a point. */
const listIndent = 400;
const listLevels = 9;

/** Returns the definitions of the lists. Lists with equal bullets or formats of numbers have one definition. */
function numberingXml(lists: readonly NewList[]): string {
  const definitions = new Map<string, string>();
  const keyOf = ({ format, text, level }: NewList) => `${format} ${level} ${text}`;
  for (const list of lists) {
    if (definitions.has(keyOf(list))) continue;
    const levels = Array.from({ length: listLevels }, (_, level) => {
      const text = list.text.replace('%1', `%${level + 1}`);
      return (
        `<w:lvl w:ilvl="${level}"><w:start w:val="1"/><w:numFmt w:val="${list.format}"/>` +
        `<w:lvlText w:val="${escapeXmlText(withoutForbidden(text)).replaceAll('"', '&quot;')}"/><w:lvlJc w:val="left"/>` +
        `<w:pPr><w:ind w:left="${(level + 1) * listIndent}" w:hanging="${listIndent}"/></w:pPr></w:lvl>`
      );
    });
    definitions.set(
      keyOf(list),
      `<w:abstractNum w:abstractNumId="${definitions.size}"><w:multiLevelType w:val="hybridMultilevel"/>${levels.join('')}</w:abstractNum>`,
    );
  }
  const indexes = new Map([...definitions.keys()].map((key, index) => [key, index]));
  const instances = lists.map(
    (list, index) =>
      `<w:num w:numId="${index + 1}"><w:abstractNumId w:val="${indexes.get(keyOf(list))}"/>` +
      `<w:lvlOverride w:ilvl="${list.level}"><w:startOverride w:val="${list.start}"/></w:lvlOverride></w:num>`,
  );
  return [...definitions.values(), ...instances].join('');
}

function rewrite(files: Record<string, Uint8Array>, path: string, change: (xml: string) => string): void {
  files[path] = strToU8(change(strFromU8(files[path]!)));
}

/** The formatting of a run: the XML of the children of `rPr`, in the order of the schema. */
export interface NewRun {
  text: string;
  properties?: string;
  /** The URL to which the text leads. */
  link?: string | undefined;
}

export interface NewParagraph {
  /** The identifier of the paragraph's style; absent for body text. */
  style?: string;
  /** The indent of the paragraph, and how much further left its first line begins, in points. */
  indent?: { left: number; hanging?: number };
  /** A tab with dots in front of it, with the text behind it at its left, in twentieths of a point. */
  dottedTab?: number;
  /** The list of which the paragraph is an item, and its level, from 0. */
  list?: { id: number; level: number };
  align?: 'left' | 'right' | 'center' | 'both';
}

/** Returns the XML of a paragraph. Tabs and line breaks of a text become elements. */
export function paragraphXml(
  runs: readonly NewRun[],
  language: string,
  { style, indent, dottedTab, list, align }: NewParagraph = {},
): string {
  const rightToLeft = directionOf(language) === 'rtl';
  const [left, hanging] = [indent?.left ?? 0, indent?.hanging ?? 0].map((points) => Math.round(20 * points));
  const all =
    (style ? `<w:pStyle w:val="${style}"/>` : '') +
    (list ? `<w:numPr><w:ilvl w:val="${list.level}"/><w:numId w:val="${list.id}"/></w:numPr>` : '') +
    (dottedTab ? `<w:tabs><w:tab w:val="right" w:leader="dot" w:pos="${dottedTab}"/></w:tabs>` : '') +
    (rightToLeft ? '<w:bidi/>' : '') +
    (left ? `<w:ind w:left="${left}"${hanging ? ` w:hanging="${hanging}"` : ''}/>` : '') +
    // In a right-to-left paragraph, `left` means the side on which lines start, so it is the right side.
    (align ? `<w:jc w:val="${align}"/>` : '');
  const written = linkedRuns(runs).map(([link, linked]) => {
    const xml = linked.map((run) => runXml(run, rightToLeft)).join('');
    return link === undefined ? xml : `<w:fldSimple w:instr="${hyperlinkTo(link)}">${xml}</w:fldSimple>`;
  });
  return `<w:p>${all === '' ? '' : `<w:pPr>${all}</w:pPr>`}${written.join('')}</w:p>`;
}

/** Groups consecutive runs that lead to the same URL. */
function linkedRuns(runs: readonly NewRun[]): [link: string | undefined, runs: NewRun[]][] {
  const groups: [string | undefined, NewRun[]][] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    if (last && last[0] === run.link) last[1].push(run);
    else groups.push([run.link, [run]]);
  }
  return groups;
}

/** Returns the instruction of a field that is a link, for an attribute. A quote would end the URL. */
function hyperlinkTo(url: string): string {
  const text = url.replaceAll('"', '%22').replaceAll('\\', '%5C');
  return escapeXmlText(` HYPERLINK "${text}" `).replaceAll('"', '&quot;');
}

function runXml({ text, properties = '', link }: NewRun, rightToLeft: boolean): string {
  const style = link === undefined ? '' : '<w:rStyle w:val="Hyperlink"/>';
  const all = style + properties + (rightToLeft ? '<w:rtl/>' : '');
  const content = withoutForbidden(text)
    .split(/([\t\n])/)
    .map((piece) => (piece === '\t' ? '<w:tab/>' : piece === '\n' ? '<w:br/>' : textXml(piece)))
    .join('');
  return `<w:r>${all === '' ? '' : `<w:rPr>${all}</w:rPr>`}${content}</w:r>`;
}

function textXml(text: string): string {
  return text === '' ? '' : `<w:t xml:space="preserve">${escapeXmlText(text)}</w:t>`;
}

/**
 * Returns fonts that Word includes and that have the characters of the language. If a font is missing, Word uses
 * another one.
 */
function fontsOf(language: string): IFontAttributesProperties {
  const latin = { ascii: 'Calibri', hAnsi: 'Calibri', cs: 'Arial' };
  switch (fontOf(language)) {
    case 'devanagari':
      return { ...latin, cs: 'Nirmala UI' };
    case 'thai':
      return { ...latin, cs: 'Leelawadee UI' };
    case 'simplifiedChinese':
      return { ...latin, eastAsia: 'Microsoft YaHei' };
    case 'traditionalChinese':
      return { ...latin, eastAsia: 'Microsoft JhengHei' };
    case 'japanese':
      return { ...latin, eastAsia: 'Yu Gothic' };
    case 'korean':
      return { ...latin, eastAsia: 'Malgun Gothic' };
    default:
      return latin;
  }
}

/** Returns the language tags of a text. Word stores a separate language for each of three groups of scripts. */
function tagsOf(language: string): { value?: string; eastAsia?: string; bidirectional?: string } {
  const { language: code, region } = new Intl.Locale(language).maximize();
  const tag = region ? `${code}-${region}` : code;
  switch (fontOf(language)) {
    case 'arabic':
    case 'devanagari':
    case 'thai':
      return { bidirectional: tag };
    case 'sans':
      return { value: tag };
    default:
      return { eastAsia: tag };
  }
}
