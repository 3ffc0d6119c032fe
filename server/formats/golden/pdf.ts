import { PageSizes, PDFDocument, PDFName, ReadingDirection } from '@cantoo/pdf-lib';
import { DocumentFonts } from '../typesetting/document-fonts.ts';
import { directionOf, lineHeightOf } from '../typesetting/languages.ts';
import { breakLines, type Line } from '../typesetting/lines.ts';
import { shapeParagraph } from '../typesetting/paragraph.ts';
import { type GoldenText, paragraphsOf } from './text.ts';

const [pageWidth, pageHeight] = PageSizes.A4;
/** The width of the page's margins, in points. */
const margin = 64;
const fontSize = 11;
/** The space below a paragraph, as a share of the line height. */
const paragraphGap = 0.3;

/** Renders a published translation on A4 pages. */
export async function renderGoldenPdf({ text, language, title }: GoldenText): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const fonts = new DocumentFonts(document);
  const rightToLeft = directionOf(language) === 'rtl';
  document.setTitle(title.toWellFormed(), { showInWindowTitleBar: true });
  document.setLanguage(language);
  if (rightToLeft) document.catalog.getOrCreateViewerPreferences().setReadingDirection(ReadingDirection.R2L);

  const lineHeight = lineHeightOf(language) * fontSize;
  const width = (pageWidth - 2 * margin) / fontSize;
  const page = pageWriter(document, fonts);
  let y = pageHeight - margin;
  for (const paragraph of paragraphsOf(text.trimEnd())) {
    for (const line of breakLines(shapeParagraph(paragraph, { language }), width)) {
      if (y - lineHeight < margin) {
        page.turn();
        y = pageHeight - margin;
      }
      y -= lineHeight;
      const x = rightToLeft ? pageWidth - margin - line.width * fontSize : margin;
      page.draw(line, x, y + 0.25 * lineHeight);
    }
    y -= paragraphGap * lineHeight;
  }
  page.turn();
  fonts.embed();
  return document.save({ addDefaultPage: false, updateFieldAppearances: false });
}

/** Collects the lines of a page. When the page is complete, `turn` writes them as the page's content. */
function pageWriter(document: PDFDocument, fonts: DocumentFonts) {
  let page = document.addPage(PageSizes.A4);
  let operators: string[] = [];
  let turned = false;
  return {
    draw(line: Line, x: number, y: number): void {
      if (turned) page = document.addPage(PageSizes.A4);
      turned = false;
      const shown = fonts.show(line, { fontSize, matrix: [1, 0, 0, 1, x, y] });
      operators.push(shown.operators);
      for (const [name, ref] of shown.fonts) page.node.setFontDictionary(PDFName.of(name), ref);
    },
    turn(): void {
      const { context } = document;
      page.node.set(PDFName.of('Contents'), context.register(context.flateStream(operators.join('\n'))));
      operators = [];
      turned = true;
    },
  };
}
