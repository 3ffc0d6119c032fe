import { execFileSync, spawnSync } from 'node:child_process';
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { loadPdfjs } from '#server/formats/pdfjs/budget.ts';

export async function withPdf<T>(
  pdf: Uint8Array,
  read: (document: PDFDocumentProxy) => Promise<T>,
  options: { fontExtraProperties?: boolean } = {},
): Promise<T> {
  // PDF.js is loaded in the same way as by the service: a process has only one instance, and files that run later in
  // this process need its meter.
  const { getDocument } = await loadPdfjs();
  const loading = getDocument({ data: pdf.slice(), verbosity: 0, ...options });
  try {
    return await read(await loading.promise);
  } finally {
    await loading.destroy();
  }
}

/** The text that PDF.js finds, in the order of the content. */
export function textByPdfjs(pdf: Uint8Array): Promise<string> {
  return withPdf(pdf, async (document) => {
    let text = '';
    for (let number = 1; number <= document.numPages; number++) {
      const { items } = await (await document.getPage(number)).getTextContent();
      for (const item of items) if ('str' in item) text += item.str + (item.hasEOL ? '\n' : '');
      text += '\n';
    }
    return text;
  });
}

export const hasPdftotext = spawnSync('pdftotext', ['-v']).error === undefined;

/** The text that poppler finds, without the direction marks that poppler adds. */
export function textByPdftotext(pdf: Uint8Array, ...options: string[]): string {
  const output = execFileSync('pdftotext', [...options, '-enc', 'UTF-8', '-', '-'], {
    input: pdf,
    maxBuffer: 100_000_000,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  return output.toString('utf8').replace(/[\u202a-\u202e]/g, '');
}
