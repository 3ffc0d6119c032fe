/** Renderings of a finished translation for download. The libraries load at the first use of each. */
import type { GoldenText } from './golden-text.ts';

export type { GoldenText } from './golden-text.ts';

/**
 * The text as a PDF of A4 pages, its fonts embedded, its text copied out as it went in. The same input gives the same
 * bytes. 200,000 characters take some seconds and up to 400 MB.
 */
export async function renderGoldenPdf(golden: GoldenText): Promise<Uint8Array> {
  const { renderPdf } = await import('./pdf.ts');
  return renderPdf(golden);
}

/** The text as a Word document. The same input gives the same bytes. */
export async function renderGoldenDocx(golden: GoldenText): Promise<Uint8Array> {
  const { renderDocx } = await import('./docx.ts');
  return renderDocx(golden);
}
