import { runQpdf } from '#server/formats/pdf/qpdf.ts';

/** Returns what `qpdf --check` has to say against a PDF: no text if it is clean. */
export async function qpdfCheck(bytes: Uint8Array): Promise<string> {
  const { succeeded, message } = await runQpdf(['--check'], bytes);
  return succeeded ? '' : message || 'qpdf --check failed';
}
