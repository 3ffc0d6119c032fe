import { Document, type IFontAttributesProperties, Packer, Paragraph, TextRun } from 'docx';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { directionOf, fontOf } from '../typesetting/languages.ts';
import { type GoldenText, paragraphsOf } from './text.ts';

/** The font size in half points, which is Word's unit. */
const fontSize = 22;

/** A character that marks the position of the text in the template. */
const placeholder = '\ue000';

/** The earliest day that a zip file can store. The time is noon, so that it is the same day in every time zone. */
const noTime = new Date(1980, 0, 1, 12);

/**
 * Renders a published translation as a Word document. The library renders a document with one paragraph, and the XML of
 * this paragraph is the template for all paragraphs. Rendering all paragraphs with the library would take a tree of
 * about 8 KB for each.
 */
export async function renderGoldenDocx({ text, language, title }: GoldenText): Promise<Uint8Array> {
  const rightToLeft = directionOf(language) === 'rtl';
  const document = new Document({
    title: paragraphsOf(title).join(' '),
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
      },
    },
    sections: [
      {
        properties: {},
        children: [
          new Paragraph({
            bidirectional: rightToLeft,
            children: [new TextRun({ rightToLeft, text: placeholder })],
          }),
        ],
      },
    ],
  });
  const files = unzipSync(new Uint8Array(await Packer.toArrayBuffer(document)));
  rewrite(files, 'word/document.xml', (xml) => withParagraphs(xml, paragraphsOf(text)));
  // Removes the creation time, and sets the times of the zip entries to a constant. Equal texts therefore give equal
  // bytes.
  rewrite(files, 'docProps/core.xml', (xml) =>
    xml.replace(/<dcterms:(created|modified)\b[^>]*>[^<]*<\/dcterms:\1>/g, ''),
  );
  return zipSync(files, { mtime: noTime });
}

function rewrite(files: Record<string, Uint8Array>, path: string, change: (xml: string) => string): void {
  files[path] = strToU8(change(strFromU8(files[path]!)));
}

/** Replaces the only paragraph of the document by one paragraph for each text. */
function withParagraphs(xml: string, texts: string[]): string {
  const at = xml.indexOf(placeholder);
  const start = xml.lastIndexOf('<w:p>', at);
  const end = xml.indexOf('</w:p>', at) + '</w:p>'.length;
  const head = xml.slice(start, xml.lastIndexOf('<w:t', at));
  const tail = xml.slice(xml.indexOf('</w:t>', at) + '</w:t>'.length, end);
  const paragraphs = texts.map((text) => head + text.split('\t').map(textElement).join('<w:tab/>') + tail);
  return xml.slice(0, start) + paragraphs.join('') + xml.slice(end);
}

function textElement(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped === '' ? '' : `<w:t xml:space="preserve">${escaped}</w:t>`;
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
