import { Paragraph, Tab, TextRun } from 'docx';
import { newDocument } from '../docx/new-document.ts';
import { directionOf } from '../typesetting/languages.ts';
import { type GoldenText, paragraphsOf } from './text.ts';

/** Renders a published translation as a Word document, with one paragraph for each line. */
export function renderGoldenDocx({ text, language, title }: GoldenText): Promise<Uint8Array> {
  const isRightToLeft = directionOf(language) === 'rtl';
  const paragraphs = paragraphsOf(text).map((line) => {
    const run = new TextRun({ children: piecesOf(line), ...(isRightToLeft && { rightToLeft: true }) });
    return new Paragraph({ children: [run], ...(isRightToLeft && { bidirectional: true }) });
  });
  return newDocument({ title: paragraphsOf(title).join(' '), language, paragraphs });
}

/**
 * Divides a line into texts and tabs. Also divides it after each opening brace: in a text, the library would replace
 * `{default-bullet-numbering-0}` by a number.
 */
function piecesOf(line: string): (string | Tab)[] {
  return line
    .split(/(\t)|(?<=\{)/)
    .filter(Boolean)
    .map((piece) => (piece === '\t' ? new Tab() : piece));
}
