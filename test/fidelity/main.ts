import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { docxFidelity } from './docx.ts';
import type { FormatFidelity } from './format-fidelity.ts';
import { type FormatResult, renderReport } from './report.ts';
import { xlsxFidelity } from './xlsx.ts';

/** In the order of the page. */
export const formats: readonly FormatFidelity[] = [docxFidelity, xlsxFidelity];

export const page = join(import.meta.dirname, '../../docs/fidelity.md');

if (process.argv[1] === import.meta.filename) {
  const results: FormatResult[] = [];
  for (const format of formats) {
    const files = await format.measure();
    const opened = format.open(files);
    if (opened === null) console.warn(`${format.judge} is not installed: nothing was opened`);
    results.push({ format, files, opened });
  }
  writeFileSync(page, renderReport(results));
}
