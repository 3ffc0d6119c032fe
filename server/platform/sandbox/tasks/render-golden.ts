import { FileError } from '#server/formats/file-error.ts';
import { flatten } from '#server/formats/flatten.ts';

interface RenderPayload {
  format: 'pdf' | 'docx';
  text: string;
  /** Whether the text is HTML, of which only the visible text is rendered. */
  markup: boolean;
  /** The code of a supported language. */
  language: string;
  title: string;
}

export async function renderGoldenTask(payload: RenderPayload): Promise<Uint8Array> {
  const { format, language, title } = payload;
  const text = payload.markup ? await visibleText(payload.text) : payload.text;
  // Load only the library of the requested format.
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
    // HTML without words becomes an empty page, not an error.
    if (error instanceof FileError && error.reason === 'empty') return '';
    throw error;
  }
}
