import { runQpdf } from '#server/formats/pdf/qpdf.ts';

/** The errors that `qpdf --check` reports for a PDF file; empty if there are no errors. */
export async function qpdfCheck(bytes: Uint8Array): Promise<string> {
  const { succeeded, message } = await runQpdf(['--check'], bytes);
  return succeeded ? '' : message || 'qpdf --check failed';
}
