import { FileError } from '#server/formats/file-error.ts';
import { flatten } from '#server/formats/flatten.ts';

export interface RenderPayload {
  format: 'pdf' | 'docx';
  text: string;
  /** Whether the text is HTML, of which only what a reader sees is rendered. */
  markup: boolean;
  /** A code of B 2.4. */
  language: string;
  title: string;
}

export async function renderGoldenTask(payload: RenderPayload): Promise<Uint8Array> {
  const { format, language, title } = payload;
  const text = payload.markup ? await visibleText(payload.text) : payload.text;
  // Only the library of the format that is asked for is loaded.
  if (format === 'pdf') {
    const { renderGoldenPdf } = await import('#server/formats/golden/pdf.ts');
    return renderGoldenPdf({ text, language, title });
  }
  const { renderGoldenDocx } = await import('#server/formats/golden/docx.ts');
  return renderGoldenDocx({ text, language, title });
}

async function visibleText(markup: string): Promise<string> {
  try {
    return await flatten('html', new TextEncoder().encode(markup));
  } catch (error) {
    // Markup without a word in it is an empty page, not a failure.
    if (error instanceof FileError && error.reason === 'empty') return '';
    throw error;
  }
}
