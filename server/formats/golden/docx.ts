import { newDocument, paragraphXml } from '../docx/new-document.ts';
import { type GoldenText, paragraphsOf } from './text.ts';

/** Renders a published translation as a Word document, with one paragraph for each line. */
export function renderGoldenDocx({ text, language, title }: GoldenText): Promise<Uint8Array> {
  const paragraphs = paragraphsOf(text).map((line) => paragraphXml([{ text: line }], language));
  return newDocument({ title: paragraphsOf(title).join(' '), language, body: paragraphs.join('') });
}
